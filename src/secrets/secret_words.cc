#include "secrets/secret_words.h"

#include <algorithm>

#include "yaml/document.h"

namespace ichor {

namespace {

constexpr std::size_t kBytesMin = 4;
constexpr std::string_view kHidden = "(hidden)";

}  // namespace

void SecretWords::add(std::string_view word) {
  if (word.size() < kBytesMin) return;
  // A value that holds another one must be replaced first.
  const auto place = std::upper_bound(
      words_.begin(), words_.end(), word.size(),
      [](std::size_t size, const SecretString& other) { return size > other.size(); });
  words_.insert(place, SecretString(std::string(word)));
}

void SecretWords::learn(const yaml::Node& node) {
  if (node.is_scalar()) add(node.text);
  for (const yaml::Node& item : node.items) learn(item);
  for (const yaml::Entry& entry : node.entries) learn(entry.value);
}

void SecretWords::learn(const SecretString& text) {
  auto documents = yaml::parse_or_explain(text.reveal(), "");
  if (documents) {
    for (yaml::Document& document : *documents) {
      learn(document.root);
      yaml::wipe(document.root);
    }
    return;
  }
  std::string_view rest = text.reveal();
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    add(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
}

std::string SecretWords::hide(std::string text) const {
  for (const SecretString& word : words_) {
    std::size_t at = text.find(word.reveal());
    while (at != std::string::npos) {
      text.replace(at, word.size(), kHidden);
      at = text.find(word.reveal(), at + kHidden.size());
    }
  }
  return text;
}

void SecretWords::hide(std::vector<Finding>& findings) const {
  if (words_.empty()) return;
  for (Finding& finding : findings) {
    finding.what = hide(std::move(finding.what));
    finding.fix = hide(std::move(finding.fix));
  }
}

}  // namespace ichor
