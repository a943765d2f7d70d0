#pragma once

#include "port/display.h"
#include "view/fd_writer.h"

namespace ichor {

/// For programs: one JSON object per line, each with a "type"; the last one is the summary. Only
/// ASCII is written, so a terminal that shows it obeys nothing in it.
class JsonDisplay final : public Display {
 public:
  /// `quiet` leaves the events out.
  JsonDisplay(FdWriter& out, bool quiet) : out_(out), quiet_(quiet) {}

  void begin(const ClusterProfile& profile) override;
  void emit(const Event& event) override;
  void show(const Listing& listing) override;
  void show(const History& history) override;
  void end(const Summary& summary) override;

 private:
  void put(const nlohmann::ordered_json& line, FdWriter::Keep keep);

  FdWriter& out_;
  bool quiet_;
  const ClusterProfile* profile_{nullptr};
  MonoTime started_{};
};

}  // namespace ichor
