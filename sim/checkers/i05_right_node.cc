#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "model/journal_facts.h"
#include "sim/checkers/hardware.h"
#include "sim/checkers/make.h"
#include "sim/checkers/tables.h"

namespace ichor::sim {

namespace {

constexpr std::size_t kSessionsExpected = 64;

bool as_declared(const NodePlan& plan, const Identity& hardware) {
  const bool mac_given = !plan.mac.value().empty();
  const bool has_mac =
      std::find(hardware.macs.begin(), hardware.macs.end(), plan.mac) != hardware.macs.end();
  if (mac_given && !has_mac) return false;
  if (!plan.uuid.value().empty() && plan.uuid != hardware.uuid) return false;
  return plan.serial.value().empty() || plan.serial == hardware.serial;
}

}  // namespace

class RightNode final : public Checker {
 public:
  explicit RightNode(const Truth& truth) : Checker(truth, Reads::replies), bound_(truth) {
    proofs_.reserve(kSessionsExpected);
  }

  std::string_view id() const override { return "I5"; }
  std::string_view promise() const override {
    return "a mutation goes to the machine of that node, proved on the connection it leaves on";
  }

  void on_process_crashed(int /*process*/) override { proofs_.clear(); }

  void on_durable(const JournalRecord& record) override {
    if (record.kind != RecordKind::identity_bound) return;
    std::optional<Identity>* bound = bound_.find(record.node);
    if (bound != nullptr) *bound = decode_identity(record.value).identity;
  }

  void see_reply(const Request& request, const Reply& reply) override {
    if (request.call != Call::identity || reply.error) return;
    proofs_.push_back({request.session, request.process, request.node});
  }

  void see_request(const Request& request) override {
    if (request.node == nullptr) return;
    const std::string_view wrong = what_is_wrong(request);
    if (wrong.empty()) return;
    violated(fmt::format("{} left for {} ({}): {}", name_of(request.call), request.planned.value(),
                         request.node->spec().name.value(), wrong));
  }

 private:
  struct Proof {
    std::uint64_t session{0};
    int process{0};
    const Node* machine{nullptr};
  };

  std::string_view what_is_wrong(const Request& request) {
    const NodeSpec& machine = request.node->spec();
    const NodePlan* plan = truth().profile.find(request.planned);
    if (plan == nullptr) return "no such node is planned";
    if (machine.name != request.planned) return "another machine is at the other end";
    if (!as_declared(*plan, machine.hardware)) return "the profile declares another machine";
    const std::optional<Identity>& bound = *bound_.find(request.planned);
    if (!bound) return "no machine was bound to the node";
    if (!describes(*bound, machine.hardware))
      return "the journal binds another machine to the node";
    const bool proved = std::any_of(proofs_.rbegin(), proofs_.rend(), [&](const Proof& proof) {
      return proof.session == request.session && proof.process == request.process &&
             proof.machine == request.node;
    });
    return proved ? "" : "its identity was not read on this connection";
  }

  PerNode<std::optional<Identity>> bound_;
  std::vector<Proof> proofs_;  // the latest last; searched only when something mutates
};

template std::unique_ptr<Checker> make_checker<RightNode>(const Truth& truth);

}  // namespace ichor::sim
