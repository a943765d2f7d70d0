#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/cluster_profile.h"
#include "model/event.h"

namespace ichor {

/// A run as lines that stay, one for each change that matters to people: where there is no
/// terminal, and above the board on one. Steps that begin and end are not among them, and neither
/// is a wait, unless it lasts. Every line is clean text.
class PlainLog {
 public:
  explicit PlainLog(const ClusterProfile& profile);

  /// The lines of an event; usually none or one.
  std::vector<std::string> fold(const Event& event);

  /// The waits that have lasted a while and were not printed yet. Nodes that wait for the same
  /// stand in one line.
  std::vector<std::string> lasting_waits(MonoTime now);

 private:
  struct Waiting {
    MonoTime since{};
    std::string reason;  // without the name of the node
    bool told{false};
  };

  std::string line(MonoTime at, const std::string& who, const std::string& text) const;

  MonoTime started_{};
  int name_width_{0};
  std::map<NodeName, Stage> stages_;
  std::set<NodeName> configured_;
  std::map<NodeName, Waiting> waits_;
};

}  // namespace ichor
