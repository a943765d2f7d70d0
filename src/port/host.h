#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "async/clock.h"
#include "async/context.h"
#include "async/task.h"
#include "base/result.h"
#include "base/secret.h"
#include "port/artifacts.h"
#include "port/display.h"
#include "port/journal.h"
#include "port/kube_api.h"
#include "port/kube_client.h"
#include "port/process.h"
#include "port/provider.h"
#include "port/random.h"
#include "port/scout.h"
#include "port/talos_api.h"
#include "port/tcp_probe.h"
#include "port/web_api.h"
#include "port/web_client.h"

namespace ichor {

/// A cluster's state folder.
class ClusterState {
 public:
  virtual ~ClusterState() = default;
  virtual const std::string& path() const = 0;
  virtual Artifacts& files() = 0;
  /// Nothing if there is no such file; what cannot be read is an error.
  virtual Result<std::optional<SecretString>> load(const std::string& name) = 0;
  /// Writes a file that must not exist yet; false if it does, and then it is left alone.
  virtual Result<bool> create(const std::string& name, const SecretString& content) = 0;
  virtual Journal& journal() = 0;
  /// Whether the journal was begun on another machine: then it may be outdated, and nothing may be
  /// changed on its word before adopt() says that this machine goes on with it.
  virtual bool copied() = 0;
  virtual Result<void> adopt(const LockOwner& owner) = 0;
};

/// What proves us to a cluster and the cluster to us, and how its addresses are dialled. Without a
/// CA only machines in maintenance mode can be reached.
struct Access {
  std::string ca_pem;
  std::string client_cert_pem;
  SecretString client_key_pem;
  /// From an address of the profile to the one that is dialled; empty: they are the same.
  std::function<IpAddress(const IpAddress&)> dial;
  /// Control planes through which all nodes are reached; empty: each is dialled itself.
  std::vector<IpAddress> endpoints;
};

/// The ways to one cluster.
class ClusterApis {
 public:
  virtual ~ClusterApis() = default;
  virtual TalosApi& talos() = 0;
  virtual KubeApi& kube() = 0;
  virtual Scout& scout() = 0;
};

/// Where a command works: all it needs of the machine it runs on. Made in main.cc; tests have their
/// own.
class Host {
 public:
  virtual ~Host() = default;

  virtual Display& display() = 0;
  /// For data that is text by itself: a script, a trace. Not used together with display(). A file
  /// or a program gets every byte of it; a terminal only what clean_lines() leaves.
  virtual std::ostream& out() = 0;
  /// For what goes wrong with such data; always clean.
  virtual std::ostream& err() = 0;
  /// Seconds since some fixed moment, for figures only.
  virtual double stopwatch() = 0;
  virtual int processor_count() = 0;

  /// How much faster than the world the clock runs; to be said before it is first used.
  virtual void set_time_scale(double scale) = 0;
  virtual Clock& clock() = 0;
  virtual Random& random() = 0;
  virtual LockOwner owner() = 0;
  /// The name of the command that was typed, such as "up", for the journal.
  virtual std::string command() { return {}; }
  /// The path of this program, to be started again.
  virtual Result<std::string> program() = 0;
  /// A new folder of this user's own.
  virtual Result<std::string> make_temp_dir() = 0;
  /// Removes a folder that make_temp_dir() made, with all that is in it.
  virtual void remove_temp_dir(const std::string& path) = 0;
  /// A path that means the same in another working folder.
  virtual std::string absolute(const std::string& path) = 0;

  /// Files that the operator named.
  virtual Result<std::string> read_input(const std::string& path) = 0;
  /// The names in a folder that the operator named, sorted, without those that begin with a dot;
  /// nothing if there is no such folder.
  virtual std::optional<std::vector<std::string>> list_folder(const std::string& path) = 0;
  virtual Result<SecretString> read_secret(const std::string& path) = 0;
  /// A file below a folder; nothing if there is none. Errc::unsafe if a link leads out of it.
  virtual Result<std::optional<std::string>> read_below(const std::string& folder,
                                                        const std::string& name) = 0;
  /// Writes a file whole or not at all, readable by its owner only; what was there is gone.
  virtual Result<void> write_private(const std::string& path, const SecretString& content) = 0;
  /// A variable of the environment; nothing if it is not set.
  virtual std::optional<std::string> environment(const std::string& name) = 0;
  /// Whether there is such a file; what cannot be looked at is not there.
  virtual bool has_file(const std::string& path) = 0;
  /// Runs another program to its end while drive() does not run: no shell, HOME, PATH and
  /// `call.variables` as its whole environment, at most `call.limit`. `call.program` may be a name,
  /// which only absolute entries of PATH lead to. Errc::invalid if there is none.
  virtual Result<ProcessResult> run_program(ProcessCall call) = 0;
  /// Hands a schematic to the image factory at `url`; the ID that the factory gave it.
  virtual Result<std::string> upload_schematic(const std::string& url,
                                               const std::string& schematic) = 0;
  /// Refuses a place at which git would see a secret.
  virtual Result<void> may_export(const std::string& path) = 0;
  /// Writes a secret where the operator wants it, with a backup of what was there.
  virtual Result<void> export_secret(const std::string& path, const SecretString& content) = 0;

  /// Writes a file that only this user may read, made with its folder. What stands there already is
  /// left alone and refused with Errc::invalid, or with `force` kept beside it as a backup.
  virtual Result<void> create_private(const std::string& path, const SecretString& content,
                                      bool force) = 0;

  /// The same for what can be made again at any time: it is not synced, so that a hundred files
  /// cost no hundred waits, and a power cut may take it.
  virtual Result<void> create_reproducible(const std::string& path, const SecretString& content,
                                           bool force) = 0;

  enum class Missing { make, refuse };
  virtual Result<std::unique_ptr<ClusterState>> open_state(const std::string& path,
                                                           Missing missing) = 0;
  virtual Result<std::unique_ptr<ClusterApis>> reach(Access access) = 0;
  /// Whether somebody is at an address. Blocks for `limit` at the most.
  virtual PortAnswer probe(const IpAddress& address, int port, Duration limit) = 0;

  /// The Kubernetes API of a kubeconfig; `dial` as in Access.
  virtual Result<std::unique_ptr<KubeClient>> open_kube(
      const SecretString& kubeconfig, std::function<IpAddress(const IpAddress&)> dial) = 0;
  /// Other programs that run beside us while drive() does.
  virtual Processes& processes() = 0;
  virtual WebClient& web() = 0;
  /// A provider of machines at this address. Errc::invalid for an address or a CA that is none.
  virtual Result<std::unique_ptr<Provider>> open_provider(WebServer server) = 0;

  /// Starts to make an RSA key of 4096 bits beside everything else: it takes seconds.
  virtual void begin_rsa_key() = 0;
  /// The first key that was begun and not taken yet, in PEM form; waits until it is made.
  virtual SecretString take_rsa_key() = 0;

  /// Runs the task to its end. A first signal cancels `scope`, and its number is returned; a second
  /// one ends the process.
  virtual int drive(Task<void> task, CancelScope& scope) = 0;
};

}  // namespace ichor
