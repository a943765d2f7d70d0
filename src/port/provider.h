#pragma once

#include <string>
#include <vector>

#include "async/context.h"
#include "async/task.h"
#include "base/result.h"
#include "model/call.h"
#include "model/machine_spec.h"

namespace ichor {

/// A call to the provider that did not succeed: what it was, how far it came, and the provider's
/// words. Who reacts looks at `kind` and `progress`, never at the text.
struct ProviderError {
  enum class Kind {
    unreachable,   // there is no answer, or the connection broke
    untrusted,     // the certificate is not of the CA, or not the pinned one
    expired,       // the certificate is expired or not yet valid
    unauthorized,  // the token is not known, wrong or expired
    forbidden,     // the token lacks a privilege
    missing,       // there is no such machine, storage or task
    exists,        // the number is taken
    locked,        // another task works on the machine
    exhausted,     // quota, memory or storage
    refused,       // anything else that the provider said no to
    called_off,    // by ourselves
  };
  Kind kind{Kind::refused};
  Progress progress{Progress::not_sent};
  std::string call;  // "POST /nodes/pve1/qemu"
  std::string text;
};

/// "POST /nodes/pve1/qemu: VM 101 already exists".
inline std::string to_text(const ProviderError& error) { return error.call + ": " + error.text; }

template <class T>
using ProviderResult = tl::expected<T, ProviderError>;

/// No call takes longer, connection and handshake included.
inline constexpr Duration kProviderCallLimit = std::chrono::seconds(30);

/// Makes machines. Every mutation gives the task that carries it out; that the call succeeded says
/// only that the task exists. A mutation is never sent twice by the adapter: where the answer was
/// lost (Progress::sent), the caller looks.
class Provider {
 public:
  virtual ~Provider() = default;

  virtual Task<ProviderResult<ProviderVersion>> version(Context context) = 0;
  /// What the token may do on this path, e.g. "/vms/101". Empty: nothing, or it is not known there.
  virtual Task<ProviderResult<Privileges>> privileges(Context context, std::string path) = 0;
  /// All privileges that this release has, whoever may have them: what it does not know it does not
  /// ask for either.
  virtual Task<ProviderResult<Privileges>> known_privileges(Context context) = 0;
  /// All machines that the token may see, without their configs. Whether one runs may be some
  /// seconds old.
  virtual Task<ProviderResult<std::vector<VmSeen>>> machines(Context context) = 0;
  /// One machine as it is now, without its config. Kind::missing if there is no such machine.
  virtual Task<ProviderResult<VmSeen>> machine(Context context, VmPlace place) = 0;
  /// Kind::missing if there is no such machine.
  virtual Task<ProviderResult<VmConfig>> config(Context context, VmPlace place) = 0;
  /// The volumes of a storage: "local:iso/talos.iso".
  virtual Task<ProviderResult<std::vector<std::string>>> volumes(Context context, std::string host,
                                                                 std::string storage) = 0;
  /// The tasks of a machine that the token may see, newest first.
  virtual Task<ProviderResult<std::vector<ProviderTask>>> tasks(Context context, VmPlace place) = 0;
  virtual Task<ProviderResult<ProviderTask>> task(Context context, ProviderTaskId id) = 0;
  /// The last lines of a task's log, for people.
  virtual Task<ProviderResult<std::vector<std::string>>> task_log(Context context,
                                                                  ProviderTaskId id) = 0;
  /// Addresses that the guest agent tells. Empty where there is none, or it may not be asked: never
  /// the only thing that is waited for.
  virtual Task<ProviderResult<std::vector<IpAddress>>> guest_addresses(Context context,
                                                                       VmPlace place) = 0;

  virtual Task<ProviderResult<ProviderTaskId>> create(Context context, VmSpec spec) = 0;
  virtual Task<ProviderResult<ProviderTaskId>> start(Context context, VmPlace place) = 0;
  virtual Task<ProviderResult<ProviderTaskId>> stop(Context context, VmPlace place) = 0;
  virtual Task<ProviderResult<ProviderTaskId>> destroy(Context context, VmPlace place) = 0;
};

}  // namespace ichor
