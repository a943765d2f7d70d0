#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "phase/kubernetes/json_view.h"
#include "port/process.h"
#include "port/web_client.h"
#include "sim/kube/cluster.h"

namespace ichor {

/// helm, kustomize and kubeconform as far as the phases use them, on a simulated cluster: an
/// install leaves the record that helm would, and calls `installed` for what the chart brings.
class PlayedPrograms final : public Processes {
 public:
  explicit PlayedPrograms(sim::KubeCluster& cluster) : cluster_(cluster) {}

  std::optional<std::string> find(const std::string& name) override {
    const bool there = missing != name && (name != "cilium" || has_cilium);
    return there ? std::optional("/bin/" + name) : std::nullopt;
  }

  bool is_held(const std::string&) override { return earlier_helm && earlier_helm(); }

  Task<Result<ProcessResult>> run(Context context, ProcessCall call) override {
    calls.push_back(call.program + " " + call.arguments.front());
    const std::string& verb = call.arguments.front();
    if (verb == "version") co_return said("v3.22.0");
    if (verb == "upgrade") co_return co_await upgrade(context, std::move(call));
    if (verb == "get" && call.arguments[1] == "metadata") {
      co_return said(KubeObject{{"version", versions[call.arguments[2]]}}.dump());
    }
    if (verb == "get") co_return said(values[call.arguments[2]].dump());
    if (verb == "template") co_return said(rendered);
    if (verb == "status") co_return cilium_well ? said("") : failed("Cilium: 1 errors");
    if (verb == "pull" && unreachable) co_return failed("Error: connection refused");
    if (verb == "build") co_return build_fails ? failed("no such file") : said("kind: X");
    co_return said("");
  }

  std::string missing;
  std::string rendered;
  bool build_fails{false};
  bool has_cilium{false};   // most machines do not
  bool cilium_well{true};   // what it says then
  bool unreachable{false};  // the registry of charts
  std::string failing;      // a release whose install ends badly
  std::string hanging;      // one whose install does not end
  std::string dying;        // one whose helm is killed halfway
  std::function<void(const std::string&)> installed;
  std::function<bool()> earlier_helm;  // whether one of an earlier run still works
  std::vector<std::string> calls;
  std::vector<std::string> charts;  // that were installed
  std::map<std::string, std::string> versions;
  std::map<std::string, KubeObject> values;

 private:
  static ProcessResult said(std::string text) {
    ProcessResult result;
    result.output = SecretString(std::move(text));
    return result;
  }
  static ProcessResult failed(std::string words) {
    ProcessResult result;
    result.exit = 1;
    result.errors = std::move(words);
    return result;
  }

  Task<Result<ProcessResult>> upgrade(Context context, ProcessCall call) {
    const std::string name = call.arguments[1];
    charts.push_back(call.arguments[2]);
    co_await sleep_for(context, std::chrono::seconds(5));
    const bool pends = name == hanging || name == dying;
    record(name, pends ? "pending-install" : "deployed", call);
    if (name == dying) {
      ProcessResult killed = failed("Killed");
      killed.exit = 137;
      co_return killed;
    }
    if (name == hanging) {
      co_await sleep_for(context, call.limit);
      co_return fail(Errc::out_of_time, "helm did not end in time");
    }
    if (name == failing) co_return failed("Error: INSTALLATION FAILED: timed out");
    if (installed) installed(name);
    co_return said("");
  }

  void record(const std::string& name, const std::string& status, const ProcessCall& call) {
    KubeObject secret{{"apiVersion", "v1"}, {"kind", "Secret"}};
    secret["metadata"]["name"] = "sh.helm.release.v1." + name + ".v1";
    secret["metadata"]["namespace"] = "kube-system";
    secret["metadata"]["labels"] = {
        {"owner", "helm"}, {"name", name}, {"status", status}, {"version", "1"}};
    cluster_.put(std::move(secret));
    values[name] = KubeObject::parse(call.input.reveal());
    for (std::size_t i = 0; i + 1 < call.arguments.size(); ++i) {
      if (call.arguments[i] == "--version") versions[name] = call.arguments[i + 1];
    }
  }

  sim::KubeCluster& cluster_;
};

/// 1Password Connect with one vault.
class PlayedConnect final : public WebClient {
 public:
  Task<CallResult<WebAnswer>> get(Context, std::string url, const SecretString& token) override {
    WebAnswer answer;
    answer.status = token.reveal() == "good" ? 200 : 401;
    const std::string path = url.substr(url.find("/v1"));
    if (path.starts_with("/v1/vaults?")) {
      answer.body = SecretString(R"([{"id":"v1","name":"kubernetes"}])");
    } else if (path.find("/items?") != std::string::npos) {
      answer.body = SecretString(R"([{"id":"i1","title":"connect"}])");
    } else {
      answer.body = SecretString(R"({"fields":[{"label":"token","value":"from-the-vault"}]})");
    }
    co_return answer;
  }
};

}  // namespace ichor
