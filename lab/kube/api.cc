#include "lab/kube/api.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "lab/kube/discovery.h"
#include "lab/kube/resources.h"
#include "lab/kube/selector.h"
#include "lab/kube/table.h"

namespace ichor::lab {

namespace {

using nlohmann::json;

struct Target {
  std::string path;
  std::map<std::string, std::string> query;

  std::string get(const std::string& key) const {
    const auto found = query.find(key);
    return found == query.end() ? "" : found->second;
  }
  bool flag(const std::string& key) const {
    const std::string value = get(key);
    return value == "true" || value == "1";
  }
};

std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '+') {
      out += ' ';
    } else if (text[at] == '%' && at + 2 < text.size()) {
      unsigned value = 0;
      std::from_chars(text.data() + at + 1, text.data() + at + 3, value, 16);
      out += static_cast<char>(value);
      at += 2;
    } else {
      out += text[at];
    }
  }
  return out;
}

Target parse_target(const std::string& text) {
  Target target;
  const std::size_t mark = text.find('?');
  target.path = unescape(text.substr(0, mark));
  while (target.path.size() > 1 && target.path.ends_with('/')) target.path.pop_back();
  std::string_view query = mark == std::string::npos ? "" : std::string_view(text).substr(mark + 1);
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    const std::size_t equals = std::min(pair.find('='), pair.size());
    target.query[unescape(pair.substr(0, equals))] =
        equals < pair.size() ? unescape(pair.substr(equals + 1)) : "";
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return target;
}

KubeReply status_reply(int code, const char* reason, const std::string& message) {
  const json body = {{"kind", "Status"},    {"apiVersion", "v1"}, {"metadata", json::object()},
                     {"status", "Failure"}, {"message", message}, {"reason", reason},
                     {"code", code}};
  return {code, "application/json", body.dump() + "\n", std::nullopt};
}

KubeReply document(const json& body) { return {200, "application/json", body.dump() + "\n", {}}; }

/// A path of the form /api/v1/namespaces/NS/pods/NAME.
struct Place {
  const KubeResource* resource{nullptr};
  std::string space;
  std::string name;
  bool deeper{false};  // a subresource
};

std::vector<std::string> segments(const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t at = 1; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    parts.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

Place find_place(const std::string& path) {
  Place place;
  std::vector<std::string> parts = segments(path);
  std::string group;
  std::size_t at = 0;
  if (parts.size() >= 3 && parts[0] == "api" && parts[1] == "v1") {
    at = 2;
  } else if (parts.size() >= 4 && parts[0] == "apis" && parts[2] == "v1") {
    group = parts[1];
    at = 3;
  } else {
    return place;
  }
  if (parts[at] == "namespaces" && parts.size() > at + 2) {
    place.space = parts[at + 1];
    at += 2;
  }
  place.resource = find_resource(group, parts[at]);
  if (parts.size() > at + 1) place.name = parts[at + 1];
  place.deeper = parts.size() > at + 2;
  return place;
}

std::string group_resource(const KubeResource& resource) {
  std::string text(resource.plural);
  if (!resource.group.empty()) text += "." + std::string(resource.group);
  return text;
}

struct Wish {
  bool table{false};
  bool whole_objects{false};
};

Wish wish_of(const KubeRequest& request, const Target& target) {
  return {request.accept.find("as=Table") != std::string::npos,
          target.get("includeObject") == "Object"};
}

KubeReply start_watch(const Place& place, const Target& target, const Wish& wish,
                      std::function<bool(const json&)> takes, const ObjectStore& store,
                      WallTime now) {
  const KubeResource& resource = *place.resource;
  KubeWatch watch;
  watch.plural = resource.plural;
  watch.space = place.space;
  watch.takes = std::move(takes);
  watch.bookmark = {{"kind", resource.kind}, {"apiVersion", api_version(resource)}};
  if (wish.table) {
    watch.form = [&resource, now, whole = wish.whole_objects](const json& object,
                                                              std::uint64_t version) {
      return to_table(resource, {object}, version, now, whole);
    };
    watch.bookmark = {{"kind", "Table"}, {"apiVersion", "meta.k8s.io/v1"}};
  } else {
    watch.form = [](const json& object, std::uint64_t) { return object; };
  }
  const std::string from = target.get("resourceVersion");
  watch.initial_bookmark = target.flag("sendInitialEvents");
  watch.initial_events = watch.initial_bookmark || from.empty() || from == "0";
  if (!watch.initial_events) {
    std::from_chars(from.data(), from.data() + from.size(), watch.since);
    if (!store.knows_since(watch.since)) {
      return status_reply(
          410, "Expired",
          "too old resource version: " + from + " (" + std::to_string(store.version()) + ")");
    }
  }
  const std::string limit = target.get("timeoutSeconds");
  std::int64_t limit_s = 0;
  std::from_chars(limit.data(), limit.data() + limit.size(), limit_s);
  watch.limit = std::chrono::seconds(limit_s);
  KubeReply reply;
  reply.watch = std::move(watch);
  return reply;
}

KubeReply collection(const Place& place, const Target& target, const Wish& wish,
                     const ObjectStore& store, WallTime now) {
  const KubeResource& resource = *place.resource;
  const auto labels = Selector::parse_labels(target.get("labelSelector"));
  const auto fields = Selector::parse_fields(target.get("fieldSelector"));
  if (!labels) return status_reply(400, "BadRequest", labels.error().message);
  if (!fields) return status_reply(400, "BadRequest", fields.error().message);
  const auto takes = [labels = *labels, fields = *fields, name = place.name](const json& object) {
    if (!name.empty() && object["metadata"]["name"] != name) return false;
    return labels.matches_labels(object) && fields.matches_fields(object);
  };
  if (target.flag("watch")) return start_watch(place, target, wish, takes, store, now);
  std::vector<json> objects = store.list(std::string(resource.plural), place.space);
  std::erase_if(objects, [&](const json& object) { return !takes(object); });
  if (wish.table) {
    return document(to_table(resource, objects, store.version(), now, wish.whole_objects));
  }
  return document({{"kind", std::string(resource.kind) + "List"},
                   {"apiVersion", api_version(resource)},
                   {"metadata", {{"resourceVersion", std::to_string(store.version())}}},
                   {"items", objects}});
}

KubeReply single(const Place& place, const Wish& wish, const ObjectStore& store, WallTime now) {
  const KubeResource& resource = *place.resource;
  const json* object = store.find(std::string(resource.plural), place.space, place.name);
  if (object == nullptr) {
    return status_reply(404, "NotFound",
                        group_resource(resource) + " \"" + place.name + "\" not found");
  }
  if (wish.table) {
    return document(to_table(resource, {*object}, store.version(), now, wish.whole_objects));
  }
  return document(*object);
}

}  // namespace

KubeReply answer(const KubeRequest& request, const ObjectStore& store,
                 const std::string& kubernetes_version, WallTime now) {
  if (request.peer.anonymous) return status_reply(401, "Unauthorized", "Unauthorized");
  const Target target = parse_target(request.target);
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
  if (request.method != "GET") {
    return status_reply(405, "MethodNotAllowed", "the Kubernetes API of the lab is read-only");
  }
  if (const auto found = discovery_document(target.path, kubernetes_version)) {
    return document(*found);
  }
  const Place place = find_place(target.path);
  if (place.resource == nullptr || place.deeper) {
    return status_reply(404, "NotFound", "the server could not find the requested resource");
  }
  const Wish wish = wish_of(request, target);
  if (place.name.empty() || target.flag("watch")) {
    return collection(place, target, wish, store, now);
  }
  return single(place, wish, store, now);
}

}  // namespace ichor::lab
