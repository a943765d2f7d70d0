#pragma once

#include <string>
#include <string_view>

namespace ichor {

/// examples/multi-cluster/Taskfile.yaml as it was when this binary was built.
std::string_view shipped_taskfile();

/// The same for a Taskfile beside `profile`: its tasks take that profile, unless a person names
/// another one. An ichor.yaml needs no name, and a cluster is then found by its own.
std::string taskfile_beside(std::string_view profile);

}  // namespace ichor
