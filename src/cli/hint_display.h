#pragma once

#include "cli/hints.h"
#include "port/display.h"

namespace ichor {

/// Completes every command that is named in what another display shows, so that no command has to
/// think of it: with the flags of this invocation a hint leads to the same cluster or lab. Both
/// arguments must outlive it.
class HintDisplay final : public Display {
 public:
  HintDisplay(Display& inner, const Hints& hints) : inner_(inner), hints_(hints) {}

  void begin(const ClusterProfile& profile) override { inner_.begin(profile); }
  void emit(const Event& event) override;
  void show(const Listing& listing) override;
  void show(const History& history) override { inner_.show(history); }
  void end(const Summary& summary) override;

 private:
  /// A line of Summary::next: a command, perhaps with a reason as a shell's comment, or a sentence.
  std::string next_line(const std::string& line) const;

  Display& inner_;
  const Hints& hints_;
};

}  // namespace ichor
