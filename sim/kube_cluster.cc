#include "sim/kube_cluster.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <fmt/format.h>

#include "phase/kubernetes/json_view.h"

namespace ichor::sim {

namespace {

CallError answer(Call call, Code code, std::string text) {
  return {call, Progress::answered, TlsVerdict::fine, code, std::move(text)};
}

std::uint64_t number_of(const std::string& version) {
  std::uint64_t number = 0;
  std::from_chars(version.data(), version.data() + version.size(), number);
  return number;
}

/// The subset of selectors that ichor sends: "a=b,c=d" and "metadata.name=x".
bool selected(const KubeObject& object, const KubeQuery& query) {
  if (!query.name_space.empty() && namespace_in(object) != query.name_space) return false;
  std::string_view rest = query.labels;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    const std::size_t equals = part.find('=');
    const std::string value = text_at(object, {"metadata", "labels", part.substr(0, equals)});
    if (equals == std::string_view::npos || value != part.substr(equals + 1)) return false;
  }
  constexpr std::string_view by_name = "metadata.name=";
  return !query.fields.starts_with(by_name) ||
         name_in(object) == query.fields.substr(by_name.size());
}

}  // namespace

struct KubeCluster::Channel {
  KubeQuery query;
  std::deque<KubeEvent> events;
  bool ended{false};
  bool forgotten{false};
  Signal changed;
};

class KubeCluster::Stream final : public KubeStream {
 public:
  explicit Stream(std::shared_ptr<Channel> channel) : channel_(std::move(channel)) {}

  Task<CallResult<std::optional<KubeEvent>>> next(Context context) override {
    while (channel_->events.empty()) {
      if (channel_->forgotten) {
        co_return tl::unexpected(answer(Call::kube_read, Code::out_of_range, "too old"));
      }
      if (channel_->ended) co_return std::optional<KubeEvent>();
      if (co_await channel_->changed.wait(context) != Wake::signalled) {
        co_return tl::unexpected(answer(Call::kube_read, Code::cancelled, "called off"));
      }
    }
    std::optional<KubeEvent> event = std::move(channel_->events.front());
    channel_->events.pop_front();
    co_return event;
  }

 private:
  std::shared_ptr<Channel> channel_;
};

KubeCluster::KubeCluster(Clock& clock) : clock_(clock) {
  serve({"", "v1", "Namespace"}, "namespaces", false);
  serve({"", "v1", "Node"}, "nodes", false);
  serve({"", "v1", "Pod"}, "pods", true);
  serve({"", "v1", "Secret"}, "secrets", true);
  serve({"", "v1", "ConfigMap"}, "configmaps", true);
  serve({"apps", "v1", "Deployment"}, "deployments", true);
  serve({"apps", "v1", "DaemonSet"}, "daemonsets", true);
  serve({"apiextensions.k8s.io", "v1", "CustomResourceDefinition"}, "customresourcedefinitions",
        false);
  serve({"certificates.k8s.io", "v1", "CertificateSigningRequest"}, "certificatesigningrequests",
        false);
}

KubeCluster::~KubeCluster() {
  for (const Clock::CallId call : calls_) clock_.cancel(call);
}

KubeCluster::Key KubeCluster::key_of(const KubeRef& ref) {
  return fmt::format("{}/{}/{}/{}", ref.kind.group, ref.kind.kind, ref.name_space, ref.name);
}

void KubeCluster::serve(const KubeKind& kind, const std::string& plural, bool namespaced) {
  if (!served(kind)) resources_.push_back({kind, plural, namespaced});
}

void KubeCluster::stop_serving(const KubeKind& kind) {
  std::erase_if(resources_, [&](const KubeResource& resource) {
    return resource.kind.group == kind.group && resource.kind.kind == kind.kind;
  });
}

const KubeResource* KubeCluster::served(const KubeKind& kind) const {
  for (const KubeResource& resource : resources_) {
    if (resource.kind.kind != kind.kind && resource.plural != kind.kind) continue;
    if (resource.kind.group == kind.group) return &resource;
  }
  return nullptr;
}

std::optional<CallError> KubeCluster::asked(Call call, const KubeRef& ref) {
  if (trouble) {
    if (auto error = trouble(call, ref)) return error;
  }
  if (served(ref.kind)) return std::nullopt;
  return answer(call, Code::not_found, fmt::format("{} is not served", ref.kind.kind));
}

void KubeCluster::tell(KubeEvent::Kind kind, const KubeObject& object) {
  const KubeRef ref = ref_of(object);
  for (const auto& weak : channels_) {
    const auto channel = weak.lock();
    if (!channel || channel->ended) continue;
    if (channel->query.kind.group != ref.kind.group) continue;
    if (channel->query.kind.kind != ref.kind.kind || !selected(object, channel->query)) continue;
    channel->events.push_back({kind, object});
    channel->changed.notify_all();
  }
}

void KubeCluster::store(KubeObject object) {
  const Key key = key_of(ref_of(object));
  const auto old = objects_.find(key);
  const bool is_new = old == objects_.end();
  object["metadata"]["resourceVersion"] = std::to_string(++version_);
  if (is_new) object["metadata"]["uid"] = fmt::format("uid-{}", ++uid_);
  objects_[key] = object;
  tell(is_new ? KubeEvent::Kind::added : KubeEvent::Kind::modified, object);
}

/// What controllers make of an object.
void KubeCluster::live(const KubeObject& object) {
  const KubeRef ref = ref_of(object);
  const auto soon = [this](std::function<void()> work) {
    calls_.push_back(clock_.call_at(clock_.now() + std::chrono::seconds(1), std::move(work)));
  };
  if (ref.kind.kind == "Namespace" && text_at(object, {"status", "phase"}).empty()) {
    KubeObject active = *find(ref);
    active["status"]["phase"] = "Active";
    store(std::move(active));
  }
  const bool is_crd = ref.kind.kind == "CustomResourceDefinition";
  if (!is_crd || never_established.contains(ref.name)) return;
  if (condition_status(object, "Established") == "True") return;
  soon([this, ref] {
    const KubeObject* there = find(ref);
    if (!there) return;
    KubeObject crd = *there;
    crd["status"]["conditions"] = {{{"type", "Established"}, {"status", "True"}}};
    serve({text_at(crd, {"spec", "group"}), "v1", text_at(crd, {"spec", "names", "kind"})},
          text_at(crd, {"spec", "names", "plural"}),
          text_at(crd, {"spec", "scope"}) == "Namespaced");
    store(std::move(crd));
  });
}

void KubeCluster::put(KubeObject object) { store(std::move(object)); }

void KubeCluster::erase(const KubeRef& ref) {
  const auto found = objects_.find(key_of(ref));
  if (found == objects_.end()) return;
  const KubeObject object = found->second;
  objects_.erase(found);
  ++version_;
  tell(KubeEvent::Kind::deleted, object);
}

const KubeObject* KubeCluster::find(const KubeRef& ref) const {
  const auto found = objects_.find(key_of(ref));
  return found == objects_.end() ? nullptr : &found->second;
}

std::string KubeCluster::version_of(const KubeRef& ref) const {
  const KubeObject* object = find(ref);
  return object ? text_at(*object, {"metadata", "resourceVersion"}) : std::string();
}

void KubeCluster::break_watches(bool forget) {
  if (forget) oldest_ = ++version_;
  for (const auto& weak : channels_) {
    const auto channel = weak.lock();
    if (!channel) continue;
    channel->ended = true;
    channel->forgotten = forget;
    channel->changed.notify_all();
  }
  channels_.clear();
}

Task<CallResult<void>> KubeCluster::ready(Context) {
  if (trouble) {
    if (auto error = trouble(Call::kube_ready, {})) co_return tl::unexpected(*std::move(error));
  }
  co_return CallResult<void>();
}

Task<CallResult<KubeResource>> KubeCluster::find_kind(Context, KubeKind kind) {
  KubeRef ref;
  ref.kind = kind;
  if (auto error = asked(Call::kube_read, ref)) co_return tl::unexpected(*std::move(error));
  co_return *served(kind);
}

Task<CallResult<KubeObject>> KubeCluster::get(Context, KubeRef ref) {
  if (auto error = asked(Call::kube_read, ref)) co_return tl::unexpected(*std::move(error));
  const KubeObject* object = find(ref);
  if (object) co_return *object;
  co_return tl::unexpected(answer(Call::kube_read, Code::not_found, to_text(ref) + " not found"));
}

Task<CallResult<KubeList>> KubeCluster::list(Context, KubeQuery query) {
  ++lists;
  KubeRef ref;
  ref.kind = query.kind;
  if (auto error = asked(Call::kube_read, ref)) co_return tl::unexpected(*std::move(error));
  KubeList list;
  for (const auto& [key, object] : objects_) {
    const KubeKind kind = ref_of(object).kind;
    if (kind.group != query.kind.group || kind.kind != query.kind.kind) continue;
    if (selected(object, query)) list.items.push_back(object);
  }
  list.resource_version = std::to_string(version_);
  co_return list;
}

Task<CallResult<std::unique_ptr<KubeStream>>> KubeCluster::watch(Context, KubeQuery query,
                                                                 std::string resource_version) {
  ++watches;
  KubeRef ref;
  ref.kind = query.kind;
  if (auto error = asked(Call::kube_read, ref)) co_return tl::unexpected(*std::move(error));
  if (number_of(resource_version) < oldest_) {
    co_return tl::unexpected(answer(Call::kube_read, Code::out_of_range, "too old"));
  }
  const auto channel = std::make_shared<Channel>();
  channel->query = std::move(query);
  // What changed between the list and the watch.
  for (const auto& [key, object] : objects_) {
    const KubeKind kind = ref_of(object).kind;
    if (kind.group != channel->query.kind.group || kind.kind != channel->query.kind.kind) continue;
    if (number_of(text_at(object, {"metadata", "resourceVersion"})) <=
        number_of(resource_version)) {
      continue;
    }
    if (selected(object, channel->query)) {
      channel->events.push_back({KubeEvent::Kind::modified, object});
    }
  }
  channels_.push_back(channel);
  std::unique_ptr<KubeStream> stream = std::make_unique<Stream>(channel);
  co_return stream;
}

Task<CallResult<KubeObject>> KubeCluster::apply(Context, const KubeObject& object,
                                                KubeApply options) {
  const KubeRef ref = ref_of(object);
  if (auto error = asked(Call::kube_apply, ref)) co_return tl::unexpected(*std::move(error));
  const auto conflict = conflicts.find(to_text(ref));
  if (conflict != conflicts.end() && !options.force) {
    co_return tl::unexpected(answer(Call::kube_apply, Code::aborted, conflict->second));
  }
  const KubeObject* there = find(ref);
  KubeObject merged = there ? *there : KubeObject::object();
  merged.merge_patch(object);
  if (options.dry_run) {
    ++dry_runs;
    co_return merged;
  }
  ++applies;
  if (!there || merged != *there) {
    store(std::move(merged));
    live(*find(ref));
  }
  co_return *find(ref);
}

Task<CallResult<void>> KubeCluster::remove(Context, KubeRef ref, std::string uid) {
  if (auto error = asked(Call::kube_delete, ref)) co_return tl::unexpected(*std::move(error));
  const KubeObject* there = find(ref);
  if (!there) {
    co_return tl::unexpected(answer(Call::kube_delete, Code::not_found, "not found"));
  }
  if (text_at(*there, {"metadata", "uid"}) != uid) {
    co_return tl::unexpected(answer(Call::kube_delete, Code::aborted, "another object by now"));
  }
  ++removals;
  erase(ref);
  co_return CallResult<void>();
}

Task<CallResult<void>> KubeCluster::approve_csr(Context, KubeObject csr, std::string reason) {
  const KubeRef ref = ref_of(csr);
  if (auto error = asked(Call::approve_csr, ref)) co_return tl::unexpected(*std::move(error));
  const KubeObject* there = find(ref);
  if (!there) co_return tl::unexpected(answer(Call::approve_csr, Code::not_found, "not found"));
  ++approvals;
  KubeObject approved = *there;
  approved["status"]["conditions"] = {
      {{"type", "Approved"}, {"status", "True"}, {"message", reason}}};
  approved["status"]["certificate"] = "issued";
  store(std::move(approved));
  co_return CallResult<void>();
}

}  // namespace ichor::sim
