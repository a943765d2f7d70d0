#include <fmt/format.h>

#include "sim/checkers/make.h"
#include "sim/checkers/tables.h"
#include "wait/retry_table.h"

namespace ichor::sim {

namespace {

constexpr int kRequestsMax = 2000;
/// An upgrade takes nodes one by one, and looks at all control planes for as long as it lasts.
constexpr int kRequestsOfUpgradeMax = 4000;
/// What a node has taken shows within this time; sent again before, it cannot have been looked for.
constexpr Duration kShowsWithin = std::chrono::seconds(20);

}  // namespace

class BoundedRetry final : public Checker {
 public:
  explicit BoundedRetry(const Truth& truth)
      : Checker(truth, Reads::requests), nodes_(truth), taken_(truth) {}

  std::string_view id() const override { return "I14"; }
  std::string_view promise() const override {
    return "calls are repeated a bounded number of times, and never what can only fail again or "
           "was just taken";
  }

  void see_request(const Request& request) override {
    State* state = state_of(request);
    if (state == nullptr) return;
    const int requests_max = truth().upgrade ? kRequestsOfUpgradeMax : kRequestsMax;
    if (++state->requests == requests_max + 1) {
      violated(fmt::format("run {} sent more than {} requests to {}", request.process, requests_max,
                           request.planned.value()));
    }
    // An upload replaces the one before it, so it does no harm twice.
    if (!mutates(request.call) || request.call == Call::etcd_recover) return;
    Tries& tries = state->tries[request.call];
    ++tries.sent;
    if (tries.hopeless) {
      violated(fmt::format("{} was sent to {} again after a refusal for good",
                           name_of(request.call), request.planned.value()));
    }
    check_not_just_taken(request);
    const int tries_max = 1 + truth().profile.retry.retries;
    if (tries.sent - tries.too_early > tries_max) {
      violated(fmt::format("{} was sent to {} {} times, {} of them too early; {} are allowed",
                           name_of(request.call), request.planned.value(), tries.sent,
                           tries.too_early, tries_max));
    }
  }

  void see_reply(const Request& request, const Reply& reply) override {
    if (!reply.error) return;
    State* state = state_of(request);
    if (state == nullptr || request.call == Call::etcd_recover) return;
    Tries& tries = state->tries[request.call];
    const Reaction reaction = rule_for(*reply.error).reaction;
    if (reaction == Reaction::not_yet) ++tries.too_early;
    if (reaction == Reaction::give_up) tries.hopeless = true;
  }

  void on_effect(const Request& request) override {
    PerMutation<Taken>* taken = request.node != nullptr ? taken_.find(*request.node) : nullptr;
    if (taken == nullptr || request.call == Call::etcd_recover) return;
    (*taken)[request.call] = {request.node->boot_id(), truth().clock.now()};
  }

 private:
  struct Taken {
    BootId in;
    MonoTime at{};
  };
  struct Tries {
    int sent{0};
    int too_early{0};  // the node said that it is not ready for the call yet
    bool hopeless{false};
  };
  struct State {
    int process{0};
    int requests{0};
    PerMutation<Tries> tries;
  };

  void check_not_just_taken(const Request& request) {
    // Nothing shows that an image was pulled, and another pull of it does nothing.
    if (request.call == Call::pull_image) return;
    PerMutation<Taken>* taken = request.node != nullptr ? taken_.find(*request.node) : nullptr;
    if (taken == nullptr) return;
    const Taken& former = (*taken)[request.call];
    const Duration since = truth().clock.now() - former.at;
    if (former.in.value().empty() || since >= kShowsWithin) return;
    if (former.in != request.node->boot_id()) return;
    violated(fmt::format("{} was sent to {} again {} after the node took it", name_of(request.call),
                         request.planned.value(), to_text(since)));
  }

  /// Of the request's node, started again for every process.
  State* state_of(const Request& request) {
    State* state = nodes_.find(request);
    if (state != nullptr && state->process != request.process) {
      *state = {};
      state->process = request.process;
    }
    return state;
  }

  PerNode<State> nodes_;
  PerNode<PerMutation<Taken>> taken_;
};

template std::unique_ptr<Checker> make_checker<BoundedRetry>(const Truth& truth);

}  // namespace ichor::sim
