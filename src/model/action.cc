#include "model/action.h"

#include <type_traits>

namespace ichor {

namespace {

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

}  // namespace

Call call_of(const Action& action) {
  return std::visit(Overloaded{[](const NodeCall& call) { return call.call; },
                               [](const ApplyObject&) { return Call::kube_apply; },
                               [](const DeleteObject&) { return Call::kube_delete; },
                               [](const ApproveCsr&) { return Call::approve_csr; },
                               [](const InstallRelease&) { return Call::install_release; }},
                    action);
}

std::string key_of(const Action& action) {
  return std::visit(
      Overloaded{[](const NodeCall& call) { return call.node.value(); },
                 [](const ApplyObject& apply) { return to_text(ref_of(apply.object)); },
                 [](const DeleteObject& removal) { return to_text(removal.ref); },
                 [](const ApproveCsr& approval) { return to_text(ref_of(approval.csr)); },
                 [](const InstallRelease& install) { return key_of(install.release); }},
      action);
}

std::string reason_of(const Action& action) {
  return std::visit(
      Overloaded{
          [](const NodeCall& call) { return call.why; },
          [](const ApplyObject& apply) { return apply.change.change + " " + apply.change.object; },
          [](const DeleteObject& removal) { return removal.why; },
          [](const ApproveCsr& approval) {
            return "approve " + to_text(ref_of(approval.csr)) + ": " + approval.why;
          },
          [](const InstallRelease& install) {
            std::string text = "install " + install.change.object;
            if (!install.change.lines.empty()) text += ": " + install.change.lines.front();
            return text;
          }},
      action);
}

}  // namespace ichor
