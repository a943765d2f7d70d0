#pragma once

#include "port/display.h"
#include "view/fd_writer.h"
#include "view/flat_object.h"

namespace ichor {

/// A record of the journal as programs get it.
nlohmann::ordered_json record_json(const JournalRecord& record);

/// For programs: objects with a "type", the last one the summary. As JSON one object per line, in
/// ASCII; as YAML one document per object, each after a `---`; flat, all of them are one object of
/// texts at the end, without events and records. None carries what a terminal that shows it would
/// obey.
class JsonDisplay final : public Display {
 public:
  enum class Form { json, yaml, flat };

  /// `quiet` leaves the events out. `errors` gets the verdict of a command that failed, and may be
  /// null: OpenTofu shows nothing else of such a program.
  JsonDisplay(FdWriter& out, bool quiet, Form form = Form::json, FdWriter* errors = nullptr)
      : out_(out), errors_(errors), quiet_(quiet || form == Form::flat), form_(form) {}

  void begin(const ClusterProfile& profile) override;
  void emit(const Event& event) override;
  void show(const Listing& listing) override;
  void show(const History& history) override;
  void end(const Summary& summary) override;

 private:
  void put(const nlohmann::ordered_json& line, FdWriter::Keep keep);
  void put_row(const Listing& listing, const nlohmann::ordered_json& row);

  FdWriter& out_;
  FdWriter* errors_;
  bool quiet_;
  Form form_;
  const ClusterProfile* profile_{nullptr};
  MonoTime started_{};
  FlatObject flat_;
};

}  // namespace ichor
