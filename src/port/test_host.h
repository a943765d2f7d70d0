#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "journal/memory_journal.h"
#include "port/host.h"
#include "secrets/key.h"
#include "sim/kube/cluster.h"
#include "sim/seeded_random.h"
#include "sim/virtual_clock.h"

namespace ichor {

/// What a command showed, kept for the test to look at.
class KeptDisplay final : public Display {
 public:
  void begin(const ClusterProfile&) override {}
  void emit(const Event& event) override { events.push_back(event); }
  void show(const Listing& listing) override { listings.push_back(listing); }
  void show(const History& history) override { histories.push_back(history); }
  void end(const Summary& last) override {
    check(summaries.empty(), "a command ends once");
    summaries.push_back(last);
  }

  const Summary& summary() const {
    check(!summaries.empty(), "the command said how it ended");
    return summaries.back();
  }
  /// The rows of one type, each reduced to the values of `keys`.
  std::vector<std::string> rows(const std::string& type,
                                const std::vector<std::string>& keys) const {
    std::vector<std::string> found;
    for (const Listing& listing : listings) {
      if (listing.type != type) continue;
      for (const auto& row : listing.rows) {
        std::string text;
        for (const std::string& key : keys) {
          text += (text.empty() ? "" : " ") + row.value(key, std::string());
        }
        found.push_back(std::move(text));
      }
    }
    return found;
  }

  std::deque<Event> events;
  std::vector<Listing> listings;
  std::vector<History> histories;
  std::vector<Summary> summaries;
};

/// A node in maintenance mode that nobody changes: it counts who tries.
class MaintenanceSession final : public TalosSession {
 public:
  MaintenanceSession(std::string mac, int& mutations)
      : mac_(std::move(mac)), mutations_(mutations) {
    peer_.fingerprint = Fingerprint("pin of " + mac_);
  }
  const Peer& peer() const override { return peer_; }
  Task<CallResult<TalosVersion>> version(Context) override { co_return runs; }
  Task<CallResult<MachineStatus>> machine_status(Context) override {
    co_return MachineStatus{Stage::maintenance, true, {}};
  }
  Task<CallResult<Identity>> identity(Context) override {
    Identity identity;
    identity.uuid = MachineUuid("uuid of " + mac_);
    identity.macs = {MacAddress(mac_)};
    co_return identity;
  }
  Task<CallResult<std::vector<Disk>>> disks(Context) override {
    Disk disk;
    disk.id = "sda";
    disk.dev_path = "/dev/sda";
    disk.size_bytes = 64ull << 30;
    disk.serial = "disk of " + mac_;
    disk.transport = "sata";
    disk.has_volumes = disk_has_data;
    co_return std::vector<Disk>{disk};
  }
  Task<CallResult<Hardware>> hardware(Context) override {
    Hardware hardware;
    hardware.memory_bytes = 4ull << 30;
    co_return hardware;
  }
  Task<CallResult<std::vector<std::string>>> dmesg(Context, int) override {
    co_return unserved(Call::dmesg);
  }
  Task<CallResult<std::vector<std::string>>> events(Context, int) override {
    co_return unserved(Call::events);
  }
  Task<CallResult<std::vector<ServiceStatus>>> services(Context) override {
    co_return unserved(Call::services);
  }
  Task<CallResult<bool>> time_synced(Context) override { co_return unserved(Call::time_status); }
  Task<CallResult<std::optional<Digest>>> config_digest(Context) override {
    co_return std::optional<Digest>();
  }
  Task<CallResult<bool>> etcd_has_data(Context) override { co_return unserved(Call::etcd_data); }
  Task<CallResult<std::vector<EtcdMember>>> etcd_members(Context) override {
    co_return unserved(Call::etcd_members);
  }
  Task<CallResult<EtcdStatus>> etcd_status(Context) override {
    co_return unserved(Call::etcd_status);
  }
  Task<CallResult<std::vector<EtcdAlarm>>> etcd_alarms(Context) override {
    co_return unserved(Call::etcd_alarms);
  }
  Task<CallResult<SecretString>> kubeconfig(Context) override {
    co_return unserved(Call::kubeconfig);
  }
  Task<CallResult<std::unique_ptr<Watch>>> watch(Context, Bell&) override {
    co_return unserved(Call::watch);
  }
  Task<Outcome> apply_configuration(Context, ApplyRequest) override {
    ++mutations_;
    co_return Outcome::done();
  }
  Task<Outcome> bootstrap(Context) override {
    ++mutations_;
    co_return Outcome::done();
  }
  Task<Outcome> reset(Context, ResetRequest) override {
    ++mutations_;
    co_return Outcome::done();
  }

  bool disk_has_data{false};
  TalosVersion runs{1, 12, 6};

 private:
  static tl::unexpected<CallError> unserved(Call call) {
    return tl::unexpected(CallError{call, Progress::answered, TlsVerdict::fine, Code::unimplemented,
                                    "API is not implemented in maintenance mode"});
  }

  std::string mac_;
  int& mutations_;
  Peer peer_;
};

/// Machines by address; where there is none, nobody listens.
class FakeMachines final : public TalosApi, public KubeApi, public Scout {
 public:
  Task<CallResult<std::unique_ptr<TalosSession>>> open(Context, IpAddress address,
                                                       PeerDemand demand) override {
    const auto found = macs.find(address.value());
    if (found == macs.end()) {
      co_return tl::unexpected(CallError{Call::open, Progress::not_sent, TlsVerdict::fine,
                                         Code::unavailable, "connection refused"});
    }
    std::unique_ptr<TalosSession> session =
        std::make_unique<MaintenanceSession>(found->second, mutations);
    static_cast<MaintenanceSession&>(*session).disk_has_data = disks_have_data;
    static_cast<MaintenanceSession&>(*session).runs = run;
    if (!demand.allows(session->peer().fingerprint)) {
      co_return tl::unexpected(CallError{Call::open, Progress::not_sent, TlsVerdict::wrong_pin,
                                         Code::unavailable, "another key was pinned"});
    }
    co_return session;
  }
  Task<CallResult<void>> ready(Context, const SecretString&) override {
    co_return tl::unexpected(CallError{Call::kube_ready, Progress::not_sent, TlsVerdict::fine,
                                       Code::unavailable, "connection refused"});
  }

  Task<Sighting> probe(Context context, IpAddress address, ProbeOptions options) override {
    probed.insert(address.value());
    Sighting seen;
    seen.address = address;
    const auto found = macs.find(address.value());
    const auto other = others.find(address.value());
    if (other != others.end()) seen.kind = other->second;
    if (found == macs.end()) co_return seen;
    MaintenanceSession session(found->second, mutations);
    seen.kind = PeerKind::maintenance;
    const auto key = keys.find(address.value());
    seen.fingerprint = key == keys.end() ? session.peer().fingerprint : Fingerprint(key->second);
    co_await read_machine(context, session, options, seen);
    co_return seen;
  }

  std::map<std::string, std::string> macs;  // by address
  std::map<std::string, PeerKind> others;   // by address: who is no machine of ours
  std::map<std::string, std::string> keys;  // by address, of machines that are clones
  std::set<std::string> probed;
  bool disks_have_data{false};
  TalosVersion run{1, 12, 6};
  int mutations{0};
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
  Task<CallResult<void>> approve_csr(Context context, KubeObject csr, std::string reason) override {
    return to_.approve_csr(context, std::move(csr), std::move(reason));
  }

 private:
  KubeClient& to_;
};

/// A machine on which no other program is installed, and that has no network.
class NothingElse final : public Processes, public WebClient {
 public:
  std::optional<std::string> find(const std::string&) override { return std::nullopt; }
  Task<Result<ProcessResult>> run(Context, ProcessCall call) override {
    co_return fail(Errc::invalid, call.program + ": No such file");
  }
  Task<CallResult<WebAnswer>> get(Context, std::string url, const SecretString&) override {
    co_return tl::unexpected(CallError{Call::kube_read, Progress::not_sent, TlsVerdict::fine,
                                       Code::unavailable, url + ": no network"});
  }
};

/// A machine without disk, network or terminal.
class FakeHost final : public Host {
 public:
  FakeHost() : store_(clock_) {}

  KeptDisplay& display() override { return display_; }
  std::ostream& out() override { return out_; }
  std::ostream& err() override { return err_; }
  double stopwatch() override { return 0; }
  int processor_count() override { return 1; }
  void set_time_scale(double) override {}
  Clock& clock() override { return clock_; }
  Random& random() override { return random_; }
  LockOwner owner() override { return {"00000000000000aa", "desk", "boot", 1}; }
  Result<std::string> program() override { return std::string("/usr/bin/ichor"); }
  Result<std::string> make_temp_dir() override { return std::string("/tmp/lab"); }
  void remove_temp_dir(const std::string&) override {}
  std::string absolute(const std::string& path) override { return path; }

  Result<std::string> read_input(const std::string& path) override {
    const auto found = inputs.find(path);
    if (found == inputs.end()) return fail(Errc::invalid, path + ": No such file");
    return found->second;
  }
  Result<SecretString> read_secret(const std::string& path) override {
    auto text = read_input(path);
    if (!text) return forward_error(text);
    return SecretString(*std::move(text));
  }
  Result<std::optional<std::string>> read_below(const std::string& folder,
                                                const std::string& name) override {
    const auto found = inputs.find(folder == "." ? name : folder + "/" + name);
    if (found == inputs.end()) return std::optional<std::string>();
    return std::optional<std::string>(found->second);
  }
  std::optional<std::vector<std::string>> list_folder(const std::string& path) override {
    std::set<std::string> names;
    const std::string start = path + "/";
    for (const auto& [file, text] : inputs) {
      if (!file.starts_with(start)) continue;
      const std::string rest = file.substr(start.size());
      names.insert(rest.substr(0, rest.find('/')));
    }
    if (names.empty()) return std::nullopt;
    return std::vector<std::string>(names.begin(), names.end());
  }
  std::optional<std::string> environment(const std::string& name) override {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  }
  bool has_file(const std::string& path) override { return inputs.contains(path); }
  Result<void> write_private(const std::string& path, const SecretString& content) override {
    return export_secret(path, content);
  }
  Result<void> create_private(const std::string& path, const SecretString& content,
                              bool force) override {
    if (!force && exported.contains(path)) return fail(Errc::invalid, path + " already exists");
    return export_secret(path, content);
  }
  Result<void> create_reproducible(const std::string& path, const SecretString& content,
                                   bool force) override {
    return create_private(path, content, force);
  }
  Result<ProcessResult> run_program(ProcessCall call) override {
    if (!other_program) return fail(Errc::invalid, "there is no other program here");
    return other_program(call);
  }
  Result<std::string> upload_schematic(const std::string& url, const std::string& text) override {
    if (factory_answer.empty()) return fail(Errc::io, url + ": there is no factory");
    uploaded[url] = text;
    return factory_answer;
  }
  Result<void> may_export(const std::string& path) override {
    if (seen_by_git.contains(path)) return fail(Errc::unsafe, path + " is seen by git");
    return {};
  }
  Result<void> export_secret(const std::string& path, const SecretString& content) override {
    exported[path] = std::string(content.reveal());
    return {};
  }

  Result<std::unique_ptr<ClusterState>> open_state(const std::string& path,
                                                   Missing missing) override {
    if (!state_made && missing == Missing::refuse) return fail(Errc::invalid, path + " is missing");
    state_made = true;
    return std::make_unique<State>(*this, path);
  }
  Result<std::unique_ptr<ClusterApis>> reach(Access access) override {
    reached = std::move(access);
    return std::make_unique<Way>(machines);
  }

  PortAnswer probe(const IpAddress& address, int, Duration) override {
    if (on_probe) on_probe();
    return taken_addresses.contains(address.value()) ? PortAnswer::accepted : PortAnswer::silent;
  }
  Result<std::unique_ptr<KubeClient>> open_kube(
      const SecretString& kubeconfig, std::function<IpAddress(const IpAddress&)>) override {
    if (kubeconfig.empty()) return fail(Errc::invalid, "kubeconfig: there is no current context");
    return std::make_unique<BorrowedKube>(cluster_);
  }
  Processes& processes() override { return nothing_else_; }
  WebClient& web() override { return nothing_else_; }
  Result<std::unique_ptr<Provider>> open_provider(WebServer server) override {
    return fail(Errc::invalid, server.url + ": there is no provider");
  }

  /// Not an RSA one: that takes as long here as it does anywhere.
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

  int drive(Task<void> task, CancelScope& scope) override {
    task.start();
    if (signal != 0) scope.cancel();
    while (!task.done() && clock_.step()) {
    }
    check(task.done(), "the task ends");
    return signal;
  }

  std::map<std::string, std::string> variables;  // of the environment
  /// The only other program; none if it is empty.
  std::function<Result<ProcessResult>(const ProcessCall&)> other_program;
  std::map<std::string, std::string> inputs;    // files of the operator
  std::map<std::string, std::string> files;     // of the state folder
  std::map<std::string, std::string> exported;  // by path
  std::map<std::string, std::string> uploaded;  // schematics, by the factory's URL
  std::string factory_answer;                   // empty: nobody answers
  Access reached;                               // how, the last time
  std::set<std::string> seen_by_git;
  std::function<void()> on_probe;
  std::set<std::string> taken_addresses;  // by machines that are none of ours
  bool state_made{false};
  bool copied{false};
  int signal{0};
  std::deque<SecretString> rsa_keys;  // that were begun and not taken
  int rsa_keys_made{0};
  FakeMachines machines;

  sim::VirtualClock& virtual_clock() { return clock_; }
  MemoryStore& store() { return store_; }
  sim::KubeCluster& kube_cluster() { return cluster_; }
  const std::string printed() const { return out_.str(); }

 private:
  class State final : public ClusterState, public Artifacts {
   public:
    State(FakeHost& host, std::string path)
        : host_(host), path_(std::move(path)), journal_(host.store_) {}
    const std::string& path() const override { return path_; }
    Artifacts& files() override { return *this; }
    Result<std::optional<SecretString>> load(const std::string& name) override {
      return read(name);
    }
    Result<bool> create(const std::string& name, const SecretString& content) override {
      return host_.files.emplace(name, std::string(content.reveal())).second;
    }
    Journal& journal() override { return journal_; }
    bool copied() override { return host_.copied; }
    Result<void> adopt(const LockOwner&) override {
      host_.copied = false;
      return {};
    }
    Result<void> write(const std::string& name, const SecretString& content) override {
      host_.files[name] = std::string(content.reveal());
      return {};
    }
    std::optional<SecretString> read(const std::string& name) override {
      const auto found = host_.files.find(name);
      if (found == host_.files.end()) return std::nullopt;
      return SecretString(found->second);
    }

   private:
    FakeHost& host_;
    std::string path_;
    MemoryJournal journal_;
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

  sim::VirtualClock clock_;
  sim::SeededRandom random_{1};
  MemoryStore store_;
  sim::KubeCluster cluster_{clock_};
  NothingElse nothing_else_;
  KeptDisplay display_;
  std::ostringstream out_;
  std::ostringstream err_;
};

}  // namespace ichor
