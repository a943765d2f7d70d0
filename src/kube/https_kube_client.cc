#include "kube/https_kube_client.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/clean_text.h"
#include "kube/discovery.h"
#include "kube/kube_peer.h"
#include "kube/kube_status.h"
#include "kube/kubeconfig.h"
#include "kube/slim.h"
#include "kube/watch_stream.h"
#include "model/json.h"

namespace ichor {

namespace {

constexpr const char* kManager = "ichor";
/// Objects of a page, and of the smallest one: a page that is too large is asked for again with
/// fewer objects.
constexpr int kPageSize = 100;
constexpr int kPagesMax = 2'000;
/// Of all pages of a list together, see json_weight(): 3,000 Pods or 1,000 Nodes.
constexpr std::size_t kListWeightMax = 64u << 20;
/// The server ends a watch after this long, in order; we go on from where it was.
constexpr const char* kWatchSeconds = "1800";
constexpr Duration kReadyLimit = std::chrono::seconds(10);

CallError answered(Call call, Code code, std::string text) {
  return {call, Progress::answered, TlsVerdict::fine, code, std::move(text)};
}

std::string metadata_text(const KubeObject& object, const char* key) {
  const auto metadata = object.find("metadata");
  return metadata == object.end() ? std::string() : text_in(*metadata, key);
}

/// Items of a list have neither apiVersion nor kind of their own. Gives what they weigh.
std::size_t take_items(KubeObject& page, const KubeKind& kind, SeenObjects& items) {
  const auto found = page.find("items");
  if (found == page.end() || !found->is_array()) return 0;
  std::size_t weight = 0;
  for (KubeObject& item : *found) {
    if (!item.is_object()) continue;
    item["apiVersion"] = api_version_of(kind);
    item["kind"] = kind.kind;
    if (!slim(item)) continue;
    weight += json_weight(item);
    items.push_back(std::move(item));
  }
  return weight;
}

// The targets are made in plain functions: the compiler mishandles lists within co_await.

std::string list_target(const KubeResource& resource, const KubeQuery& query,
                        const std::string& next, int page_size) {
  return path_of(resource, query.name_space) + query_text({{"limit", std::to_string(page_size)},
                                                           {"continue", next},
                                                           {"labelSelector", query.labels},
                                                           {"fieldSelector", query.fields}});
}

std::string watch_target(const KubeResource& resource, const KubeQuery& query,
                         const std::string& resource_version) {
  return path_of(resource, query.name_space) + query_text({{"watch", "1"},
                                                           {"allowWatchBookmarks", "true"},
                                                           {"timeoutSeconds", kWatchSeconds},
                                                           {"resourceVersion", resource_version},
                                                           {"labelSelector", query.labels},
                                                           {"fieldSelector", query.fields}});
}

std::string apply_target(const KubeResource& resource, const KubeRef& ref, KubeApply options) {
  return path_of(resource, ref.name_space, ref.name) +
         query_text({{"fieldManager", kManager},
                     {"force", options.force ? "true" : ""},
                     {"dryRun", options.dry_run ? "All" : ""}});
}

std::string delete_options(const std::string& uid) {
  const KubeObject options{{"kind", "DeleteOptions"},
                           {"apiVersion", "v1"},
                           {"propagationPolicy", "Background"},
                           {"preconditions", {{"uid", uid}}}};
  return options.dump();
}

std::string eviction_of(const KubeRef& pod, const std::string& uid) {
  const KubeObject eviction{{"apiVersion", "policy/v1"},
                            {"kind", "Eviction"},
                            {"metadata", {{"name", pod.name}, {"namespace", pod.name_space}}},
                            {"deleteOptions", {{"preconditions", {{"uid", uid}}}}}};
  return eviction.dump();
}

std::string approved(KubeObject csr, const std::string& reason) {
  KubeObject& conditions = csr["status"]["conditions"];
  if (!conditions.is_array()) conditions = KubeObject::array();
  conditions.push_back({{"type", "Approved"},
                        {"status", "True"},
                        {"reason", "ApprovedByIchor"},
                        {"message", reason}});
  return csr.dump();
}

}  // namespace

Result<std::unique_ptr<HttpsKubeClient>> HttpsKubeClient::make(boost::asio::io_context& io,
                                                               const SecretString& kubeconfig,
                                                               Dial dial) {
  const auto access = read_kubeconfig(kubeconfig);
  if (!access) return forward_error(access);
  auto peer = peer_of(*access, dial ? dial(IpAddress(access->host)).value() : access->host);
  if (!peer) return forward_error(peer);
  return std::unique_ptr<HttpsKubeClient>(new HttpsKubeClient(io, *std::move(peer)));
}

Task<CallResult<KubeObject>> HttpsKubeClient::call(Context context, Call call,
                                                   HttpRequest request) {
  const auto answer = co_await pool_.ask(context, call, std::move(request));
  if (!answer) co_return forward_error(answer);
  if (!is_success(answer->status)) co_return tl::unexpected(error_of(call, *answer));
  if (std::string excess = json_excess(answer->body.reveal()); !excess.empty()) {
    co_return tl::unexpected(answered(call, Code::resource_exhausted, "the answer: " + excess));
  }
  auto parsed = parse_json(answer->body.reveal());
  if (!parsed || !parsed->is_object()) {
    co_return tl::unexpected(answered(call, Code::internal, "the answer is not a JSON object"));
  }
  co_return *std::move(parsed);
}

Task<CallResult<KubeObject>> HttpsKubeClient::read(Context context, std::string target) {
  HttpRequest request;
  request.target = std::move(target);
  return call(context, Call::kube_read, std::move(request));
}

Task<CallResult<void>> HttpsKubeClient::ready(Context context) {
  HttpRequest request;
  request.target = "/readyz?verbose";
  const auto answer =
      co_await pool_.ask(context.within(kReadyLimit), Call::kube_ready, std::move(request));
  if (!answer) co_return forward_error(answer);
  if (is_success(answer->status)) co_return CallResult<void>();
  CallError error = error_of(Call::kube_ready, *answer);
  // Of the checks only those that failed are of interest.
  std::string failed;
  std::string_view rest = answer->body.reveal();
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (line.starts_with("[-]")) failed += (failed.empty() ? "" : ", ") + std::string(line);
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  if (!failed.empty()) error.text = clean_text(failed);
  co_return tl::unexpected(std::move(error));
}

Task<CallResult<KubeResource>> HttpsKubeClient::find_in(Context context, std::string group,
                                                        std::string version, std::string name) {
  const std::string path = group_version_path(group, version);
  const auto known = resource_lists_.find(path);
  if (known != resource_lists_.end()) {
    if (auto found = find_resource(known->second, name)) co_return *std::move(found);
  }
  auto list = co_await read(context, path);
  if (!list) co_return forward_error(list);
  KubeObject& kept = resource_lists_[path] = *std::move(list);
  if (auto found = find_resource(kept, name)) co_return *std::move(found);
  co_return tl::unexpected(
      answered(Call::kube_read, Code::not_found,
               fmt::format("the server does not serve {} in {}", name, path.substr(1))));
}

Task<CallResult<KubeResource>> HttpsKubeClient::find_in_group(Context context, KubeKind kind) {
  std::vector<std::string> versions{"v1"};
  if (!kind.group.empty()) {
    const auto group = co_await read(context, "/apis/" + kind.group);
    if (!group) co_return forward_error(group);
    versions = versions_of(*group);
  }
  CallResult<KubeResource> last = tl::unexpected(
      answered(Call::kube_read, Code::not_found, fmt::format("{} is not served", kind.kind)));
  for (const std::string& version : versions) {
    last = co_await find_in(context, kind.group, version, kind.kind);
    if (last || last.error().code != Code::not_found) break;
  }
  co_return last;
}

Task<CallResult<KubeResource>> HttpsKubeClient::find_anywhere(Context context, KubeKind kind) {
  auto found = co_await find_in_group(context, kind);
  if (found || found.error().code != Code::not_found) co_return found;
  const auto groups = co_await read(context, "/apis");
  if (!groups) co_return forward_error(groups);
  const auto list = groups->find("groups");
  if (list == groups->end() || !list->is_array()) co_return found;
  for (const KubeObject& group : *list) {
    const std::string name = text_in(group, "name");
    for (const std::string& version : versions_of(group)) {
      auto here = co_await find_in(context, name, version, kind.kind);
      if (here) co_return here;
    }
  }
  co_return found;
}

Task<CallResult<KubeResource>> HttpsKubeClient::find_kind(Context context, KubeKind kind) {
  if (!kind.version.empty()) return find_in(context, kind.group, kind.version, kind.kind);
  // Kinds are capitalised and belong to a group that is said; a word that was typed need not.
  return kind.group.empty() ? find_anywhere(context, kind) : find_in_group(context, kind);
}

Task<CallResult<KubeObject>> HttpsKubeClient::get(Context context, KubeRef ref) {
  const auto resource = co_await find_kind(context, ref.kind);
  if (!resource) co_return forward_error(resource);
  co_return co_await read(context, path_of(*resource, ref.name_space, ref.name));
}

Task<CallResult<KubeList>> HttpsKubeClient::list(Context context, KubeQuery query) {
  const auto resource = co_await find_kind(context, query.kind);
  if (!resource) co_return forward_error(resource);
  KubeList result;
  std::string next;
  int page_size = kPageSize;
  std::size_t weight = 0;
  for (int page = 0; page < kPagesMax; ++page) {
    auto answer = co_await read(context, list_target(*resource, query, next, page_size));
    const bool too_large = !answer && answer.error().code == Code::resource_exhausted;
    if (too_large && page_size > 1) {
      page_size = std::max(page_size / 5, 1);
      continue;
    }
    if (!answer) co_return forward_error(answer);
    weight += take_items(*answer, resource->kind, result.items);
    if (weight > kListWeightMax) {
      co_return tl::unexpected(answered(Call::kube_read, Code::resource_exhausted,
                                        fmt::format("the list of {} takes more than {} MiB",
                                                    resource->plural, kListWeightMax >> 20)));
    }
    result.resource_version = metadata_text(*answer, "resourceVersion");
    next = metadata_text(*answer, "continue");
    if (next.empty()) co_return result;
  }
  co_return tl::unexpected(
      answered(Call::kube_read, Code::resource_exhausted, "the list has too many pages"));
}

Task<CallResult<std::unique_ptr<KubeStream>>> HttpsKubeClient::watch(Context context,
                                                                     KubeQuery query,
                                                                     std::string resource_version) {
  const auto resource = co_await find_kind(context, query.kind);
  if (!resource) co_return forward_error(resource);
  co_return co_await open_watch_stream(context, pool_,
                                       watch_target(*resource, query, resource_version));
}

Task<CallResult<KubeObject>> HttpsKubeClient::apply(Context context, const KubeObject& object,
                                                    KubeApply options) {
  const KubeRef ref = ref_of(object);
  HttpRequest request;
  request.method = "PATCH";
  request.content_type = "application/apply-patch+yaml";
  request.body = SecretString(object.dump());
  const auto resource = co_await find_kind(context, ref.kind);
  if (!resource) co_return forward_error(resource);
  if (resource->namespaced && ref.name_space.empty()) {
    co_return tl::unexpected(answered(Call::kube_apply, Code::invalid_argument,
                                      to_text(ref) + " has no namespace and needs one"));
  }
  request.target = apply_target(*resource, ref, options);
  co_return co_await call(context, Call::kube_apply, std::move(request));
}

Task<CallResult<void>> HttpsKubeClient::remove(Context context, KubeRef ref, std::string uid) {
  const auto resource = co_await find_kind(context, ref.kind);
  if (!resource) co_return forward_error(resource);
  HttpRequest request;
  request.method = "DELETE";
  request.target = path_of(*resource, ref.name_space, ref.name);
  request.content_type = "application/json";
  request.body = SecretString(delete_options(uid));
  const auto answer = co_await call(context, Call::kube_delete, std::move(request));
  if (!answer) co_return forward_error(answer);
  co_return CallResult<void>();
}

Task<CallResult<void>> HttpsKubeClient::evict(Context context, KubeRef pod, std::string uid) {
  const auto resource = co_await find_kind(context, pod.kind);
  if (!resource) co_return forward_error(resource);
  HttpRequest request;
  request.method = "POST";
  request.target = path_of(*resource, pod.name_space, pod.name) + "/eviction";
  request.content_type = "application/json";
  request.body = SecretString(eviction_of(pod, uid));
  // A budget that forbids it is answered with 429, which is no wish for patience: the caller looks
  // at what has changed before it asks again.
  const auto answer = co_await pool_.ask_once(context, Call::evict, std::move(request));
  if (!answer) co_return forward_error(answer);
  if (!is_success(answer->status)) co_return tl::unexpected(error_of(Call::evict, *answer));
  co_return CallResult<void>();
}

Task<CallResult<void>> HttpsKubeClient::approve_csr(Context context, KubeObject csr,
                                                    std::string reason) {
  const KubeRef ref = ref_of(csr);
  const auto resource = co_await find_kind(context, ref.kind);
  if (!resource) co_return forward_error(resource);
  HttpRequest request;
  request.method = "PUT";
  request.target = path_of(*resource, "", ref.name) + "/approval?fieldManager=ichor";
  request.content_type = "application/json";
  request.body = SecretString(approved(std::move(csr), reason));
  const auto answer = co_await call(context, Call::approve_csr, std::move(request));
  if (!answer) co_return forward_error(answer);
  co_return CallResult<void>();
}

}  // namespace ichor
