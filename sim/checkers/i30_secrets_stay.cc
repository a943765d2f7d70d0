#include <fmt/format.h>

#include "sim/canaries.h"
#include "sim/checkers/make.h"
#include "sim/kube/request.h"

namespace ichor::sim {

class SecretsStay final : public Checker {
 public:
  explicit SecretsStay(const Truth& truth) : Checker(truth) {}

  std::string_view id() const override { return "I30"; }
  std::string_view promise() const override {
    return "a secret value goes into the data of a Secret object and nowhere else: no other "
           "object, no argument or variable of a program, no address";
  }

  void on_kube_request(const KubeRequest& request) override {
    if (!request.object) return;
    const bool secret = request.ref.kind.kind == "Secret";
    const auto metadata = request.object->find("metadata");
    const KubeObject& shown =
        secret && metadata != request.object->end() ? *metadata : *request.object;
    look(shown.dump(), [&] { return to_text(request.ref); });
  }

  void on_program(int process, const ProcessCall& call) override {
    const auto where = [&] { return fmt::format("{} of run {}", call.program, process); };
    for (const std::string& argument : call.arguments) look(argument, where);
    for (const auto& [name, value] : call.variables) look(value, where);
  }

  void on_web(int process, const std::string& url) override {
    look(url, [&] { return fmt::format("an address that run {} asks", process); });
  }

 private:
  template <class Where>
  void look(std::string_view text, const Where& where) {
    const std::string_view canary = canary_in(text);
    if (!canary.empty()) violated(fmt::format("{} gives away {}", where(), canary));
  }
};

template std::unique_ptr<Checker> make_checker<SecretsStay>(const Truth& truth);

}  // namespace ichor::sim
