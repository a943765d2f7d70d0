#include "os/file_artifacts.h"

namespace ichor {

namespace {
constexpr std::size_t kSizeMax = 16u << 20;
}  // namespace

Result<std::unique_ptr<FileArtifacts>> FileArtifacts::make(const std::string& path) {
  auto folder = Folder::make(path, Folder::Access::owner_only);
  if (!folder) return forward_error(folder);
  std::unique_ptr<FileArtifacts> artifacts(new FileArtifacts(*std::move(folder)));
  auto ignored = artifacts->write(".gitignore", SecretString("*\n"));
  if (!ignored) return forward_error(ignored);
  return artifacts;
}

Result<std::unique_ptr<FileArtifacts>> FileArtifacts::open(const std::string& path) {
  auto folder = Folder::open(path, Folder::Access::owner_only);
  if (!folder) return forward_error(folder);
  return std::unique_ptr<FileArtifacts>(new FileArtifacts(*std::move(folder)));
}

Result<void> FileArtifacts::write(const std::string& name, const SecretString& content) {
  return write_file(folder_, name, content);
}

std::optional<SecretString> FileArtifacts::read(const std::string& name) {
  auto content = load(name);
  return content ? *std::move(content) : std::nullopt;
}

Result<std::optional<SecretString>> FileArtifacts::load(const std::string& name) const {
  return read_private_file(folder_, name, kSizeMax);
}

Result<bool> FileArtifacts::create(const std::string& name, const SecretString& content) const {
  return create_file(folder_, name, content);
}

}  // namespace ichor
