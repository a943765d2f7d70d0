#include "sim/kube/api_server.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "phase/kubernetes/json_view.h"

namespace ichor::sim {

namespace {

/// How long the server waits for a webhook.
constexpr Duration kWebhookLimit = std::chrono::seconds(10);

CallError answer(Call call, Code code, std::string text) {
  return {call, Progress::answered, TlsVerdict::fine, code, std::move(text)};
}

std::uint64_t number_of(const std::string& version) {
  std::uint64_t number = 0;
  std::from_chars(version.data(), version.data() + version.size(), number);
  return number;
}

std::string key_of(const std::string& name_space, const std::string& name) {
  return name_space + "/" + name;
}

/// Namespaces, Secrets and ConfigMaps have none.
bool has_generation(const KubeResource& resource) { return !resource.kind.group.empty(); }

const KubeObject& spec_of(const KubeObject* object) {
  static const KubeObject none;
  return object ? at(*object, {"spec"}) : none;
}

}  // namespace

ApiServer::ApiServer(Clock& clock) : clock_(clock) {
  serve({"", "v1", "Namespace"}, "namespaces", false);
  serve({"", "v1", "Node"}, "nodes", false);
  serve({"", "v1", "Pod"}, "pods", true);
  serve({"", "v1", "Secret"}, "secrets", true);
  serve({"", "v1", "ConfigMap"}, "configmaps", true);
  serve({"", "v1", "Service"}, "services", true);
  serve({"apps", "v1", "Deployment"}, "deployments", true);
  serve({"apps", "v1", "DaemonSet"}, "daemonsets", true);
  serve({"apps", "v1", "StatefulSet"}, "statefulsets", true);
  serve({"policy", "v1", "PodDisruptionBudget"}, "poddisruptionbudgets", true);
  serve({"apiextensions.k8s.io", "v1", "CustomResourceDefinition"}, "customresourcedefinitions",
        false);
  serve({"certificates.k8s.io", "v1", "CertificateSigningRequest"}, "certificatesigningrequests",
        false);
}

ApiServer::~ApiServer() { end_watches(true); }

ApiServer::Kind* ApiServer::kind_of(const KubeKind& kind) {
  return const_cast<Kind*>(std::as_const(*this).kind_of(kind));
}

const ApiServer::Kind* ApiServer::kind_of(const KubeKind& kind) const {
  for (const auto& one : kinds_) {
    const KubeResource& resource = one->resource;
    if (resource.kind.kind != kind.kind && resource.plural != kind.kind) continue;
    if (resource.kind.group == kind.group) return one.get();
  }
  return nullptr;
}

void ApiServer::serve(const KubeKind& kind, const std::string& plural, bool namespaced) {
  if (Kind* known = kind_of(kind)) {
    known->is_served = true;
    return;
  }
  kinds_.push_back(std::make_unique<Kind>());
  kinds_.back()->resource = {kind, plural, namespaced};
}

void ApiServer::stop_serving(const KubeKind& kind) {
  if (Kind* known = kind_of(kind)) known->is_served = false;
}

const KubeResource* ApiServer::served(const KubeKind& kind) const {
  const Kind* known = kind_of(kind);
  return known && known->is_served ? &known->resource : nullptr;
}

void ApiServer::compute(const KubeKind& kind, std::function<void(std::vector<KubeObject>&)> make) {
  if (Kind* known = kind_of(kind)) known->computed = std::move(make);
}

const ApiServer::Entry* ApiServer::entry_of(const KubeRef& ref) const {
  const Kind* kind = kind_of(ref.kind);
  if (!kind) return nullptr;
  const auto found = kind->objects.find(key_of(ref.name_space, ref.name));
  return found == kind->objects.end() ? nullptr : &found->second;
}

const KubeObject* ApiServer::find(const KubeRef& ref) const {
  const Entry* entry = entry_of(ref);
  return entry ? entry->object.get() : nullptr;
}

const FieldOwners* ApiServer::owners_of(const KubeRef& ref) const {
  const Entry* entry = entry_of(ref);
  return entry ? &entry->owners : nullptr;
}

void ApiServer::tell(Kind& kind, const Change& change) {
  std::erase_if(kind.channels, [](const auto& weak) { return weak.expired(); });
  for (const auto& weak : kind.channels) {
    const auto channel = weak.lock();
    if (!channel || channel->ended) continue;
    const auto takes = [&](const Stored& object) {
      return object && selected(*object, channel->query) &&
             (!channel->takes || channel->takes(*object));
    };
    const bool was = takes(change.before);
    const bool is = takes(change.now);
    if (!was && !is) continue;
    const auto event = !was  ? KubeEvent::Kind::added
                       : !is ? KubeEvent::Kind::deleted
                             : KubeEvent::Kind::modified;
    channel->push(
        {event, change.key, std::to_string(change.version), is ? change.now : change.before});
  }
}

void ApiServer::identify(KubeObject& metadata) {
  metadata["uid"] = fmt::format("uid-{}", ++uids_);
  if (stamp) stamp(metadata);
}

void ApiServer::store(Kind& kind, const std::string& key, KubeObject object, FieldOwners owners) {
  Entry& entry = kind.objects[key];
  const Stored before = entry.object;
  KubeObject& metadata = object["metadata"];
  metadata["resourceVersion"] = std::to_string(++version_);
  if (!before) identify(metadata);
  if (has_generation(kind.resource)) {
    const std::int64_t old = before ? number_at(*before, {"metadata", "generation"}) : 0;
    const bool same = before && spec_of(before.get()) == spec_of(&object);
    metadata["generation"] = same ? std::max<std::int64_t>(old, 1) : old + 1;
  }
  entry.object = std::make_shared<const KubeObject>(std::move(object));
  entry.owners = std::move(owners);
  kind.history.push_back({version_, key, before, entry.object});
  const Stored now = entry.object;
  tell(kind, kind.history.back());
  const KubeRef ref = ref_of(*now);
  for (const Listener& listener : listeners_) listener(ref, before.get(), now.get());
}

void ApiServer::put(KubeObject object, std::string_view manager) {
  const KubeRef ref = ref_of(object);
  Kind* kind = kind_of(ref.kind);
  if (!kind) {
    serve(ref.kind, ref.kind.kind, !ref.name_space.empty());
    kind = kind_of(ref.kind);
  }
  const std::string key = key_of(ref.name_space, ref.name);
  const auto there = kind->objects.find(key);
  FieldOwners owners;
  const KubeObject* before = nullptr;
  if (there != kind->objects.end()) {
    before = there->second.object.get();
    owners = there->second.owners;
    const KubeObject& metadata = (*before)["metadata"];
    for (const char* name : {"uid", "resourceVersion", "generation", "creationTimestamp"}) {
      if (metadata.contains(name)) object["metadata"][name] = metadata[name];
    }
    if (object == *before) return;
  }
  take_changed(before, object, manager, owners);
  store(*kind, key, std::move(object), std::move(owners));
}

void ApiServer::put_status(const KubeRef& ref, KubeObject status) {
  const Entry* entry = entry_of(ref);
  if (!entry || at(*entry->object, {"status"}) == status) return;
  KubeObject object = *entry->object;
  object["status"] = std::move(status);
  store(*kind_of(ref.kind), key_of(ref.name_space, ref.name), std::move(object),
        FieldOwners(entry->owners));
}

void ApiServer::erase(const KubeRef& ref) {
  Kind* kind = kind_of(ref.kind);
  if (!kind) return;
  const std::string key = key_of(ref.name_space, ref.name);
  const auto found = kind->objects.find(key);
  if (found == kind->objects.end()) return;
  const Stored before = found->second.object;
  kind->objects.erase(found);
  kind->history.push_back({++version_, key, before, nullptr});
  tell(*kind, kind->history.back());
  for (const Listener& listener : listeners_) listener(ref, before.get(), nullptr);
}

CallResult<const ApiServer::Kind*> ApiServer::find_served(Call call, const KubeKind& kind) const {
  const Kind* known = kind_of(kind);
  const bool fits = known && known->is_served &&
                    (kind.version.empty() || kind.version == known->resource.kind.version);
  if (fits) return known;
  return tl::unexpected(answer(call, Code::not_found,
                               fmt::format("the server does not serve {}{}{}", kind.kind,
                                           kind.group.empty() ? "" : " of ", kind.group)));
}

std::map<std::string, ApiServer::Stored> ApiServer::objects_at(const Kind& kind,
                                                               std::uint64_t version) const {
  std::map<std::string, Stored> objects;
  for (const auto& [key, entry] : kind.objects) objects[key] = entry.object;
  for (auto change = kind.history.rbegin(); change != kind.history.rend(); ++change) {
    if (change->version <= version) break;
    if (change->before) {
      objects[change->key] = change->before;
    } else {
      objects.erase(change->key);
    }
  }
  return objects;
}

CallResult<KubeObject> ApiServer::get(const KubeRef& ref) const {
  const auto kind = find_served(Call::kube_read, ref.kind);
  if (!kind) return forward_error(kind);
  const std::string key = key_of(ref.name_space, ref.name);
  if (stale_) {
    const auto objects = objects_at(**kind, *stale_);
    const auto found = objects.find(key);
    if (found != objects.end()) return *found->second;
  } else if (const KubeObject* object = find(ref)) {
    return *object;
  }
  return tl::unexpected(
      answer(Call::kube_read, Code::not_found,
             fmt::format("{} \"{}\" not found", (*kind)->resource.plural, ref.name)));
}

CallResult<KubeList> ApiServer::list(const KubeQuery& query) const {
  const auto kind = find_served(Call::kube_read, query.kind);
  if (!kind) return forward_error(kind);
  KubeList list;
  list.resource_version = std::to_string(stale_.value_or(version_));
  if (stale_) {
    for (const auto& [key, object] : objects_at(**kind, *stale_)) {
      if (selected(*object, query)) list.items.push_back(object);
    }
    return list;
  }
  for (const auto& [key, entry] : (*kind)->objects) {
    if (selected(*entry.object, query)) list.items.push_back(shown(**kind, entry.object));
  }
  if (!(*kind)->computed) return list;
  std::vector<KubeObject> made;
  (*kind)->computed(made);
  for (KubeObject& object : made) {
    if (selected(object, query)) list.items.push_back(std::move(object));
  }
  return list;
}

CallResult<KubeList> ApiServer::list_at(const KubeQuery& query, std::uint64_t version) const {
  const auto kind = find_served(Call::kube_read, query.kind);
  if (!kind) return forward_error(kind);
  if (version < oldest_) {
    return tl::unexpected(answer(Call::kube_read, Code::out_of_range,
                                 "The provided continue parameter is too old to display a "
                                 "consistent list result."));
  }
  KubeList list;
  list.resource_version = std::to_string(version);
  for (const auto& [key, object] : objects_at(**kind, version)) {
    if (selected(*object, query)) list.items.push_back(object);
  }
  return list;
}

CallResult<std::shared_ptr<WatchChannel>> ApiServer::watch(const KubeQuery& query,
                                                           const std::string& resource_version,
                                                           WatchChannel::Takes takes) {
  const auto found = find_served(Call::kube_read, query.kind);
  if (!found) return forward_error(found);
  const std::uint64_t from = number_of(resource_version);
  if (from < oldest_) {
    return tl::unexpected(answer(Call::kube_read, Code::out_of_range,
                                 fmt::format("too old resource version: {} ({})", from, oldest_)));
  }
  Kind& kind = *kind_of(query.kind);
  const auto channel = std::make_shared<WatchChannel>(query, std::move(takes));
  kind.channels.push_back(channel);
  const auto newer = std::find_if(kind.history.begin(), kind.history.end(),
                                  [&](const Change& change) { return change.version > from; });
  std::vector<std::weak_ptr<WatchChannel>> all{channel};
  std::swap(all, kind.channels);
  for (auto change = newer; change != kind.history.end(); ++change) tell(kind, *change);
  std::swap(all, kind.channels);
  channel->held = held_ || stale_;
  return channel;
}

std::optional<CallError> ApiServer::refused(Call call, const Kind& kind, const KubeRef& ref) const {
  if (kind.resource.namespaced && ref.name_space.empty()) {
    return answer(call, Code::invalid_argument, to_text(ref) + " has no namespace and needs one");
  }
  if (!kind.resource.namespaced) return std::nullopt;
  const KubeObject* name_space = find({{"", "v1", "Namespace"}, "", ref.name_space});
  if (!name_space) {
    return answer(call, Code::not_found,
                  fmt::format("namespaces \"{}\" not found", ref.name_space));
  }
  const bool leaves = text_at(*name_space, {"status", "phase"}) == "Terminating";
  if (!leaves || find(ref)) return std::nullopt;
  return answer(call, Code::permission_denied,
                fmt::format("unable to create new content in namespace {} because it is being "
                            "terminated",
                            ref.name_space));
}

std::optional<Admission> ApiServer::admission(Call call, const KubeRef& ref) const {
  for (const Webhook& webhook : webhooks) {
    if (!webhook.kind.empty() && webhook.kind != ref.kind.kind) continue;
    if (!webhook.hangs) {
      return Admission{{},
                       answer(call, Code::permission_denied,
                              fmt::format("admission webhook \"{}\" denied the request: not today",
                                          webhook.name))};
    }
    return Admission{kWebhookLimit,
                     answer(call, Code::internal,
                            fmt::format("failed calling webhook \"{}\": context deadline exceeded",
                                        webhook.name))};
  }
  return std::nullopt;
}

CallResult<KubeObject> ApiServer::apply(const KubeObject& object, KubeApply options,
                                        std::string_view manager,
                                        std::vector<FieldConflict>* conflicts) {
  const KubeRef ref = ref_of(object);
  const auto found = find_served(Call::kube_apply, ref.kind);
  if (!found) return forward_error(found);
  Kind& kind = *kind_of(ref.kind);
  if (auto error = refused(Call::kube_apply, kind, ref)) {
    return tl::unexpected(*std::move(error));
  }
  const Entry* entry = entry_of(ref);
  const KubeObject* live = entry ? entry->object.get() : nullptr;
  static const FieldOwners nobody;
  Merge merge = merge_applied(live, entry ? entry->owners : nobody, object, manager, options.force);
  if (!merge.conflicts.empty() && !options.force) {
    auto error = answer(Call::kube_apply, Code::aborted, to_text(merge.conflicts));
    if (conflicts) *conflicts = std::move(merge.conflicts);
    return tl::unexpected(std::move(error));
  }
  if (validate) {
    if (auto error = validate(live, merge.object)) return tl::unexpected(*std::move(error));
  }
  if (options.dry_run) {
    if (!live) identify(merge.object["metadata"]);
    return std::move(merge.object);
  }
  const bool same = live && *live == merge.object && entry->owners == merge.owners;
  if (same) return *live;
  const std::string key = key_of(ref.name_space, ref.name);
  store(kind, key, std::move(merge.object), std::move(merge.owners));
  // A listener may have changed it, or taken it away, by now.
  const KubeObject* now = find(ref);
  return now ? *now : object;
}

CallResult<void> ApiServer::remove(const KubeRef& ref, const std::string& uid, bool dry_run) {
  const auto found = find_served(Call::kube_delete, ref.kind);
  if (!found) return forward_error(found);
  const KubeObject* there = find(ref);
  if (!there) {
    return tl::unexpected(
        answer(Call::kube_delete, Code::not_found, fmt::format("\"{}\" not found", ref.name)));
  }
  if (!uid.empty() && text_at(*there, {"metadata", "uid"}) != uid) {
    return tl::unexpected(
        answer(Call::kube_delete, Code::aborted, "the UID in the precondition does not match"));
  }
  if (!dry_run) erase(ref);
  return {};
}

CallResult<void> ApiServer::approve(const KubeObject& csr, const std::string& reason) {
  const KubeRef ref = ref_of(csr);
  const KubeObject* there = find(ref);
  if (!there) {
    return tl::unexpected(
        answer(Call::approve_csr, Code::not_found, fmt::format("\"{}\" not found", ref.name)));
  }
  // It is a PUT of what was seen.
  if (text_at(csr, {"metadata", "resourceVersion"}) !=
      text_at(*there, {"metadata", "resourceVersion"})) {
    return tl::unexpected(answer(Call::approve_csr, Code::aborted,
                                 "the object has been modified; please apply your changes to the "
                                 "latest version"));
  }
  KubeObject status = at(*there, {"status"});
  if (!status.is_object()) status = KubeObject::object();
  status["conditions"].push_back({{"type", "Approved"},
                                  {"status", "True"},
                                  {"reason", "ApprovedByIchor"},
                                  {"message", reason}});
  put_status(ref, std::move(status));
  return {};
}

void ApiServer::end_watches(bool broken) {
  for (const auto& kind : kinds_) {
    for (const auto& weak : kind->channels) {
      if (const auto channel = weak.lock()) channel->end(broken);
    }
    kind->channels.clear();
  }
}

void ApiServer::compact() {
  oldest_ = ++version_;
  for (const auto& kind : kinds_) kind->history.clear();
}

void ApiServer::serve_stale(std::uint64_t version) {
  stale_ = std::max(version, oldest_);
  hold_watches();
}

void ApiServer::serve_fresh() {
  if (!stale_) return;
  stale_.reset();
  release_watches(true);
}

void ApiServer::hold_watches() {
  held_ = true;
  for (const auto& kind : kinds_) {
    for (const auto& weak : kind->channels) {
      if (const auto channel = weak.lock()) channel->held = true;
    }
  }
}

void ApiServer::release_watches(bool whole) {
  held_ = false;
  for (const auto& kind : kinds_) {
    for (const auto& weak : kind->channels) {
      if (const auto channel = weak.lock()) channel->release(whole);
    }
  }
}

}  // namespace ichor::sim
