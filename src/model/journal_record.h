#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/call.h"
#include "model/ids.h"
#include "model/outcome.h"

namespace ichor {

/// What a journal row says. The numbers are stored: never reuse one.
enum class RecordKind : int {
  run_started = 1,       // key: the cluster's name; value: plan digest as hex, zero without nodes
  secrets_fixed = 2,     // value: fingerprint of the secrets bundle, before the first send
  identity_bound = 3,    // node; value: identity as text, see model/journal_facts.h
  bootstrap_target = 4,  // node; value: identity of the machine, before the first Bootstrap
  intent = 5,            // node, call; value: digest of what will be sent
  outcome = 6,           // node, call, ref = seq of the intent, outcome; value: error text
  observed = 7,          // node; a fact that later steps rest on: key and value
  run_ended = 8,         // value: verdict
  node_excluded = 9,     // node; by the operator's word
  contract_fixed = 10,   // value: "1.12", by which configs are generated, before the first send
};

std::string_view name_of(RecordKind kind);

/// One row. Flat on purpose: it is a table row in SQLite and a struct in memory, with nothing to
/// parse in between. No secrets: digests and names only.
struct JournalRecord {
  std::uint64_t seq{0};  // given by the journal, gapless from 1
  RecordKind kind{RecordKind::observed};
  RunId run;
  NodeName node;
  Call call{Call::open};
  std::uint64_t ref{0};
  OutcomeKind outcome{OutcomeKind::unknown};
  std::string key;
  std::string value;
  std::int64_t wall_ms{0};  // for people; order is `seq`
};

}  // namespace ichor
