#include "phase/kubernetes/difference.h"

#include <array>
#include <fmt/format.h>

#include "phase/kubernetes/json_view.h"

namespace ichor {

namespace {

constexpr std::size_t kValueMax = 120;
constexpr std::size_t kLinesMax = 200;

class Comparison {
 public:
  explicit Comparison(bool secret) : secret_(secret) {}

  void compare(const std::string& path, const KubeObject& live, const KubeObject& wanted) {
    if (live == wanted || lines_.size() >= kLinesMax) return;
    if (live.is_object() && wanted.is_object()) return compare_keys(path, live, wanted);
    if (live.is_array() && wanted.is_array() && live.size() == wanted.size()) {
      for (std::size_t i = 0; i < live.size(); ++i) {
        compare(fmt::format("{}[{}]", path, i), live[i], wanted[i]);
      }
      return;
    }
    const bool hidden = secret_ && (path.starts_with("data.") || path.starts_with("stringData.") ||
                                    path == "data" || path == "stringData");
    lines_.push_back(hidden ? fmt::format("{}: (a secret value differs)", path)
                            : fmt::format("{}: {} → {}", path, shown(live), shown(wanted)));
  }

  std::vector<std::string> lines() { return std::move(lines_); }

 private:
  void compare_keys(const std::string& path, const KubeObject& live, const KubeObject& wanted) {
    static const KubeObject none;
    const std::string start = path.empty() ? "" : path + ".";
    for (const auto& [key, value] : live.items()) {
      compare(start + key, value, wanted.contains(key) ? wanted[key] : none);
    }
    for (const auto& [key, value] : wanted.items()) {
      if (!live.contains(key)) compare(start + key, none, value);
    }
  }

  static std::string shown(const KubeObject& value) {
    if (value.is_null()) return "(none)";
    std::string text = value.dump(-1, ' ', false, KubeObject::error_handler_t::replace);
    if (text.size() > kValueMax) text = text.substr(0, kValueMax) + "…";
    return text;
  }

  bool secret_;
  std::vector<std::string> lines_;
};

KubeObject without_server_parts(KubeObject object) {
  if (!object.is_object()) return object;
  object.erase("status");
  if (!object.contains("metadata") || !object["metadata"].is_object()) return object;
  constexpr std::array<const char*, 5> keys{"managedFields", "resourceVersion", "generation",
                                            "creationTimestamp", "uid"};
  for (const char* key : keys) object["metadata"].erase(key);
  return object;
}

}  // namespace

std::vector<std::string> difference(const KubeObject& live, const KubeObject& wanted) {
  Comparison comparison(text_at(wanted, {"kind"}) == "Secret");
  comparison.compare("", without_server_parts(live), without_server_parts(wanted));
  return comparison.lines();
}

}  // namespace ichor
