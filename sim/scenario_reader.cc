#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "profile/mapping_reader.h"
#include "sim/campaign.h"
#include "sim/scenario.h"
#include "yaml/document.h"

namespace ichor::sim {

namespace {

constexpr std::string_view kDoes[] = {"lose-request", "lose-reply", "break",
                                      "refuse",       "answer",     "handshake"};

/// What can be wrong with the secrets.
constexpr std::array<std::string_view, 2> kSecrets = {"key-of-another", "no-key"};

/// A value that is known by the name that name_of() gives it.
template <class T>
std::optional<T> by_name(std::string_view text, int count) {
  for (int i = 0; i < count; ++i) {
    if (name_of(static_cast<T>(i)) == text) return static_cast<T>(i);
  }
  return std::nullopt;
}

template <class T>
void read_named(MappingReader& reader, std::string_view key, int count, std::string_view meaning,
                std::optional<T>& target) {
  std::string text;
  reader.text(key, text, ichor::Need::optional, meaning, [&](std::string& written) {
    target = by_name<T>(written, count);
    return target.has_value();
  });
}

void read_node(MappingReader& reader, std::string_view key, NodeName& target) {
  std::string text;
  reader.text(key, text);
  target = NodeName(std::move(text));
}

constexpr int kCodes = 17;
constexpr int kStages = 9;
constexpr int kTlsVerdicts = static_cast<int>(TlsVerdict::expired) + 1;

CallRule read_rule(MappingReader reader) {
  CallRule rule;
  if (const auto does = reader.choice("does", {std::begin(kDoes), std::end(kDoes)})) {
    rule.does = static_cast<CallRule::Does>(*does);
  }
  read_named(reader, "call", kCallCount, "the name of a call, such as Bootstrap", rule.call);
  read_node(reader, "node", rule.node);
  std::optional<Code> code;
  read_named(reader, "code", kCodes, "a code of gRPC, such as Unavailable", code);
  rule.code = code.value_or(rule.code);
  std::optional<TlsVerdict> tls;
  read_named(reader, "tls", kTlsVerdicts, "what a handshake tells", tls);
  rule.tls = tls.value_or(rule.tls);
  reader.text("text", rule.text);
  rule.times = reader.whole("times", 1, 1000).value_or(0);
  reader.duration("from", rule.from);
  reader.duration("lasts", rule.lasts);
  reader.finish();
  return rule;
}

Happening read_happening(MappingReader reader) {
  Happening event;
  Duration at{};
  reader.duration("at", at);
  if (reader.has("at")) event.at = at;
  read_named(reader, "call", kCallCount, "the name of a call, such as Bootstrap", event.call);
  read_named(reader, "stage", kStages, "a stage of Talos, such as installing", event.stage);
  reader.duration("after", event.after);
  read_node(reader, "node", event.node);
  reader.duration("lasts", event.lasts);
  const std::vector<std::string_view> acts = scenario_acts();
  if (const auto act = reader.choice("do", acts)) event.act = acts[*act];
  const int triggers = (event.at ? 1 : 0) + (event.call ? 1 : 0) + (event.stage ? 1 : 0);
  if (triggers != 1) {
    reader.report("do", "scenario.event", "an event needs one of at, call and stage",
                  "say when it happens");
  }
  reader.finish();
  return event;
}

OddMachine read_machine(MappingReader reader) {
  OddMachine machine;
  read_node(reader, "node", machine.node);
  machine.memory_mib = reader.whole("memory_mib", 1, 1 << 20);
  machine.disk_gib = reader.whole("disk_gib", 1, 1 << 20);
  reader.text("disk", machine.disk);
  reader.flag("volumes", machine.volumes);
  reader.flag("secure_boot", machine.secure_boot);
  reader.flag("learner_forgets", machine.learner_forgets);
  reader.flag("new_key", machine.new_key);
  reader.flag("stages_config", machine.stages_config);
  reader.text("image_on", machine.image_on);
  reader.flag("old_etcd", machine.old_etcd);
  reader.flag("consent", machine.consent);
  read_node(reader, "twin_of", machine.twin_of);
  read_node(reader, "address_of", machine.address_of);
  reader.finish();
  return machine;
}

void read_expectation(MappingReader reader, Expectation& expect) {
  if (const auto end = reader.choice("end", {"ready", "verdict"})) expect.ready = *end == 0;
  reader.texts("verdicts", expect.verdicts);
  if (const auto exit = reader.whole("exit", 0, 255)) expect.exit = static_cast<Exit>(*exit);
  reader.duration("within", expect.within);
  if (expect.ready != expect.verdicts.empty()) {
    reader.report("verdicts", "scenario.expect", "a verdict names rows, and ready names none",
                  "say verdicts: [E4] with end: verdict");
  }
  reader.finish();
}

void read_cluster(MappingReader& root, Scenario& scenario) {
  std::string shape;
  root.text("shape", shape, ichor::Need::optional, "control planes and workers, such as 3+3",
            [&](std::string& text) {
              const auto read = parse_shape(text);
              if (read) scenario.shape = *read;
              return read.has_value();
            });
  if (const auto talos = root.choice("talos", {"1.12", "1.13", "1.14"})) {
    scenario.talos = static_cast<Personality>(*talos);
  }
  if (const auto platform = root.choice("platform", {"metal", "container"})) {
    scenario.platform = *platform == 0 ? Platform::metal : Platform::container;
  }
  root.flag("addresses_move", scenario.addresses_move);
  root.flag("addresses_unknown", scenario.addresses_unknown);
  if (const auto seed = root.whole("seed", 1, 1'000'000'000)) {
    scenario.seed = static_cast<std::uint64_t>(*seed);
  }
  root.duration("calm", scenario.calm);
  root.text("pin", scenario.pin);
  root.text("profile", scenario.profile);
  root.text("patch", scenario.patch);
  root.flag("patch_is_template", scenario.patch_is_template);
  if (const auto wrong = root.choice("secrets", {kSecrets.begin(), kSecrets.end()})) {
    scenario.secrets = kSecrets[*wrong];
  }
}

}  // namespace

Result<Scenario> read_scenario(std::string_view text, const std::string& file) {
  const auto document = yaml::parse_single(text, file);
  if (!document) return fail(Errc::invalid, document.error().message());
  ReadingLog log;
  log.source = ProfileSource(file);
  MappingReader root(log, document->root, "");
  Scenario scenario;
  const std::size_t slash = file.rfind('/');
  scenario.name = slash == std::string::npos ? file : file.substr(slash + 1);
  scenario.name = scenario.name.substr(0, scenario.name.rfind('.'));
  root.text("about", scenario.about, ichor::Need::required);
  root.texts("faults", scenario.faults);
  read_cluster(root, scenario);
  root.texts("arm", scenario.arm, "the name of a fault of `ichor simulate`",
             [](std::string& name) { return parse_faults(name).has_value(); });
  for (MappingReader& rule : root.sections("calls")) scenario.calls.push_back(read_rule(rule));
  for (MappingReader& event : root.sections("events")) {
    scenario.events.push_back(read_happening(event));
  }
  for (MappingReader& machine : root.sections("machines")) {
    scenario.machines.push_back(read_machine(machine));
  }
  read_expectation(root.section("expect", ichor::Need::required), scenario.expect);
  root.finish();
  const std::vector<Finding> findings = log.take();
  if (findings.empty()) return scenario;
  std::string wrong;
  for (const Finding& finding : findings) {
    wrong += fmt::format("{}{}: {}", wrong.empty() ? "" : "\n", finding.where, finding.what);
  }
  return fail(Errc::invalid, std::move(wrong));
}

}  // namespace ichor::sim
