#include <fmt/format.h>

#include "phase/kubernetes/json_view.h"
#include "sim/kube/api_server.h"

// What clients other than ichor do to objects: kubectl and helm create and replace them.

namespace ichor::sim {

namespace {

CallError answer(Code code, std::string text) {
  return {Call::kube_apply, Progress::answered, TlsVerdict::fine, code, std::move(text)};
}

std::string full_name(const KubeResource& resource) {
  return resource.kind.group.empty() ? resource.plural
                                     : fmt::format("{}.{}", resource.plural, resource.kind.group);
}

/// "x7f2k", by a number that is never used twice.
std::string made_suffix(std::uint64_t number) {
  constexpr std::string_view letters = "bcdfghjklmnpqrstvwxz2456789";
  std::string text;
  for (std::uint64_t bits = number * 2'654'435'761u + 977; text.size() < 5; bits /= 27) {
    text += letters[bits % letters.size()];
  }
  return text;
}

}  // namespace

std::vector<const KubeResource*> ApiServer::all_served() const {
  std::vector<const KubeResource*> all;
  for (const auto& kind : kinds_) {
    if (kind->is_served) all.push_back(&kind->resource);
  }
  return all;
}

CallResult<KubeObject> ApiServer::create(KubeObject object, bool dry_run,
                                         std::string_view manager) {
  KubeObject& metadata = object["metadata"];
  const std::string wish = text_at(object, {"metadata", "generateName"});
  if (name_in(object).empty() && !wish.empty()) metadata["name"] = wish + made_suffix(++uids_);
  const KubeRef ref = ref_of(object);
  const auto found = find_served(Call::kube_apply, ref.kind);
  if (!found) return forward_error(found);
  Kind& kind = *kind_of(ref.kind);
  if (auto error = refused(Call::kube_apply, kind, ref)) return tl::unexpected(*std::move(error));
  if (ref.name.empty()) {
    return tl::unexpected(answer(
        Code::invalid_argument,
        fmt::format("{} \"\" is invalid: metadata.name: Required value: name or generateName is "
                    "required",
                    full_name(kind.resource))));
  }
  if (!text_at(object, {"metadata", "resourceVersion"}).empty()) {
    return tl::unexpected(answer(Code::invalid_argument,
                                 "resourceVersion should not be set on objects to be created"));
  }
  object.erase("status");
  for (const char* name : {"uid", "creationTimestamp", "generation", "managedFields"}) {
    metadata.erase(name);
  }
  if (validate) {
    if (auto error = validate(nullptr, object)) return tl::unexpected(*std::move(error));
  }
  if (find(ref)) {
    return tl::unexpected(
        answer(Code::already_exists,
               fmt::format("{} \"{}\" already exists", full_name(kind.resource), ref.name)));
  }
  if (dry_run) {
    identify(object["metadata"]);
    return object;
  }
  put(object, manager);
  const KubeObject* now = find(ref);
  return now ? *now : object;
}

CallResult<KubeObject> ApiServer::replace(KubeObject object, Part part, bool dry_run,
                                          std::string_view manager) {
  const KubeRef ref = ref_of(object);
  const auto found = find_served(Call::kube_apply, ref.kind);
  if (!found) return forward_error(found);
  const KubeObject* live = find(ref);
  const std::string what = full_name((*found)->resource);
  if (!live) {
    return tl::unexpected(
        answer(Code::not_found, fmt::format("{} \"{}\" not found", what, ref.name)));
  }
  const std::string version = text_at(object, {"metadata", "resourceVersion"});
  if (!version.empty() && version != text_at(*live, {"metadata", "resourceVersion"})) {
    return tl::unexpected(answer(
        Code::aborted,
        fmt::format("Operation cannot be fulfilled on {} \"{}\": the object has been modified; "
                    "please apply your changes to the latest version and try again",
                    what, ref.name)));
  }
  if (part == Part::status) {
    KubeObject changed = *live;
    changed["status"] = at(object, {"status"});
    if (dry_run) return changed;
    put_status(ref, at(object, {"status"}));
  } else {
    object.erase("status");
    if (live->contains("status")) object["status"] = (*live)["status"];
    object["metadata"].erase("managedFields");
    if (validate) {
      if (auto error = validate(live, object)) return tl::unexpected(*std::move(error));
    }
    if (dry_run) return object;
    put(std::move(object), manager);
  }
  const KubeObject* now = find(ref);
  return now ? *now : *live;
}

}  // namespace ichor::sim
