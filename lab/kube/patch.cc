#include "lab/kube/patch.h"

#include <algorithm>

#include "model/json.h"
#include "phase/kubernetes/manifests.h"
#include "yaml/document.h"

namespace ichor::lab {

namespace {

using nlohmann::json;

/// The key by which elements of a list are the same; empty: the list is one value.
std::string merge_key(const json& list) {
  for (const char* key : {"name", "type", "ip", "port"}) {
    const bool all = !list.empty() && std::all_of(list.begin(), list.end(), [&](const json& one) {
      return one.is_object() && one.contains(key);
    });
    if (all) return key;
  }
  return {};
}

void merge(json& target, const json& patch);

void merge_lists(json& target, const json& patch, const std::string& key) {
  for (const json& one : patch) {
    const auto there = std::find_if(target.begin(), target.end(), [&](const json& element) {
      return element.is_object() && element.value(key, json()) == one[key];
    });
    const bool goes = one.value("$patch", "") == "delete";
    if (there == target.end()) {
      if (!goes) target.push_back(one);
    } else if (goes) {
      target.erase(there);
    } else {
      merge(*there, one);
    }
  }
}

void merge(json& target, const json& patch) {
  if (!target.is_object()) target = json::object();
  for (const auto& [key, value] : patch.items()) {
    if (key.starts_with('$')) continue;
    if (value.is_null()) {
      target.erase(key);
    } else if (value.is_object()) {
      if (value.value("$patch", "") == "replace") target.erase(key);
      merge(target[key], value);
    } else if (value.is_array() && target.contains(key) && target[key].is_array() &&
               !merge_key(value).empty()) {
      merge_lists(target[key], value, merge_key(value));
    } else {
      target[key] = value;
    }
  }
}

}  // namespace

Result<json> parse_body(std::string_view text) {
  if (auto parsed = parse_json(text); parsed && !parsed->is_discarded()) return *std::move(parsed);
  const auto documents = yaml::parse(text, "the request's body");
  if (!documents) return forward_error(documents);
  if (documents->size() != 1) return fail(Errc::invalid, "the body must be one object");
  return json_of(documents->front().root);
}

Result<json> patched(const json& object, std::string_view content_type, const json& patch) {
  json result = object;
  if (content_type.starts_with("application/merge-patch+json")) {
    result.merge_patch(patch);
  } else if (content_type.starts_with("application/strategic-merge-patch+json")) {
    merge(result, patch);
  } else if (content_type.starts_with("application/json-patch+json")) {
    if (!patch.is_array()) return fail(Errc::invalid, "error decoding patch: it is no list");
    try {
      result = result.patch(patch);
    } catch (const json::exception&) {
      return fail(Errc::unsafe, "the server rejected our request due to an error in our request");
    }
  } else {
    return fail(Errc::io, "the body of the request was in an unknown format");
  }
  return result;
}

}  // namespace ichor::lab
