#include "view/json_display.h"

#include <algorithm>

#include "base/clean_text.h"
#include "base/redact.h"
#include "view/summary_text.h"
#include "yaml/json_node.h"

namespace ichor {

namespace {

using Json = nlohmann::ordered_json;

/// Whole milliseconds: more digits would only be noise.
double seconds(Duration time) {
  return static_cast<double>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count()) /
         1000.0;
}

Json event_json(const Event& event, MonoTime started) {
  Json line;
  line["type"] = name_of(event.kind);
  line["at"] = seconds(event.at - started);
  if (!event.node.value().empty()) line["node"] = event.node.value();
  if (!event.phase.empty()) line["phase"] = event.phase;
  if (event.stage != Stage::unknown) line["stage"] = name_of(event.stage);
  if (event.attempt > 0) line["attempt"] = event.attempt;
  if (!event.text.empty()) line["text"] = redact_urls(event.text);
  return line;
}

Json finding_json(const Finding& finding) {
  Json line;
  line["type"] = "finding";
  line["severity"] = name_of(finding.severity);
  line["id"] = finding.id;
  if (!finding.node.value().empty()) line["node"] = finding.node.value();
  line["where"] = finding.where;
  line["what"] = redact_urls(finding.what);
  line["fix"] = redact_urls(finding.fix);
  if (!finding.why.empty()) line["why"] = finding.why;
  if (!finding.page.empty()) line["page"] = finding.page;
  return line;
}

Json node_json(const NodeResult& node, const ClusterProfile* profile) {
  const NodePlan* plan = profile ? profile->find(node.node) : nullptr;
  Json json;
  json["ok"] = node.end == StepEnd::passed;
  json["stage"] = name_of(node.stage);
  json["result"] = name_of(node.end);
  json["phase"] = node.phase;
  json["retries"] = node.retries;
  if (plan) json["role"] = name_of(plan->role);
  if (plan) json["address"] = plan->address.value();
  if (!node.reason.empty()) json["reason"] = redact_urls(node.reason);
  return json;
}

auto count(const RunResult& result, Severity severity) {
  return std::count_if(result.findings.begin(), result.findings.end(),
                       [&](const Finding& finding) { return finding.severity == severity; });
}

}  // namespace

Json record_json(const JournalRecord& record) {
  Json line;
  line["type"] = "record";
  line["seq"] = record.seq;
  line["kind"] = name_of(record.kind);
  line["run"] = record.run.value();
  line["wall_ms"] = record.wall_ms;
  if (!record.node.value().empty()) line["node"] = record.node.value();
  const bool is_call = record.kind == RecordKind::intent || record.kind == RecordKind::outcome;
  if (is_call) line["call"] = name_of(record.call);
  if (record.kind == RecordKind::outcome) {
    line["ref"] = record.ref;
    line["outcome"] = name_of(record.outcome);
  }
  if (!record.key.empty()) line["key"] = record.key;
  if (!record.value.empty()) line["value"] = redact_urls(record.value);
  return line;
}

void JsonDisplay::put(const Json& line, FdWriter::Keep keep) {
  if (form_ == Form::yaml) {
    out_.write(yaml::document_of(line), keep);
  } else {
    out_.write(line.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n", keep);
  }
}

void JsonDisplay::begin(const ClusterProfile& profile) { profile_ = &profile; }

void JsonDisplay::emit(const Event& event) {
  if (event.kind == EventKind::run_started) started_ = event.at;
  if (quiet_) return;
  put(event_json(event, started_), FdWriter::Keep::if_room);
}

void JsonDisplay::put_row(const Listing& listing, const Json& row) {
  if (form_ == Form::flat) {
    // The first column says what a row is about.
    const std::string key = listing.columns.empty() ? "" : listing.columns.front().key;
    const Json name = row.value(key, Json());
    flat_.add(name.is_string() ? listing.type + "." + name.get<std::string>() : listing.type, row);
    return;
  }
  Json line;
  line["type"] = listing.type;
  line.update(row);
  put(line, FdWriter::Keep::always);
}

void JsonDisplay::show(const Listing& listing) {
  for (const Json& row : listing.rows) put_row(listing, row);
}

void JsonDisplay::show(const History& history) {
  if (form_ == Form::flat) return;
  for (const JournalRecord& record : history.records) {
    put(record_json(record), FdWriter::Keep::always);
  }
}

void JsonDisplay::end(const Summary& summary) {
  const RunResult& result = summary.result;
  Json findings = Json::array();
  for (const Finding& finding : result.findings) findings.push_back(finding_json(finding));
  if (form_ == Form::flat) {
    flat_.add("finding", findings);
  } else {
    for (const Json& finding : findings) put(finding, FdWriter::Keep::always);
  }
  Json line;
  line["type"] = "summary";
  line["ok"] = result.exit == Exit::done;
  line["exit"] = static_cast<int>(result.exit);
  line["mutations"] = result.mutations;
  line["nodes"] = Json::object();
  for (const NodeResult& node : result.nodes) {
    line["nodes"][node.node.value()] = node_json(node, profile_);
  }
  line["seconds"] = seconds(result.elapsed);
  if (!summary.cluster.empty()) line["cluster"] = summary.cluster;
  if (summary.planned) line["planned"] = *summary.planned;
  line["verdict"] = redact_urls(result.verdict);
  line["errors"] = count(result, Severity::error);
  line["warnings"] = count(result, Severity::warning);
  for (const auto& [what, where] : summary.written) line["written"][what] = where;
  line.update(summary.figures);
  if (!summary.next.empty()) line["next"] = summary.next;
  if (out_.dropped() > 0) line["dropped"] = out_.dropped();
  if (form_ == Form::flat) {
    flat_.add("", line);
    out_.write(flat_.line(), FdWriter::Keep::always);
    if (errors_ && result.exit != Exit::done) {
      errors_->write(clean_text(redact_urls(result.verdict), result.verdict.size()) + "\n",
                     FdWriter::Keep::always);
    }
  } else {
    put(line, FdWriter::Keep::always);
  }
}

}  // namespace ichor
