#include "phase/kubernetes/kube_view.h"

#include "wait/kube_retry.h"

namespace ichor {

Trouble trouble_of(std::string object, const CallError& error) {
  const KubeVerdict verdict = judge_kube(error);
  const bool final = verdict.reaction == Reaction::give_up;
  return {
      {std::move(object), error.text, std::string(verdict.hint), std::string(verdict.fault), final},
      final,
      verdict.reaction == Reaction::not_yet,
      StepEnd::failed};
}

Trouble trouble_of(std::string object, const Error& error, std::string fix) {
  const bool late = error.code == Errc::out_of_time;
  return {{std::move(object), error.message, std::move(fix), "K3", !late},
          true,
          false,
          late ? StepEnd::out_of_time : StepEnd::failed};
}

}  // namespace ichor
