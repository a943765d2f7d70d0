#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "journal/memory_journal.h"
#include "port/host.h"
#include "port/test_local_ports.h"
#include "port/test_machines.h"
#include "port/test_terminal.h"
#include "secrets/key.h"
#include "sim/kube/cluster.h"
#include "sim/seeded_random.h"
#include "sim/virtual_clock.h"

namespace ichor {

class FakeLoop : public EventLoop {
 public:
  void set_time_scale(double) override {}
  Clock& clock() override { return clock_; }
  int drive(Task<void> task, CancelScope& scope) override {
    task.start();
    if (signal != 0) scope.cancel();
    while (!task.done() && clock_.step()) {
    }
    check(task.done(), "the task ends");
    return signal;
  }

  sim::VirtualClock& virtual_clock() { return clock_; }

  int signal{0};

 private:
  sim::VirtualClock clock_;
};

/// One state folder, whatever its path is.
class FakeStates : public ClusterStates {
 public:
  explicit FakeStates(sim::VirtualClock& clock) : store_(clock) {}
  Result<std::unique_ptr<ClusterState>> open_state(const std::string& path,
                                                   Missing missing) override {
    if (!state_made && missing == Missing::refuse) return fail(Errc::invalid, path + " is missing");
    state_made = true;
    return std::make_unique<State>(*this, path);
  }

  MemoryStore& store() { return store_; }

  std::map<std::string, std::string> state_files;
  bool state_made{false};
  bool copied{false};

 private:
  class State final : public ClusterState, public Artifacts {
   public:
    State(FakeStates& states, std::string path)
        : states_(states), path_(std::move(path)), journal_(states.store_) {}
    const std::string& path() const override { return path_; }
    Artifacts& files() override { return *this; }
    Result<std::optional<SecretString>> load(const std::string& name) override {
      return read(name);
    }
    Result<bool> create(const std::string& name, const SecretString& content) override {
      return states_.state_files.emplace(name, std::string(content.reveal())).second;
    }
    Journal& journal() override { return journal_; }
    bool copied() override { return states_.copied; }
    Result<void> adopt(const LockOwner&) override {
      states_.copied = false;
      return {};
    }
    Result<void> write(const std::string& name, const SecretString& content) override {
      states_.state_files[name] = std::string(content.reveal());
      return {};
    }
    std::optional<SecretString> read(const std::string& name) override {
      const auto found = states_.state_files.find(name);
      if (found == states_.state_files.end()) return std::nullopt;
      return SecretString(found->second);
    }

   private:
    FakeStates& states_;
    std::string path_;
    MemoryJournal journal_;
  };

  MemoryStore store_;
};

/// Hands calls on to a cluster that outlives it.
class BorrowedKube final : public KubeClient {
 public:
  explicit BorrowedKube(KubeClient& to) : to_(to) {}
  Task<CallResult<void>> ready(Context context) override { return to_.ready(context); }
  Task<CallResult<KubeResource>> find_kind(Context context, KubeKind kind) override {
    return to_.find_kind(context, std::move(kind));
  }
  Task<CallResult<KubeObject>> get(Context context, KubeRef ref) override {
    return to_.get(context, std::move(ref));
  }
  Task<CallResult<KubeList>> list(Context context, KubeQuery query) override {
    return to_.list(context, std::move(query));
  }
  Task<CallResult<std::unique_ptr<KubeStream>>> watch(Context context, KubeQuery query,
                                                      std::string version) override {
    return to_.watch(context, std::move(query), std::move(version));
  }
  Task<CallResult<KubeObject>> apply(Context context, const KubeObject& object,
                                     KubeApply options) override {
    return to_.apply(context, object, options);
  }
  Task<CallResult<void>> remove(Context context, KubeRef ref, std::string uid) override {
    return to_.remove(context, std::move(ref), std::move(uid));
  }
  Task<CallResult<void>> evict(Context context, KubeRef pod, std::string uid) override {
    return to_.evict(context, std::move(pod), std::move(uid));
  }
  Task<CallResult<void>> approve_csr(Context context, KubeObject csr, std::string reason) override {
    return to_.approve_csr(context, std::move(csr), std::move(reason));
  }

 private:
  KubeClient& to_;
};

/// Machines in maintenance mode and a Kubernetes cluster, and nothing else.
class FakeNetwork : public ClusterAccess, private WebClient {
 public:
  explicit FakeNetwork(sim::VirtualClock& clock) : cluster_(clock) {}
  Result<std::unique_ptr<ClusterApis>> reach(Access access) override {
    reached = std::move(access);
    return std::make_unique<Way>(machines);
  }
  Result<std::unique_ptr<KubeClient>> open_kube(
      const SecretString& kubeconfig, std::function<IpAddress(const IpAddress&)>) override {
    if (kubeconfig.empty()) return fail(Errc::invalid, "kubeconfig: there is no current context");
    return std::make_unique<BorrowedKube>(cluster_);
  }
  Result<std::unique_ptr<Provider>> open_provider(WebServer server) override {
    return fail(Errc::invalid, server.url + ": there is no provider");
  }
  WebClient& web() override { return *this; }
  PortAnswer probe(const IpAddress& address, int, Duration) override {
    if (on_probe) on_probe();
    return taken_addresses.contains(address.value()) ? PortAnswer::accepted : PortAnswer::silent;
  }
  Result<std::string> upload_schematic(const std::string& url, const std::string& text) override {
    if (factory_answer.empty()) return fail(Errc::io, url + ": there is no factory");
    uploaded[url] = text;
    return factory_answer;
  }

  Result<std::unique_ptr<PageServer>> serve_pages(const PagePlace& place,
                                                  PageHandler handler) override {
    served.push_back(place);
    page_handler = std::move(handler);
    if (on_serve) on_serve();
    return std::make_unique<Listener>();
  }

  sim::KubeCluster& kube_cluster() { return cluster_; }

  FakeMachines machines;
  Access reached;  // how, the last time
  std::function<void()> on_probe;
  std::set<std::string> taken_addresses;        // by machines that are none of ours
  std::map<std::string, std::string> uploaded;  // schematics, by the factory's URL
  std::string factory_answer;                   // empty: no answer
  std::vector<PagePlace> served;
  PageHandler page_handler;  // of the last one
  std::function<void()> on_serve;

 private:
  struct Listener final : PageServer {
    std::uint16_t port() const override { return 8470; }
  };

  class Way final : public ClusterApis {
   public:
    explicit Way(FakeMachines& machines) : machines_(machines) {}
    TalosApi& talos() override { return machines_; }
    KubeApi& kube() override { return machines_; }
    Scout& scout() override { return machines_; }

   private:
    FakeMachines& machines_;
  };

  Task<CallResult<WebAnswer>> get(Context, std::string url, const SecretString&) override {
    co_return tl::unexpected(CallError{Call::kube_read, Progress::not_sent, TlsVerdict::fine,
                                       Code::unavailable, url + ": no network"});
  }

  sim::KubeCluster cluster_;
};

/// Its keys are not RSA ones: those take as long here as they do anywhere.
class FakeKeyMaker : public KeyMaker {
 public:
  void begin_rsa_key() override {
    rsa_keys.push_back(pki::PrivateKey::generate(pki::KeyKind::ecdsa_p256).to_pem());
    ++rsa_keys_made;
  }
  SecretString take_rsa_key() override {
    if (rsa_keys.empty()) begin_rsa_key();
    SecretString key = std::move(rsa_keys.front());
    rsa_keys.pop_front();
    return key;
  }

  std::deque<SecretString> rsa_keys;  // that were started and not taken
  int rsa_keys_made{0};
};

struct FakeRandom {
  sim::SeededRandom source{1};
};

/// A computer without disk, network or terminal.
class FakeHost : public FakeFiles,
                 public FakeEnvironment,
                 public FakePrograms,
                 public FakeTerminal,
                 public FakeLoop,
                 public FakeKeyMaker,
                 public FakeStates,
                 public FakeNetwork,
                 private FakeRandom,
                 public Host {
 public:
  FakeHost()
      : FakeStates(virtual_clock()),
        FakeNetwork(virtual_clock()),
        Host{{*this, *this, *this}, *this, *this, source, *this, *this, *this} {}
};

}  // namespace ichor
