#include "proxmox/proxmox_provider.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "base/clean_text.h"
#include "model/json.h"
#include "proxmox/vm_params.h"

namespace ichor {

namespace {

using nlohmann::json;
using Kind = ProviderError::Kind;

constexpr std::string_view kRoot = "/api2/json";
constexpr std::size_t kTextMax = 500;

/// What a refusal is about, as far as the provider's reaction depends on it. Proxmox has one status
/// for nearly everything (500), so its words are all there is; this is the only place that reads
/// them, and nothing but the advice to the operator follows from it.
Kind kind_of(int status, std::string_view text) {
  if (status == 401) return Kind::unauthorized;
  if (status == 403) return Kind::forbidden;
  if (status == 404) return Kind::missing;
  const auto says = [&](std::string_view words) { return text.find(words) != text.npos; };
  if (says("does not exist") || says("no such task")) return Kind::missing;
  if (says("already exists")) return Kind::exists;
  if (says("is locked") || says("can't lock")) return Kind::locked;
  if (says("quota") || says("out of space") || says("No space left") || says("not enough")) {
    return Kind::exhausted;
  }
  // Between the nodes of a cluster: the one that was asked cannot reach the other.
  if (status >= 595 && status <= 599) return Kind::unreachable;
  if (status == 502 || status == 503 || status == 504) return Kind::unreachable;
  return Kind::refused;
}

Kind kind_of(const CallError& error) {
  if (error.code == Code::cancelled) return Kind::called_off;
  switch (error.tls) {
    case TlsVerdict::fine: return Kind::unreachable;
    case TlsVerdict::expired: return Kind::expired;
    default: return Kind::untrusted;
  }
}

std::string tidy(std::string_view text) { return clean_text(text.substr(0, kTextMax)); }

/// Tags decide what may be removed, and the end of a cut list may be the tag of another cluster.
/// The limit of the answer is theirs too.
std::string whole(std::string_view text) { return clean_text(text, text.size()); }

/// Proxmox says why in the status line; newer releases and wrong parameters also in the body.
std::string words_of(const WebReply& reply, const json& body) {
  std::string text = tidy(reply.reason);
  if (const std::string message = text_in(body, "message"); !message.empty()) text = tidy(message);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  if (body.is_object() && body.contains("errors") && body["errors"].is_object()) {
    for (const auto& [key, value] : body["errors"].items()) {
      if (value.is_string()) text += fmt::format("; {}: {}", key, tidy(value.get<std::string>()));
    }
  }
  return text.empty() ? fmt::format("HTTP {}", reply.status) : text;
}

std::int64_t number_in(const json& object, const char* key) {
  if (!object.is_object() || !object.contains(key)) return 0;
  const json& value = object[key];
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (!value.is_string()) return 0;
  const std::string text = value.get<std::string>();
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::vector<std::string> split(std::string_view text, std::string_view separators) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(separators);
    if (end != 0) parts.emplace_back(text.substr(0, end));
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
  }
  return parts;
}

/// UPID:HOST:PID:PSTART:START:TYPE:ID:USER: with three numbers in hex.
std::string host_of(const ProviderTaskId& id) {
  const std::string& text = id.value();
  if (!text.starts_with("UPID:")) return {};
  return text.substr(5, text.find(':', 5) - 5);
}

/// Of who started the task: for a token USER@REALM!TOKENID.
std::string user_of(const ProviderTaskId& id) {
  const std::vector<std::string> fields = split(id.value(), ":");
  return fields.size() > 7 ? fields[7] : std::string();
}

std::string vm_path(const VmPlace& place, std::string_view rest) {
  return fmt::format("/nodes/{}/qemu/{}{}", percent_encoded(place.host), place.id, rest);
}

ProviderTask task_of(const json& row) {
  ProviderTask task;
  task.id = ProviderTaskId(tidy(text_in(row, "upid")));
  task.kind = tidy(text_in(row, "type"));
  task.vm = static_cast<VmId>(number_in(row, "id"));
  task.started_s = number_in(row, "starttime");
  // The status of one task says running or stopped; a list says how it ended, if it did.
  const std::string ended = text_in(row, "exitstatus");
  const std::string status = text_in(row, "status");
  const bool listed = status != "running" && status != "stopped" && !status.empty();
  task.running = status == "running" || (status.empty() && ended.empty());
  task.result = tidy(listed ? status : ended);
  task.ok = !task.running && (task.result == "OK" || task.result.starts_with("WARNINGS"));
  return task;
}

/// What a list and the status of one machine tell alike.
VmSeen seen_in(const json& row) {
  VmSeen vm;
  vm.name = tidy(text_in(row, "name"));
  vm.tags = split(whole(text_in(row, "tags")), ";, ");
  vm.running = text_in(row, "status") == "running";
  vm.is_template = number_in(row, "template") == 1;
  vm.lock = tidy(text_in(row, "lock"));
  return vm;
}

ProviderError odd(std::string call) {
  return {Kind::refused, Progress::answered, std::move(call), "the answer has another shape"};
}

/// Of a change with an answer that is no clear no: it may have happened.
ProviderError unknown(std::string call, std::string words) {
  return {Kind::unreachable, Progress::sent, std::move(call), std::move(words)};
}

/// Whether an answer says that nothing happened. A proxy between us that gives up (502, 504, 595)
/// says nothing about what became of the call.
bool says_no(int status, Kind kind) {
  return status >= 300 && status <= 599 && kind != Kind::unreachable;
}

}  // namespace

std::string user_of_token(const SecretString& token) {
  return std::string(token.reveal().substr(0, token.reveal().find('=')));
}

Task<ProviderResult<json>> ProxmoxProvider::ask(Context context, WebAsk ask) {
  const std::string call =
      fmt::format("{} {}", ask.method, ask.target.substr(0, ask.target.find('?')));
  const bool reads = ask.method == "GET";
  ask.target = std::string(kRoot) + ask.target;
  auto reply = co_await web_->ask(context.within(kProviderCallLimit), std::move(ask));
  if (!reply) {
    const CallError& error = reply.error();
    // An answer that was not read to its end, because it is too long, is no answer.
    if (!reads && error.progress == Progress::answered && error.code != Code::cancelled) {
      co_return tl::unexpected(unknown(call, tidy(error.text)));
    }
    co_return tl::unexpected(ProviderError{kind_of(error), error.progress, call, tidy(error.text)});
  }
  const auto body = parse_json(reply->body.reveal());
  const json nothing;
  const json& tree = body ? *body : nothing;
  if (reply->status < 200 || reply->status > 299) {
    const std::string words = words_of(*reply, tree);
    const Kind kind = kind_of(reply->status, words);
    if (!reads && !says_no(reply->status, kind)) co_return tl::unexpected(unknown(call, words));
    co_return tl::unexpected(ProviderError{kind, Progress::answered, call, words});
  }
  if (tree.is_object() && tree.contains("data")) co_return tree["data"];
  co_return tl::unexpected(reads ? odd(call) : unknown(call, "the answer has another shape"));
}

Task<ProviderResult<json>> ProxmoxProvider::get(Context context, std::string path) {
  WebAsk wanted;
  wanted.target = std::move(path);
  co_return co_await ask(context, std::move(wanted));
}

Task<ProviderResult<ProviderTaskId>> ProxmoxProvider::change(Context context, WebAsk wanted) {
  const std::string call = wanted.method + " " + wanted.target.substr(0, wanted.target.find('?'));
  const auto data = co_await ask(context, std::move(wanted));
  if (!data) co_return forward_error(data);
  const std::string name = data->is_string() ? data->get<std::string>() : std::string();
  const bool named = name.starts_with("UPID:") && name.size() <= kTextMax;
  if (!named) co_return tl::unexpected(unknown(call, "the answer names no task"));
  co_return ProviderTaskId(tidy(name));
}

Task<ProviderResult<ProviderVersion>> ProxmoxProvider::version(Context context) {
  const auto data = co_await get(context, "/version");
  if (!data) co_return forward_error(data);
  ProviderVersion version;
  version.text = tidy(text_in(*data, "version"));
  const char* end = version.text.data() + version.text.size();
  const auto [dot, error] = std::from_chars(version.text.data(), end, version.major);
  if (error != std::errc()) co_return tl::unexpected(odd("GET /version"));
  if (dot != end) std::from_chars(dot + 1, end, version.minor);
  co_return version;
}

Task<ProviderResult<Privileges>> ProxmoxProvider::privileges(Context context, std::string path) {
  const auto data = co_await get(context, "/access/permissions?path=" + percent_encoded(path));
  if (!data) co_return forward_error(data);
  Privileges names;
  // By path; a token that may do nothing here has an empty object, or none.
  if (data->is_object() && data->contains(path) && (*data)[path].is_object()) {
    for (const auto& [name, propagates] : (*data)[path].items()) names.push_back(tidy(name));
  }
  co_return names;
}

Task<ProviderResult<Privileges>> ProxmoxProvider::known_privileges(Context context) {
  const auto data = co_await get(context, "/access/roles");
  if (!data) co_return forward_error(data);
  // The role Administrator is built in, and has every privilege that the release knows.
  Privileges names;
  if (data->is_array()) {
    for (const json& row : *data) {
      if (text_in(row, "roleid") == "Administrator") names = split(text_in(row, "privs"), ",");
    }
  }
  if (names.empty()) co_return tl::unexpected(odd("GET /access/roles"));
  for (std::string& name : names) name = tidy(name);
  co_return names;
}

Task<ProviderResult<std::vector<VmSeen>>> ProxmoxProvider::machines(Context context) {
  const auto data = co_await get(context, "/cluster/resources?type=vm");
  if (!data) co_return forward_error(data);
  if (!data->is_array()) co_return tl::unexpected(odd("GET /cluster/resources"));
  std::vector<VmSeen> vms;
  for (const json& row : *data) {
    if (text_in(row, "type") != "qemu") continue;
    VmSeen vm = seen_in(row);
    vm.place = {tidy(text_in(row, "node")), static_cast<VmId>(number_in(row, "vmid"))};
    vms.push_back(std::move(vm));
  }
  std::sort(vms.begin(), vms.end(),
            [](const VmSeen& a, const VmSeen& b) { return a.place.id < b.place.id; });
  co_return vms;
}

Task<ProviderResult<VmSeen>> ProxmoxProvider::machine(Context context, VmPlace place) {
  const std::string path = vm_path(place, "/status/current");
  const auto data = co_await get(context, path);
  if (!data) co_return forward_error(data);
  if (text_in(*data, "status").empty()) co_return tl::unexpected(odd("GET " + path));
  VmSeen vm = seen_in(*data);
  vm.place = std::move(place);
  co_return vm;
}

Task<ProviderResult<VmConfig>> ProxmoxProvider::config(Context context, VmPlace place) {
  const auto data = co_await get(context, vm_path(place, "/config"));
  if (!data) co_return forward_error(data);
  VmConfig config;
  if (!data->is_object()) co_return tl::unexpected(odd("GET " + vm_path(place, "/config")));
  for (const auto& [key, value] : data->items()) {
    if (value.is_string()) {
      const std::string text = value.get<std::string>();
      config.values[tidy(key)] = key == "tags" ? whole(text) : tidy(text);
    }
    if (value.is_number()) config.values[tidy(key)] = value.dump();
  }
  co_return config;
}

Task<ProviderResult<std::vector<std::string>>> ProxmoxProvider::volumes(Context context,
                                                                        std::string host,
                                                                        std::string storage) {
  const auto data =
      co_await get(context, fmt::format("/nodes/{}/storage/{}/content?content=iso",
                                        percent_encoded(host), percent_encoded(storage)));
  if (!data) co_return forward_error(data);
  std::vector<std::string> names;
  if (data->is_array()) {
    for (const json& row : *data) names.push_back(tidy(text_in(row, "volid")));
  }
  co_return names;
}

Task<ProviderResult<std::vector<ProviderTask>>> ProxmoxProvider::tasks(Context context,
                                                                       VmPlace place) {
  const auto data = co_await get(context, fmt::format("/nodes/{}/tasks?vmid={}&source=all&limit=50",
                                                      percent_encoded(place.host), place.id));
  if (!data) co_return forward_error(data);
  std::vector<ProviderTask> tasks;
  if (data->is_array()) {
    for (const json& row : *data) {
      tasks.push_back(task_of(row));
      tasks.back().of_others = user_of(tasks.back().id) != user_;
    }
  }
  std::stable_sort(tasks.begin(), tasks.end(), [](const ProviderTask& a, const ProviderTask& b) {
    return a.started_s > b.started_s;
  });
  co_return tasks;
}

Task<ProviderResult<ProviderTask>> ProxmoxProvider::task(Context context, ProviderTaskId id) {
  const std::string path = fmt::format("/nodes/{}/tasks/{}/status", percent_encoded(host_of(id)),
                                       percent_encoded(id.value()));
  const auto data = co_await get(context, path);
  if (!data) co_return forward_error(data);
  ProviderTask task = task_of(*data);
  task.id = std::move(id);
  co_return task;
}

Task<ProviderResult<std::vector<std::string>>> ProxmoxProvider::task_log(Context context,
                                                                         ProviderTaskId id) {
  const std::string path = fmt::format("/nodes/{}/tasks/{}/log?limit=50",
                                       percent_encoded(host_of(id)), percent_encoded(id.value()));
  const auto data = co_await get(context, path);
  if (!data) co_return forward_error(data);
  std::vector<std::string> lines;
  if (data->is_array()) {
    for (const json& row : *data) lines.push_back(tidy(text_in(row, "t")));
  }
  co_return lines;
}

Task<ProviderResult<std::vector<IpAddress>>> ProxmoxProvider::guest_addresses(Context context,
                                                                              VmPlace place) {
  const auto data = co_await get(context, vm_path(place, "/agent/network-get-interfaces"));
  std::vector<IpAddress> addresses;
  if (!data) {
    // No agent, or not allowed to ask it.
    if (data.error().progress == Progress::answered) co_return addresses;
    co_return forward_error(data);
  }
  if (!data->is_object() || !data->contains("result") || !(*data)["result"].is_array()) {
    co_return addresses;
  }
  for (const json& link : (*data)["result"]) {
    if (!link.is_object() || !link.contains("ip-addresses")) continue;
    if (!link["ip-addresses"].is_array() || text_in(link, "name") == "lo") continue;
    for (const json& entry : link["ip-addresses"]) {
      addresses.emplace_back(tidy(text_in(entry, "ip-address")));
    }
  }
  co_return addresses;
}

Task<ProviderResult<ProviderTaskId>> ProxmoxProvider::create(Context context, VmSpec spec) {
  WebAsk wanted;
  wanted.method = "POST";
  wanted.target = fmt::format("/nodes/{}/qemu", percent_encoded(spec.place.host));
  wanted.content_type = "application/x-www-form-urlencoded";
  wanted.body = SecretString(form_of(vm_params(spec)));
  co_return co_await change(context, std::move(wanted));
}

Task<ProviderResult<ProviderTaskId>> ProxmoxProvider::start(Context context, VmPlace place) {
  WebAsk wanted;
  wanted.method = "POST";
  wanted.target = vm_path(place, "/status/start");
  wanted.content_type = "application/x-www-form-urlencoded";
  co_return co_await change(context, std::move(wanted));
}

Task<ProviderResult<ProviderTaskId>> ProxmoxProvider::stop(Context context, VmPlace place) {
  WebAsk wanted;
  wanted.method = "POST";
  wanted.target = vm_path(place, "/status/stop");
  wanted.content_type = "application/x-www-form-urlencoded";
  co_return co_await change(context, std::move(wanted));
}

Task<ProviderResult<ProviderTaskId>> ProxmoxProvider::destroy(Context context, VmPlace place) {
  WebAsk wanted;
  wanted.method = "DELETE";
  // Its disks and what refers to it go with it; disks of others are not looked for.
  wanted.target = vm_path(place, "?purge=1&destroy-unreferenced-disks=0");
  co_return co_await change(context, std::move(wanted));
}

}  // namespace ichor
