#pragma once

#include <memory>
#include <string>

#include "os/durable_file.h"
#include "port/files.h"

namespace ichor {

/// A file that is written piece by piece as NAME.part, mode 0600, see Files::draft(). One that an
/// earlier process left is started again.
Result<std::unique_ptr<Files::Draft>> make_draft(Folder folder, const std::string& name);

/// A regular file, read where it is asked for. Symbolic links are followed: the operator named it.
Result<std::unique_ptr<ByteSource>> open_large_file(const std::string& path);

/// Removes a regular file and syncs the folder; one that does not exist is no error.
Result<void> remove_file(const Folder& folder, const std::string& name);

}  // namespace ichor
