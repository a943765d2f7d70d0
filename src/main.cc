#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fmt/format.h>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "async/at_once.h"
#include "base/check.h"
#include "cli/command_line.h"
#include "cli/hint_display.h"
#include "command/commands.h"
#include "journal/sqlite_journal.h"
#include "kube/https_kube_api.h"
#include "kube/https_kube_client.h"
#include "machineconfig/canonical.h"
#include "os/child.h"
#include "os/file_artifacts.h"
#include "os/loop_clock.h"
#include "os/loop_processes.h"
#include "os/machine_files.h"
#include "os/process.h"
#include "os/side_job.h"
#include "os/signals.h"
#include "os/system_random.h"
#include "os/tcp_probe.h"
#include "os/terminal.h"
#include "proxmox/proxmox_provider.h"
#include "secrets/key.h"
#include "talos/grpc_talos_api.h"
#include "view/clean_stream.h"
#include "view/fd_writer.h"
#include "view/json_display.h"
#include "view/text_display.h"
#include "web/https_web_api.h"
#include "web/https_web_client.h"
#include "web/page_listener.h"
#include "web/upload.h"

namespace ichor {

namespace {

constexpr Duration kUploadLimit = std::chrono::seconds(30);

class MachineState final : public ClusterState {
 public:
  MachineState(std::unique_ptr<FileArtifacts> files, std::unique_ptr<SqliteJournal> journal)
      : files_(std::move(files)), journal_(std::move(journal)) {}

  const std::string& path() const override { return files_->path(); }
  Artifacts& files() override { return *files_; }
  Result<std::optional<SecretString>> load(const std::string& name) override {
    return files_->load(name);
  }
  Result<bool> create(const std::string& name, const SecretString& content) override {
    return files_->create(name, content);
  }
  Journal& journal() override { return *journal_; }
  bool copied() override { return journal_->copied(); }
  Result<void> adopt(const LockOwner& owner) override {
    auto locked = at_once(journal_->lock({}, owner));
    if (!locked) return forward_error(locked);
    auto adopted = journal_->adopt();
    journal_->unlock();
    return adopted;
  }

 private:
  std::unique_ptr<FileArtifacts> files_;
  std::unique_ptr<SqliteJournal> journal_;
};

class MachineApis final : public ClusterApis {
 public:
  MachineApis(std::unique_ptr<GrpcTalosApi> talos, std::unique_ptr<KubeApi> kube)
      : talos_(std::move(talos)), kube_(std::move(kube)) {}
  TalosApi& talos() override { return *talos_; }
  KubeApi& kube() override { return *kube_; }
  Scout& scout() override { return *talos_; }

 private:
  std::unique_ptr<GrpcTalosApi> talos_;
  std::unique_ptr<KubeApi> kube_;
};

/// The loop and its clock, made when they are first used: most commands need neither.
class MachineLoop final : public EventLoop {
 public:
  void set_time_scale(double scale) override {
    check(!loop_, "the clock does not run yet");
    time_scale_ = scale;
  }
  Clock& clock() override { return loop(); }
  int drive(Task<void> task, CancelScope& scope) override;

  LoopClock& loop() {
    if (!loop_) loop_ = std::make_unique<LoopClock>(time_scale_);
    return *loop_;
  }
  double time_scale() const { return time_scale_; }

 private:
  double time_scale_{1.0};
  std::unique_ptr<LoopClock> loop_;
};

class MachineEnvironment final : public Environment {
 public:
  MachineEnvironment(const CommonOptions& common, MachineLoop& loop, Random& random)
      : common_(common), loop_(loop), random_(random) {}

  std::optional<std::string> variable(const std::string& name) override {
    const char* value = std::getenv(name.c_str());
    return value ? std::optional<std::string>(value) : std::nullopt;
  }
  std::string command() override { return common_.command; }
  Result<std::string> program() override { return program_path(); }
  LockOwner owner() override { return process_owner(random_); }
  int processor_count() override {
    return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  }
  double stopwatch() override {
    return std::chrono::duration<double>(loop_.clock().now().time_since_epoch()).count();
  }

 private:
  const CommonOptions& common_;
  MachineLoop& loop_;
  Random& random_;
};

class MachinePrograms final : public Programs {
 public:
  MachinePrograms(MachineLoop& loop, Environment& environment)
      : loop_(loop), environment_(environment) {}

  Result<ProcessResult> run_program(ProcessCall call) override {
    return run_child(std::move(call), {path(), home()});
  }
  Processes& processes() override {
    if (!processes_) {
      processes_ = std::make_unique<LoopProcesses>(loop_.loop(), path(), home());
    }
    return *processes_;
  }

 private:
  std::string path() { return environment_.variable("PATH").value_or(""); }
  std::string home() { return environment_.variable("HOME").value_or("/"); }

  MachineLoop& loop_;
  Environment& environment_;
  std::unique_ptr<LoopProcesses> processes_;
};

class MachineTerminal final : public Terminal {
 public:
  MachineTerminal(const CommonOptions& common, const Hints& hints, MachineLoop& loop,
                  Environment& environment)
      : common_(common), hints_(hints), loop_(loop), environment_(environment) {
    // Files and programs get the bytes; a terminal would obey them.
    if (::isatty(STDOUT_FILENO) == 1) clean_out_.emplace(std::cout);
  }

  Display& display() override {
    if (!display_) {
      display_ = make_display();
      hinting_.emplace(*display_, hints_);
    }
    return *hinting_;
  }
  std::ostream& out() override { return clean_out_ ? *clean_out_ : std::cout; }
  std::ostream& err() override { return clean_err_; }

  /// The exit code after all that was said has arrived: data that could not be written is a
  /// failure, a reader that is gone is not.
  int leave(Exit exit);

 private:
  std::unique_ptr<Display> make_display();

  const CommonOptions& common_;
  const Hints& hints_;
  MachineLoop& loop_;
  Environment& environment_;
  std::optional<CleanStream> clean_out_;
  CleanStream clean_err_{std::cerr};
  std::unique_ptr<FdWriter> out_, err_;
  std::unique_ptr<Display> display_;
  std::optional<HintDisplay> hinting_;  // around it
};

class MachineStates final : public ClusterStates {
 public:
  MachineStates(MachineLoop& loop, Random& random) : loop_(loop), random_(random) {}
  Result<std::unique_ptr<ClusterState>> open_state(const std::string& path,
                                                   Missing missing) override;

 private:
  MachineLoop& loop_;
  Random& random_;
};

class MachineNetwork final : public ClusterAccess {
 public:
  explicit MachineNetwork(MachineLoop& loop) : loop_(loop) {}

  Result<std::unique_ptr<ClusterApis>> reach(Access access) override;
  Result<std::unique_ptr<KubeClient>> open_kube(
      const SecretString& kubeconfig, std::function<IpAddress(const IpAddress&)> dial) override {
    return HttpsKubeClient::make(loop_.loop().io(), kubeconfig, std::move(dial));
  }
  Result<std::unique_ptr<Provider>> open_provider(WebServer server) override;
  WebClient& web() override {
    if (!web_) web_ = std::make_unique<HttpsWebClient>(loop_.loop().io());
    return *web_;
  }
  PortAnswer probe(const IpAddress& address, int port, Duration limit) override {
    return probe_tcp(address, port, limit);
  }
  Result<std::string> upload_schematic(const std::string& url,
                                       const std::string& schematic) override {
    return ichor::upload_schematic(url, schematic, kUploadLimit);
  }
  Result<std::unique_ptr<PageServer>> serve_pages(const PagePlace& place,
                                                  PageHandler handler) override {
    return PageListener::open(loop_.loop().io(), place, std::move(handler));
  }

 private:
  MachineLoop& loop_;
  std::unique_ptr<HttpsWebClient> web_;
};

class MachineKeyMaker final : public KeyMaker {
 public:
  void begin_rsa_key() override { keys_.emplace_back(&pki::PrivateKey::generate_rsa); }
  SecretString take_rsa_key() override;

 private:
  std::deque<SideJob<std::optional<pki::PrivateKey>>> keys_;
};

/// The machine this process runs on.
class MachineHost {
 public:
  explicit MachineHost(const CommonOptions& common, Hints hints = {})
      : hints_(std::move(hints)),
        environment_(common, loop_, random_),
        terminal_(common, hints_, loop_, environment_) {}

  Host& host() { return host_; }
  int leave(Exit exit) { return terminal_.leave(exit); }

 private:
  Hints hints_;
  SystemRandom random_;
  MachineLoop loop_;
  MachineEnvironment environment_;
  MachineFiles files_{[this](const std::string& folder) { hints_.set_lab(folder); }};
  MachinePrograms programs_{loop_, environment_};
  MachineTerminal terminal_;
  MachineKeyMaker keys_;
  MachineStates states_{loop_, random_};
  MachineNetwork network_{loop_};
  Host host_{
      {files_, environment_, programs_}, terminal_, loop_, random_, keys_, states_, network_};
};

std::unique_ptr<Display> MachineTerminal::make_display() {
  out_ = std::make_unique<FdWriter>(STDOUT_FILENO);
  if (for_programs(common_.output)) {
    auto form = JsonDisplay::Form::json;
    if (common_.output == OutputFormat::yaml) form = JsonDisplay::Form::yaml;
    if (common_.output == OutputFormat::flat) form = JsonDisplay::Form::flat;
    if (form == JsonDisplay::Form::flat) err_ = std::make_unique<FdWriter>(STDERR_FILENO);
    return std::make_unique<JsonDisplay>(*out_, common_.quiet, form, err_.get());
  }
  err_ = std::make_unique<FdWriter>(STDERR_FILENO);
  TextDisplay::Options options;
  options.quiet = common_.quiet;
  options.wide = common_.output == OutputFormat::wide;
  options.github = environment_.variable("GITHUB_ACTIONS") == "true";
  // The eye does not see faster because the clock runs faster.
  options.tick = std::chrono::duration_cast<Duration>(options.tick * loop_.time_scale());
  if (terminal_size(STDERR_FILENO)) {
    options.canvas = [color = wants_color()] {
      const TerminalSize size = terminal_size(STDERR_FILENO).value_or(TerminalSize{});
      return Canvas{size.columns, size.rows, color};
    };
  }
  return std::make_unique<TextDisplay>(loop_.loop(), *out_, *err_, std::move(options));
}

Result<std::unique_ptr<ClusterState>> MachineStates::open_state(const std::string& path,
                                                                Missing missing) {
  const bool make = missing == Missing::make;
  auto files = make ? FileArtifacts::make(path) : FileArtifacts::open(path);
  if (!files) return forward_error(files);
  SqliteOptions options;
  options.folder = path;
  options.journal_id = random_id(random_);
  options.machine = machine_mark();
  options.create = make;
  options.time_scale = loop_.time_scale();
  auto journal = at_once(SqliteJournal::open(
      options, [&loop = loop_.loop()](std::function<void()> work) { loop.post(std::move(work)); }));
  if (!journal) return forward_error(journal);
  return std::make_unique<MachineState>(*std::move(files), *std::move(journal));
}

Result<std::unique_ptr<ClusterApis>> MachineNetwork::reach(Access access) {
  GrpcTalosApi::Options options;
  if (!access.ca_pem.empty()) {
    options.credentials =
        TalosCredentials{access.ca_pem, access.client_cert_pem, access.client_key_pem};
  }
  if (access.dial) {
    options.route = [dial = access.dial](const IpAddress& address) {
      return direct_route(dial(address));
    };
  }
  options.endpoints = access.endpoints;
  // A config that cannot be read has the digest of no config, so it differs from every one of ours.
  options.canonical_digest = [](std::string_view text) {
    return canonical_digest(text).value_or(Digest{});
  };
  options.io = &loop_.loop().io();
  auto talos = GrpcTalosApi::make(std::move(options));
  if (!talos) return forward_error(talos);
  auto kube = std::make_unique<HttpsKubeApi>(loop_.loop().io(), std::move(access.dial));
  return std::make_unique<MachineApis>(*std::move(talos), std::move(kube));
}

Result<std::unique_ptr<Provider>> MachineNetwork::open_provider(WebServer server) {
  server.scheme = std::string(kProxmoxScheme);
  std::string user = user_of_token(server.token);
  auto web = HttpsWebApi::make(loop_.loop().io(), std::move(server));
  if (!web) return forward_error(web);
  return std::make_unique<ProxmoxProvider>(*std::move(web), std::move(user));
}

SecretString MachineKeyMaker::take_rsa_key() {
  if (keys_.empty()) begin_rsa_key();
  const auto key = keys_.front().take();
  keys_.pop_front();
  check(key.has_value(), "no key is given up that is waited for");
  return key->to_pem();
}

int MachineLoop::drive(Task<void> task, CancelScope& scope) {
  int signal = 0;
  const StopSignals signals(loop(), [&](int number) {
    signal = number;
    scope.cancel();
  });
  const auto to_the_end = [](Task<void> work, LoopClock& loop) -> Task<void> {
    co_await std::move(work);
    loop.stop();
  };
  Task<void> root = to_the_end(std::move(task), loop());
  loop().post([&root] { root.start(); });
  loop().run();
  return signal;
}

int MachineTerminal::leave(Exit exit) {
  int code = static_cast<int>(exit);
  int trouble = out().flush() && std::cout.flush() ? 0 : errno;
  if (out_) {
    const bool in_a_hurry = exit == Exit::interrupted || exit == Exit::terminated;
    // A pager may take its time, but not from a user who wants to leave.
    const bool written = out_->drain(in_a_hurry ? std::chrono::seconds(2) : std::chrono::hours(24));
    if (!written) _exit(code);
    trouble = out_->trouble();
  }
  if (trouble != 0 && trouble != EPIPE) {
    std::cerr << fmt::format("ichor: standard output: {}\n", std::strerror(trouble));
    code = std::max(code, static_cast<int>(Exit::failed));
  }
  return code;
}

int refuse(const Misuse& misuse) {
  if (!for_programs(misuse.output)) {
    CleanStream(std::cerr) << fmt::format("ichor: {}\n", misuse.message);
    return static_cast<int>(Exit::usage);
  }
  CommonOptions common;
  common.output = misuse.output;
  MachineHost machine(common);
  Summary summary;
  summary.result.exit = Exit::usage;
  summary.result.verdict = misuse.message;
  machine.host().terminal.display().end(summary);
  return machine.leave(Exit::usage);
}

int run_main(const std::vector<std::string>& words) {
  harden_process();
  const CommandLine line = parse_command_line(words);
  if (const Misuse* misuse = std::get_if<Misuse>(&line)) return refuse(*misuse);
  const Invocation* invocation = std::get_if<Invocation>(&line);
  const CommonOptions common = invocation ? invocation->common : CommonOptions{};
  MachineHost machine(common, invocation ? invocation->hints : Hints{});
  if (invocation) return machine.leave(run_command(*invocation, machine.host()));
  machine.host().terminal.out() << std::get<HelpWanted>(line).text;
  return machine.leave(Exit::done);
}

}  // namespace

}  // namespace ichor

int main(int argc, char** argv) { return ichor::run_main({argv + std::min(argc, 1), argv + argc}); }
