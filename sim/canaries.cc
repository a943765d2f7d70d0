#include "sim/canaries.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <vector>

namespace ichor::sim {

namespace {

/// Every canary begins with it, so a text without any form of it holds no canary: looking for one
/// stem in seven forms costs next to nothing, and every event of every seed is looked at.
constexpr std::string_view kStem = "c4naryBird";

std::string hex_of(std::string_view text, std::string_view digits) {
  std::string hex;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    hex += digits[byte >> 4];
    hex += digits[byte & 15];
  }
  return hex;
}

std::string base64_of(std::string_view text) {
  static constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string encoded;
  for (std::size_t i = 0; i + 2 < text.size(); i += 3) {
    const unsigned bits = static_cast<unsigned>(static_cast<unsigned char>(text[i])) << 16 |
                          static_cast<unsigned>(static_cast<unsigned char>(text[i + 1])) << 8 |
                          static_cast<unsigned char>(text[i + 2]);
    for (int shift = 18; shift >= 0; shift -= 6) encoded += digits[bits >> shift & 63];
  }
  return encoded;
}

/// The digits that stand for `text` wherever it lies in a longer text: whole groups only.
std::vector<std::string> forms_of(std::string_view text) {
  std::vector<std::string> forms = {std::string(text), hex_of(text, "0123456789abcdef"),
                                    hex_of(text, "0123456789ABCDEF")};
  for (std::size_t skipped = 0; skipped < 3; ++skipped) {
    forms.push_back(base64_of(text.substr(skipped)));
  }
  return forms;
}

std::string url_of(std::string_view text) {
  std::string url;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    url += plain ? std::string(1, c)
                 : fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return url;
}

bool holds(std::string_view text, const std::vector<std::string>& forms) {
  for (const std::string& form : forms) {
    if (text.find(form) != std::string_view::npos) return true;
  }
  return false;
}

/// Asks many texts whether they hold the stem, and skips most of each text.
class StemSearch {
 public:
  StemSearch() {
    for (const std::string& form : forms_) {
      searches_.emplace_back(form.data(), form.data() + form.size());
    }
  }
  StemSearch(const StemSearch&) = delete;
  StemSearch& operator=(const StemSearch&) = delete;

  bool finds(std::string_view text) const {
    const char* const end = text.data() + text.size();
    return std::any_of(searches_.begin(), searches_.end(), [&](const auto& search) {
      return std::search(text.data(), end, search) != end;
    });
  }

 private:
  const std::vector<std::string> forms_{forms_of(kStem)};
  std::vector<std::boyer_moore_horspool_searcher<const char*>> searches_;
};

}  // namespace

const std::vector<Canary>& canaries() {
  static const std::vector<Canary> list = {
      {"machine.ca.key", "c4naryBird/os+ca=key01"},
      {"machine.token", "c4naryBird.machine.token02"},
      {"cluster.id", "c4naryBird/cluster+id=03"},
      {"cluster.secret", "c4naryBird/cluster+secret=04"},
      {"cluster.token", "c4naryBird.bootstrap.token05"},
      {"cluster.ca.key", "c4naryBird/k8s+ca=key06"},
      {"cluster.aggregatorCA.key", "c4naryBird/aggregator+ca=key07"},
      {"cluster.serviceAccount.key", "c4naryBird/service+account=key08"},
      {"cluster.etcd.ca.key", "c4naryBird/etcd+ca=key09"},
      {"cluster.aescbcEncryptionSecret", "c4naryBird/aescbc+secret=10"},
      {"cluster.secretboxEncryptionSecret", "c4naryBird/secretbox+secret=11"},
      {"registries auth password", "c4naryBird:registry@password/12"},
      {"talosconfig key", "c4naryBird/talosconfig+key=13"},
      {"kubeconfig client-key-data", "c4naryBird/kubeconfig+key=14"},
  };
  return list;
}

const std::vector<Canary>& kube_canaries() {
  static const std::vector<Canary> list = {
      {"age key", "c4naryBird/age+key=15"},
      {"deploy key", "c4naryBird/deploy+key=16"},
      {"1Password item", "c4naryBird.onepassword.item17"},
      {"Connect token", "c4naryBird.connect.token18"},
      {"sealed-secrets key", "c4naryBird/sealed+key=19"},
  };
  return list;
}

std::string kube_canary(std::string_view name) {
  for (const Canary& canary : kube_canaries()) {
    if (canary.name == name) return std::string(canary.value);
  }
  return {};
}

std::string config_canaries() {
  std::string text;
  for (const Canary& canary : canaries()) {
    text += fmt::format("{}: {}\n", canary.name, canary.value);
  }
  return text;
}

std::string kubeconfig_canary() {
  return fmt::format("\nclient-key-data: {}\n", canaries().back().value);
}

std::string_view canary_in(std::string_view text) {
  static const StemSearch stem;
  if (!stem.finds(text)) return {};
  for (const auto* list : {&canaries(), &kube_canaries()}) {
    for (const Canary& canary : *list) {
      const bool plain = holds(text, forms_of(canary.value));
      if (plain || text.find(url_of(canary.value)) != std::string_view::npos) return canary.name;
    }
  }
  return "a part of a secret";
}

}  // namespace ichor::sim
