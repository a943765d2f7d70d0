#include "cluster/fresh_state.h"

#include <string>
#include <utility>

namespace ichor {

namespace {

/// Hides an older kubeconfig until a new one is written, so that ichor fetches it again.
class FreshKubeconfig final : public Artifacts {
 public:
  explicit FreshKubeconfig(Artifacts& inner) : inner_(inner) {}
  Result<void> write(const std::string& name, const SecretString& content) override {
    written_ = true;
    return inner_.write(name, content);
  }
  std::optional<SecretString> read(const std::string& name) override {
    return written_ ? inner_.read(name) : std::nullopt;
  }

 private:
  Artifacts& inner_;
  bool written_{false};
};

/// A state folder as another one is, but without its older kubeconfig.
class FreshStateDir final : public ClusterState {
 public:
  explicit FreshStateDir(std::unique_ptr<ClusterState> inner)
      : inner_(std::move(inner)), files_(inner_->files()) {}
  const std::string& path() const override { return inner_->path(); }
  Artifacts& files() override { return files_; }
  Result<std::optional<SecretString>> load(const std::string& name) override {
    return inner_->load(name);
  }
  Result<bool> create(const std::string& name, const SecretString& content) override {
    return inner_->create(name, content);
  }
  Journal& journal() override { return inner_->journal(); }
  bool copied() override { return inner_->copied(); }
  Result<void> adopt(const LockOwner& owner) override { return inner_->adopt(owner); }

 private:
  std::unique_ptr<ClusterState> inner_;
  FreshKubeconfig files_;
};

}  // namespace

std::unique_ptr<ClusterState> without_kubeconfig(std::unique_ptr<ClusterState> state) {
  return std::make_unique<FreshStateDir>(std::move(state));
}

}  // namespace ichor
