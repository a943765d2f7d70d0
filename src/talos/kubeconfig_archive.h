#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secret.h"

namespace ichor {

/// Takes the kubeconfig out of what MachineService.Kubeconfig sends: a gzipped tar with one member.
/// It is unpacked in memory only, and anything but exactly one regular file called "kubeconfig" of
/// at most 1 MiB is refused, as is a compression ratio above 100. Talos never closes the tar, so
/// its end right after the last byte of the file is accepted; an end before it is not.
tl::expected<SecretString, std::string> kubeconfig_from_archive(std::string_view tar_gz);

}  // namespace ichor
