#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace ichor::lab {

/// What happens to one call that is still to come.
struct CallFault {
  enum class Kind {
    lose_reply,   // it is carried out, and its connection breaks instead of a reply
    crash_after,  // it is carried out and answered, and then the machine loses power
    unavailable,  // it is not carried out; the answer is Unavailable
    overloaded,   // it is not carried out; the answer is ResourceExhausted
  };
  Kind kind{Kind::lose_reply};
  std::string method;  // of Talos' API: "Bootstrap"; empty: any change

  /// `path` as gRPC has it: "/machine.MachineService/Bootstrap".
  bool means(std::string_view path, bool mutates) const {
    return method.empty() ? mutates : path.ends_with("/" + method);
  }
};

/// What happens to a machine's connections and to what it shows of itself, while it lasts.
struct WireFaults {
  bool refuse{false};
  bool silent{false};
  Duration delay{};             // in real time
  int bytes_per_s{0};           // 0: as fast as it goes
  bool foreign_ca{false};       // apid shows a certificate of an authority that is unknown
  int keys_made{0};             // counts up for a fresh certificate
  bool disk_data{false};        // its first disk seems to hold a file system
  bool two_disks{false};        // it seems to have a second disk like the first
  bool evil_kubeconfig{false};  // the kubeconfig it returns leads elsewhere and runs a program
  std::vector<CallFault> calls;

  /// The first that means this call, taken out of the list; nothing if there is none.
  bool take(std::string_view path, bool mutates, bool before, CallFault& taken) {
    for (auto fault = calls.begin(); fault != calls.end(); ++fault) {
      const bool prevents =
          fault->kind == CallFault::Kind::unavailable || fault->kind == CallFault::Kind::overloaded;
      if (prevents != before || !fault->means(path, mutates)) continue;
      taken = *fault;
      calls.erase(fault);
      return true;
    }
    return false;
  }
};

}  // namespace ichor::lab
