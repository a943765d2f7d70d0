#include "profile/reader_inputs.h"

#include "profile/repository.h"
#include "secrets/sops_file.h"

namespace ichor {

namespace {

/// A name from a folder, which is empty or ends with a slash, without the steps back.
std::string path_from(std::string folder, std::string_view name) {
  if (name.starts_with('/')) return std::string(name);
  while (name.starts_with("../") && folder.size() > 1 && !folder.ends_with("../")) {
    folder.pop_back();
    folder.resize(folder.rfind('/') + 1);
    name.remove_prefix(3);
  }
  return folder + std::string(name);
}

}  // namespace

ReaderInputs reader_inputs(const std::string& profile, SecretWords& secrets, LocalPorts& local) {
  const std::string folder = profile.substr(0, profile.rfind('/') + 1);
  ReaderInputs result;
  result.variable = [&local](const std::string& name) { return local.environment.variable(name); };
  result.file = [&local, &secrets,
                 folder](const std::string& name) -> Result<std::optional<std::string>> {
    const std::string path = path_from(folder, name);
    if (!local.files.has_file(path)) return std::optional<std::string>();
    // The template of role folders lies beside them.
    const bool beside = name.starts_with("../machineconfig") && name.ends_with(".yaml.j2");
    auto text = Repository(beside ? folder + ".." : folder, local.files).read(path);
    if (!text) return forward_error(text);
    const SecretString sealed(*std::move(text));
    auto plain = open_if_sealed(sealed, path, local);
    if (!plain) return forward_error(plain);
    if (!(*plain == sealed)) secrets.learn(*plain);
    return std::optional<std::string>(plain->reveal());
  };
  return result;
}

}  // namespace ichor
