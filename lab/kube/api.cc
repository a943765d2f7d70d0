#include "lab/kube/api.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "lab/kube/discovery.h"
#include "lab/kube/patch.h"
#include "lab/kube/reply.h"
#include "lab/kube/resources.h"
#include "lab/kube/selector.h"
#include "lab/kube/table.h"
#include "lab/kube/target.h"
#include "lab/kube/validation.h"
#include "model/json.h"
#include "phase/kubernetes/json_view.h"

namespace ichor::lab {

namespace {

using nlohmann::json;
using sim::ApiServer;

/// One request to one resource.
struct Asked {
  const KubeRequest& request;
  Target target;
  Place place;
  ichor::KubeResource resource;
  KubeCluster& cluster;
  WallTime now;

  bool table() const { return request.accept.find("as=Table") != std::string::npos; }
  bool whole_objects() const { return target.get("includeObject") == "Object"; }
  bool dry_run() const { return target.get("dryRun") == "All"; }
  KubeRef ref() const {
    KubeRef ref;
    ref.kind = resource.kind;
    ref.name_space = resource.namespaced ? place.space : "";
    ref.name = place.name;
    return ref;
  }
  KubeQuery query() const {
    KubeQuery query;
    query.kind = resource.kind;
    query.name_space = resource.namespaced ? place.space : "";
    return query;
  }
  /// Who writes: as the client says, or else the first word of its name.
  std::string manager() const {
    const std::string said = target.get("fieldManager");
    if (!said.empty()) return said;
    const std::string agent = request.user_agent.substr(0, request.user_agent.find('/'));
    return agent.empty() ? "unknown" : agent;
  }
  KubeReply failed(const CallError& error) const {
    return error_reply(error, resource.kind.group, resource.plural, place.name);
  }
  KubeReply bad_request(const std::string& why) const {
    return status_reply(400, "BadRequest", why);
  }
  KubeReply undecoded(const std::string& fault) const {
    return bad_request(fmt::format("{0} in version \"{1}\" cannot be handled as a {0}: {2}",
                                   resource.kind.kind, resource.kind.version, fault));
  }
  KubeReply not_allowed() const {
    return status_reply(405, "MethodNotAllowed",
                        "the server does not allow this method on the requested resource");
  }
  KubeReply object(const json& body, int status = 200) const {
    if (!table()) return document(body, status);
    const std::string version = text_at(body, {"metadata", "resourceVersion"});
    return document(to_table(resource.plural, {body}, version, now, whole_objects()), status);
  }
};

using Takes = std::function<bool(const json&)>;

Result<Takes> selection(const Asked& asked) {
  auto labels = Selector::parse_labels(asked.target.get("labelSelector"));
  if (!labels) return forward_error(labels);
  auto fields = Selector::parse_fields(asked.target.get("fieldSelector"), asked.resource.plural);
  if (!fields) return forward_error(fields);
  return [labels = *std::move(labels), fields = *std::move(fields),
          name = asked.place.name](const json& object) {
    if (!name.empty() && name_in(object) != name) return false;
    return labels.matches_labels(object) && fields.matches_fields(object);
  };
}

/// Versions are opaque to clients, but the server takes only its own.
bool is_version(const std::string& text) {
  return text.find_first_not_of("0123456789") == std::string::npos;
}

std::int64_t number_in(const std::string& text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

KubeReply start_watch(const Asked& asked, Takes takes) {
  ApiServer& api = asked.cluster.api();
  KubeWatch watch;
  watch.bookmark = {{"kind", asked.resource.kind.kind},
                    {"apiVersion", api_version_of(asked.resource.kind)}};
  watch.form = [](const json& object) { return object; };
  if (asked.table()) {
    watch.bookmark = {{"kind", "Table"}, {"apiVersion", "meta.k8s.io/v1"}};
    watch.form = [plural = asked.resource.plural, now = asked.now,
                  whole = asked.whole_objects()](const json& object) {
      return to_table(plural, {object}, text_at(object, {"metadata", "resourceVersion"}), now,
                      whole);
    };
  }
  watch.version = asked.target.get("resourceVersion");
  if (!is_version(watch.version)) {
    return status_reply(500, nullptr,
                        fmt::format("resourceVersion: Invalid value: \"{}\"", watch.version));
  }
  watch.initial_bookmark = asked.target.flag("sendInitialEvents");
  if (watch.initial_bookmark || watch.version.empty() || watch.version == "0") {
    auto list = api.list(asked.query());
    if (!list) return asked.failed(list.error());
    watch.version = list->resource_version;
    for (const json& object : list->items) {
      if (takes(object)) watch.initial.push_back(object);
    }
  }
  auto channel = api.watch(asked.query(), watch.version, std::move(takes));
  if (!channel) return asked.failed(channel.error());
  watch.channel = *std::move(channel);
  watch.limit = std::chrono::seconds(number_in(asked.target.get("timeoutSeconds")));
  KubeReply reply;
  reply.watch = std::move(watch);
  return reply;
}

/// "VERSION/NAMESPACE/NAME" of the last object of a page.
std::string token_of(const std::string& version, const json& last) {
  return fmt::format("{}/{}/{}", version, namespace_in(last), name_in(last));
}

/// Where a page goes on, and how.
struct Token {
  std::uint64_t version{0};
  std::string after;  // namespace/name
};

std::optional<Token> parse_token(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos || slash == 0) return std::nullopt;
  const std::string version = text.substr(0, slash);
  if (!is_version(version)) return std::nullopt;
  return Token{static_cast<std::uint64_t>(number_in(version)), text.substr(slash + 1)};
}

CallResult<KubeList> list_from(const Asked& asked, const std::optional<Token>& token) {
  if (!token) return asked.cluster.api().list(asked.query());
  auto list = asked.cluster.api().list_at(asked.query(), token->version);
  if (!list) return list;
  std::erase_if(list->items.shared(), [&](const SeenObject& object) {
    const std::string key = namespace_in(*object) + "/" + name_in(*object);
    return key <= token->after;
  });
  return list;
}

/// Takes the objects that are asked for, up to a limit, and says in the list's metadata how to go
/// on. Where a selector leaves objects out, the server does not know whether more will follow.
std::vector<json> page_of(const KubeList& list, const Takes& takes, std::size_t limit, bool selects,
                          json& metadata) {
  std::vector<json> objects;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    if (limit > 0 && objects.size() == limit) {
      metadata["continue"] = token_of(list.resource_version, objects.back());
      if (!selects) metadata["remainingItemCount"] = list.items.size() - i;
      break;
    }
    if (takes(list.items[i])) objects.push_back(list.items[i]);
  }
  return objects;
}

KubeReply collection(const Asked& asked) {
  auto takes = selection(asked);
  if (!takes) return asked.bad_request(takes.error().message);
  if (asked.target.flag("watch")) return start_watch(asked, *std::move(takes));
  if (const std::string version = asked.target.get("resourceVersion"); !is_version(version)) {
    return asked.bad_request(
        fmt::format("invalid resource version: resourceVersion: Invalid value: \"{}\"", version));
  }
  const std::string going_on = asked.target.get("continue");
  const std::optional<Token> token = parse_token(going_on);
  if (!token && !going_on.empty()) {
    return asked.bad_request("invalid continue token: continue key is not valid");
  }
  auto list = list_from(asked, token);
  if (!list) return asked.failed(list.error());
  json metadata{{"resourceVersion", list->resource_version}};
  const auto limit = static_cast<std::size_t>(number_in(asked.target.get("limit")));
  const bool selects =
      !asked.target.get("labelSelector").empty() || !asked.target.get("fieldSelector").empty();
  std::vector<json> objects = page_of(*list, *takes, limit, selects, metadata);
  if (asked.table()) {
    json table = to_table(asked.resource.plural, objects, list->resource_version, asked.now,
                          asked.whole_objects());
    table["metadata"] = std::move(metadata);
    return document(table);
  }
  for (json& object : objects) {
    object.erase("kind");
    object.erase("apiVersion");
  }
  return document({{"kind", asked.resource.kind.kind + "List"},
                   {"apiVersion", api_version_of(asked.resource.kind)},
                   {"metadata", std::move(metadata)},
                   {"items", objects}});
}

/// What a client sends must be about the place that it sends it to.
std::string fault_in(const Asked& asked, json& body) {
  if (!body.is_object()) return "the body of the request is no object";
  const KubeKind kind = kind_of(text_in(body, "apiVersion"), text_in(body, "kind"));
  if (kind.group != asked.resource.kind.group || kind.kind != asked.resource.kind.kind) {
    return fmt::format("the object provided is unrecognized (must be of type {}): its kind is {}",
                       asked.resource.kind.kind, to_text(ref_of(body)));
  }
  json& metadata = body["metadata"];
  if (!metadata.is_object()) metadata = json::object();
  if (asked.resource.namespaced) {
    const std::string space = namespace_in(body);
    if (!space.empty() && space != asked.place.space) {
      return fmt::format(
          "the namespace of the provided object does not match the namespace sent on the request");
    }
    metadata["namespace"] = asked.place.space;
  }
  const std::string name = name_in(body);
  if (asked.place.name.empty()) return {};
  if (!name.empty() && name != asked.place.name) {
    return fmt::format("the name of the object ({}) does not match the name on the URL ({})", name,
                       asked.place.name);
  }
  metadata["name"] = asked.place.name;
  return {};
}

KubeReply create(const Asked& asked) {
  auto body = parse_body(asked.request.body);
  if (!body) return asked.bad_request(body.error().message);
  if (const std::string fault = fault_in(asked, *body); !fault.empty()) {
    return asked.bad_request(fault);
  }
  if (const std::string fault = undecodable(*body); !fault.empty()) {
    return asked.undecoded(fault);
  }
  if (auto refusal = asked.cluster.api().admission(Call::kube_apply, ref_of(*body))) {
    return asked.failed(refusal->error);
  }
  const std::string name = name_in(*body);
  const auto made = asked.cluster.api().create(*std::move(body), asked.dry_run(), asked.manager());
  if (made) return asked.object(*made, 201);
  return error_reply(made.error(), asked.resource.kind.group, asked.resource.plural, name);
}

KubeReply replace(const Asked& asked, json body) {
  if (const std::string fault = fault_in(asked, body); !fault.empty()) {
    return asked.bad_request(fault);
  }
  const bool whole = asked.place.subresource.empty();
  const auto part = whole ? ApiServer::Part::whole : ApiServer::Part::status;
  const auto replaced =
      asked.cluster.api().replace(std::move(body), part, asked.dry_run(), asked.manager());
  return replaced ? asked.object(*replaced) : asked.failed(replaced.error());
}

KubeReply apply(const Asked& asked) {
  if (asked.target.get("fieldManager").empty()) {
    return status_reply(422, "Invalid",
                        "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: "
                        "is required for apply patch");
  }
  auto body = parse_body(asked.request.body);
  if (!body) return asked.bad_request(body.error().message);
  if (const std::string fault = fault_in(asked, *body); !fault.empty()) {
    return asked.bad_request(fault);
  }
  if (const std::string fault = undecodable(*body); !fault.empty()) {
    return status_reply(500, nullptr,
                        fmt::format("failed to convert new object ({}/{}) to proper version: {}",
                                    asked.place.space, asked.place.name, fault));
  }
  ApiServer& api = asked.cluster.api();
  if (auto refusal = api.admission(Call::kube_apply, asked.ref())) {
    return asked.failed(refusal->error);
  }
  const json* there = api.find(asked.ref());
  const std::string version = text_at(*body, {"metadata", "resourceVersion"});
  if (there && !version.empty() && version != text_at(*there, {"metadata", "resourceVersion"})) {
    return asked.failed({Call::kube_apply, Progress::answered, TlsVerdict::fine, Code::aborted,
                         fmt::format("Operation cannot be fulfilled on {} \"{}\": the object has "
                                     "been modified; please apply your changes to the latest "
                                     "version and try again",
                                     asked.resource.plural, asked.place.name)});
  }
  const int status = there ? 200 : 201;
  KubeApply options;
  options.dry_run = asked.dry_run();
  options.force = asked.target.flag("force");
  std::vector<sim::FieldConflict> conflicts;
  const auto applied = api.apply(*body, options, asked.manager(), &conflicts);
  if (!conflicts.empty()) return conflict_reply(conflicts);
  return applied ? asked.object(*applied, status) : asked.failed(applied.error());
}

KubeReply patch(const Asked& asked) {
  if (asked.request.content_type.starts_with("application/apply-patch")) return apply(asked);
  const auto body = parse_body(asked.request.body);
  if (!body) return asked.bad_request(body.error().message);
  auto live = asked.cluster.api().get(asked.ref());
  if (!live) return asked.failed(live.error());
  auto result = patched(*live, asked.request.content_type, *body);
  if (!result && result.error().code == Errc::io) {
    return status_reply(415, "UnsupportedMediaType", result.error().message);
  }
  if (!result && result.error().code == Errc::unsafe) {
    return status_reply(422, "Invalid", result.error().message, json::object());
  }
  if (!result) return asked.bad_request(result.error().message);
  if (const std::string fault = undecodable(*result); !fault.empty()) {
    return status_reply(422, "Invalid", " \"\" is invalid: patch: Invalid value: " + fault);
  }
  return replace(asked, *std::move(result));
}

KubeReply remove(const Asked& asked) {
  json options = json::object();
  if (!asked.request.body.empty()) {
    auto body = parse_body(asked.request.body);
    if (!body) return asked.bad_request(body.error().message);
    options = *std::move(body);
  }
  ApiServer& api = asked.cluster.api();
  const json* there = api.find(asked.ref());
  const std::string uid = there ? text_at(*there, {"metadata", "uid"}) : "";
  const json& dry = at(options, {"dryRun"});
  const bool dry_run = asked.dry_run() || (dry.is_array() && !dry.empty());
  const auto removed = api.remove(asked.ref(), text_at(options, {"preconditions", "uid"}), dry_run);
  if (!removed) return asked.failed(removed.error());
  json details{{"name", asked.place.name}, {"kind", asked.resource.plural}, {"uid", uid}};
  if (!asked.resource.kind.group.empty()) details["group"] = asked.resource.kind.group;
  return document({{"kind", "Status"},
                   {"apiVersion", "v1"},
                   {"metadata", json::object()},
                   {"status", "Success"},
                   {"details", std::move(details)}});
}

KubeReply evict(const Asked& asked) {
  const auto body = parse_body(asked.request.body);
  if (!body) return asked.bad_request(body.error().message);
  const auto evicted = asked.cluster.api().evict(
      asked.ref(), text_at(*body, {"deleteOptions", "preconditions", "uid"}));
  if (!evicted) return asked.failed(evicted.error());
  return document({{"kind", "Status"},
                   {"apiVersion", "v1"},
                   {"metadata", json::object()},
                   {"status", "Success"},
                   {"code", 201}},
                  201);
}

KubeReply no_such_resource() {
  return status_reply(404, "NotFound", "the server could not find the requested resource");
}

KubeReply single(const Asked& asked) {
  const auto found = asked.cluster.api().get(asked.ref());
  return found ? asked.object(*found) : asked.failed(found.error());
}

KubeReply on_resource(const Asked& asked) {
  const std::string& method = asked.request.method;
  const std::string& part = asked.place.subresource;
  if (part == "portforward" || part == "exec" || part == "log" || part == "attach") {
    return status_reply(403, "Forbidden",
                        "the lab has no containers: there is nothing to forward to, run or read");
  }
  if (part == "eviction" && method == "POST") return evict(asked);
  const bool is_custom = !is_built_in(asked.resource.kind.group);
  if (part == "status" && is_custom && !has_status(asked.cluster.api(), asked.resource)) {
    return asked.failed({Call::kube_read, Progress::answered, TlsVerdict::fine, Code::not_found,
                         fmt::format("{}.{} \"{}\" not found", asked.resource.plural,
                                     asked.resource.kind.group, asked.place.name)});
  }
  const bool known = part.empty() || part == "approval" || part == "finalize" ||
                     (part == "status" && has_status(asked.cluster.api(), asked.resource));
  if (!known) return no_such_resource();
  if (asked.place.name.empty()) {
    if (method == "GET") return collection(asked);
    return method == "POST" ? create(asked) : asked.not_allowed();
  }
  if (method == "GET") return asked.target.flag("watch") ? collection(asked) : single(asked);
  if (method == "PUT") {
    auto body = parse_body(asked.request.body);
    if (!body) return asked.bad_request(body.error().message);
    const std::string fault = undecodable(*body);
    return fault.empty() ? replace(asked, *std::move(body)) : asked.undecoded(fault);
  }
  if (method == "PATCH") return patch(asked);
  return method == "DELETE" && part.empty() ? remove(asked) : asked.not_allowed();
}

}  // namespace

KubeReply answer(const KubeRequest& request, KubeCluster& cluster, WallTime now) {
  if (request.peer.anonymous) return status_reply(401, "Unauthorized", "Unauthorized");
  const Target target = Target::parse(request.target);
  const auto& groups = request.peer.organizations;
  const bool master = std::find(groups.begin(), groups.end(), "system:masters") != groups.end();
  if (!master) {
    return status_reply(
        403, "Forbidden",
        "User \"" + request.peer.common_name + "\" cannot access path \"" + target.path + "\"");
  }
  for (const char* probe : {"/readyz", "/livez", "/healthz"}) {
    if (target.path == probe || target.path.starts_with(std::string(probe) + "/")) {
      return {200, "text/plain; charset=utf-8", "ok", std::nullopt};
    }
  }
  if (const auto found = discovery_document(target.path, cluster)) {
    if (request.method == "GET") return document(*found);
    return status_reply(405, "MethodNotAllowed",
                        "the server does not allow this method on the requested resource");
  }
  const Place place = Place::of(target);
  const ichor::KubeResource* resource =
      place.plural.empty() ? nullptr
                           : cluster.api().served({place.group, place.version, place.plural});
  if (!resource || resource->plural != place.plural || resource->kind.version != place.version) {
    return !place.plural.empty() && is_built_in(place.group) ? no_such_resource() : no_such_page();
  }
  return on_resource({request, target, place, *resource, cluster, now});
}

}  // namespace ichor::lab
