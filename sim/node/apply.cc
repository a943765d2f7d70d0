#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "sim/node/node_impl.h"

namespace ichor::sim {

namespace {

using Mode = Node::ApplyMode;

tl::unexpected<Refusal> refuse(Code code, std::string text) {
  return tl::unexpected(Refusal{code, std::move(text)});
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

/// The one block of lines in which two texts differ, in the form of a unified diff.
std::string diff(std::string_view before, std::string_view after) {
  const auto a = lines_of(before);
  const auto b = lines_of(after);
  const std::size_t common = std::min(a.size(), b.size());
  std::size_t head = 0;
  while (head < common && a[head] == b[head]) ++head;
  std::size_t tail = 0;
  while (tail < common - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  std::string text = "--- a\n+++ b\n@@ -" + std::to_string(head + 1) + "," +
                     std::to_string(a.size() - tail - head) + " +" + std::to_string(head + 1) +
                     "," + std::to_string(b.size() - tail - head) + " @@\n";
  for (std::size_t i = head; i < a.size() - tail; ++i) text.append("-").append(a[i]);
  for (std::size_t i = head; i < b.size() - tail; ++i) text.append("+").append(b[i]);
  return text;
}

std::string not_immediate(std::string_view before, std::string_view after) {
  return "this config change can't be applied in immediate mode\ndiff:\n" + diff(before, after);
}

std::string details_of(Mode mode) {
  switch (mode) {
    case Mode::staged: return "Staged configuration to be applied after the next reboot";
    case Mode::no_reboot:
    case Mode::try_mode: return "Applied configuration without a reboot";
    default: return "Applied configuration with a reboot";
  }
}

}  // namespace

Answer<void> Node::Impl::may_apply(const Caller& caller, ApplyMode mode) const {
  // 1.13 lets a reader in and looks at the role after the locks.
  const Need need = old() || listener() == Listener::maintenance ? Need::admin : Need::reader;
  if (auto gate = admit(caller, "machine.MachineService", "ApplyConfiguration", need); !gate) {
    return gate;
  }
  if (old()) {
    if (!in_maintenance() || (mode != Mode::no_reboot && mode != Mode::staged)) return {};
    return refuse(Code::unimplemented, std::string("apply configuration --mode='") +
                                           (mode == Mode::staged ? "staged" : "no-reboot") +
                                           "' is not supported in maintenance mode");
  }
  if (apply_held_) {
    return refuse(Code::failed_precondition, "another apply configuration is already in progress");
  }
  if (m_.rebooting_for_config && !typed()) {
    return refuse(Code::failed_precondition,
                  "configuration was already applied and node is rebooting, cannot apply more "
                  "configuration changes until next reboot");
  }
  const bool admin = caller.admin && listener() == Listener::apid;
  if (!in_maintenance() && !admin) return refuse(Code::permission_denied, "not authorized");
  return {};
}

Answer<Node::ApplyReply> Node::Impl::plan_apply(const std::string& config, const ConfigFacts& facts,
                                                ApplyMode mode, bool dry_run) const {
  const bool maintenance = in_maintenance();
  ApplyReply reply;
  reply.warnings = facts.warnings;
  if (maintenance && old()) {
    if (dry_run) {
      reply.mode_details =
          "Dry run summary:\nNode is running in maintenance mode and does not have a config yet.";
    }
    return reply;
  }
  if (mode == Mode::automatic && spec_.automatic_is_staged) mode = Mode::staged;
  const bool immediate = maintenance || typed() ||
                         (m_.facts != nullptr && facts.needs_reboot == m_.facts->needs_reboot);
  std::string why_reboot;
  if (maintenance && mode == Mode::reboot) mode = Mode::no_reboot;
  if (mode == Mode::automatic) {
    mode = immediate ? Mode::no_reboot : Mode::reboot;
    if (!immediate) why_reboot = ": " + not_immediate(m_.config, config);
  } else if ((mode == Mode::no_reboot || mode == Mode::try_mode) && !immediate) {
    return refuse(Code::invalid_argument, not_immediate(m_.config, config));
  }
  reply.mode = mode;
  reply.mode_details = details_of(mode);
  if (dry_run) {
    const bool same = m_.facts != nullptr && facts.canonical == m_.facts->canonical;
    reply.warnings.clear();
    reply.mode_details = "Dry run summary:\n" + reply.mode_details +
                         " (skipped in dry-run).\nConfig diff:\n\n" +
                         (same ? "No changes." : diff(m_.config, config));
    return reply;
  }
  if (mode == Mode::try_mode) {
    reply.mode_details +=
        "\nThe config is applied in 'try' mode and will be automatically reverted back in 1m0s";
  }
  reply.mode_details += why_reboot;
  return reply;
}

void Node::Impl::carry_out(const std::string& config, const ConfigFacts& facts, ApplyMode mode) {
  if (in_maintenance()) {
    if (mode == Mode::staged) return;
    if (facts.complete) {
      accept_config(config, facts);
    } else {
      activate(config, facts);
    }
    return;
  }
  if (mode != Mode::try_mode) disarm(Timer::rollback);
  const bool keeps = container() || disk_.installed;
  switch (mode) {
    case Mode::try_mode: try_config(config, facts); break;
    case Mode::staged: change_disk().staged_config = config; break;
    case Mode::no_reboot:
      if (keeps) change_disk().config = config;
      activate(config, facts);
      follow_registration();
      break;
    default:
      if (keeps) change_disk().config = config;
      m_.rebooting_for_config = true;
      leave(SequenceName::reboot, true);
      break;
  }
}

Answer<Node::ApplyReply> Node::Impl::apply(const Caller& caller, const std::string& config,
                                           ApplyMode mode, bool dry_run) {
  if (auto gate = may_apply(caller, mode); !gate) return forward_error(gate);
  const ConfigJudgement& judgement = judge_.judge(config, spec_, in_maintenance());
  if (!judgement) return refuse(judgement.error().code, judgement.error().text);
  if (!in_maintenance() && !judgement->complete) {
    return refuse(
        Code::invalid_argument,
        "the applied machine configuration doesn't contain v1alpha1 config, did you mean to "
        "patch the machine config instead?");
  }
  if (typed() && mode == Mode::reboot && !in_maintenance()) {
    return refuse(Code::unimplemented,
                  "the REBOOT mode is not supported, please use AUTO or NO_REBOOT modes instead");
  }
  Answer<ApplyReply> reply = plan_apply(config, *judgement, mode, dry_run);
  if (!reply || dry_run) return reply;
  const Entry entry(*this);
  carry_out(config, *judgement, reply->mode);
  return reply;
}

Answer<Node::ApplyReply> Node::apply(const Caller& caller, const std::string& config,
                                     ApplyMode mode, bool dry_run) {
  return impl_->apply(caller, config, mode, dry_run);
}

}  // namespace ichor::sim
