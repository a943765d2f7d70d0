#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "lab/kube/target.h"
#include "lab/proxmox/cluster.h"
#include "lab/proxmox/machines.h"

namespace ichor::lab {

// What a request is answered: the paths below api2/json, one function for each branch.

namespace {

using nlohmann::json;

constexpr Duration kSlow = std::chrono::seconds(4);

KubeReply reply_with(json value) {
  KubeReply reply;
  reply.type = "application/json;charset=UTF-8";
  reply.body = json{{"data", std::move(value)}}.dump();
  return reply;
}

/// Proxmox says why in the status line; the body has it since release 8.
KubeReply refusal(int status, const std::string& why) {
  KubeReply reply;
  reply.status = status;
  reply.reason = why;
  reply.type = "application/json;charset=UTF-8";
  reply.body = json{{"data", nullptr}, {"message", why + "\n"}}.dump();
  return reply;
}

KubeReply wrong_parameter(const std::string& name, const std::string& why) {
  KubeReply reply = refusal(400, "Parameter verification failed.");
  reply.body = json{{"data", nullptr},
                    {"message", "Parameter verification failed.\n"},
                    {"errors", {{name, why}}}}
                   .dump();
  return reply;
}

KubeReply forbidden(const std::string& path, const std::string& privilege) {
  return refusal(403, fmt::format("Permission check failed ({}, {})", path, privilege));
}

VmId number_of(const std::string& text) {
  VmId number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

/// Changes of a machine's power and life are tasks; these are their types.
const std::map<std::string, std::string>& power_tasks() {
  static const std::map<std::string, std::string> types = {
      {"start", "qmstart"}, {"stop", "qmstop"}, {"shutdown", "qmshutdown"}};
  return types;
}

}  // namespace

void PveCluster::answer(const KubeRequest& request, const std::function<void(KubeReply)>& respond) {
  cut_reply_ = false;
  KubeReply reply = judge(request);
  if (cut_reply_) reply.status = 0;
  const Duration delay = is_on("pve-slow", "") ? kSlow : Duration{};
  site_.when_saved([this, alive = alive_, reply = std::move(reply), respond, delay] {
    if (delay == Duration{} || !*alive) return respond(reply);
    site_.clock().call_at(later(site_.clock().now(), delay), [reply, respond] { respond(reply); });
  });
}

KubeReply PveCluster::judge(const KubeRequest& request) {
  const Target target = Target::parse(request.target);
  Asked asked{request.method, target.segments(), target.query};
  const bool known = asked.path.size() >= 2 && asked.path[0] == "api2" && asked.path[1] == "json";
  if (!known) return refusal(404, "File '" + target.path + "' not found");
  asked.path.erase(asked.path.begin(), asked.path.begin() + 2);
  if (request.content_type.starts_with("application/json")) {
    const json parsed = json::parse(request.body, nullptr, false);
    const json body = parsed.is_object() ? parsed : json::object();
    for (const auto& [key, value] : body.items()) {
      asked.values[key] = value.is_string() ? value.get<std::string>() : value.dump();
    }
  } else if (!request.body.empty()) {
    for (const auto& [key, value] : Target::parse("?" + request.body).query) {
      asked.values[key] = value;
    }
  }
  const bool anonymous = request.authorization.empty();
  if (anonymous) return refusal(401, "No ticket");
  const bool valid = request.authorization == "PVEAPIToken=" + state_.token;
  if (!valid || is_on("pve-token", "")) return refusal(401, "invalid token value!");
  const bool changes = asked.method != "GET";
  KubeReply reply = route(asked);
  if (changes && strikes("pve-lost-reply", "")) cut_reply_ = true;
  return reply;
}

KubeReply PveCluster::route(const Asked& asked) {
  const auto& path = asked.path;
  if (path.empty()) return refusal(501, "Method 'GET /' not implemented");
  if (path[0] == "version") {
    return reply_with({{"version", "8.4.1"}, {"release", "8.4"}, {"repoid", "2a5fa54a8503f96d"}});
  }
  if (path[0] == "access") return of_access(asked);
  if (path[0] == "cluster") return of_cluster(asked);
  if (path[0] == "storage") {
    json rows = json::array();
    rows.push_back({{"storage", setup_.plan.storage}, {"content", "images"}, {"type", "lvmthin"}});
    return reply_with(std::move(rows));
  }
  if (path[0] == "nodes") return of_node(asked);
  return refusal(
      501, fmt::format("Method '{} /{}' not implemented", asked.method, fmt::join(path, "/")));
}

KubeReply PveCluster::of_access(const Asked& asked) {
  if (asked.path.size() == 2 && asked.path[1] == "roles" && asked.method == "GET") {
    json rows = json::array();
    rows.push_back({{"roleid", "Administrator"},
                    {"special", 1},
                    {"privs", fmt::format("{}", fmt::join(known_privileges(), ","))}});
    rows.push_back({{"roleid", "PVEAuditor"}, {"special", 1}, {"privs", "Sys.Audit,VM.Audit"}});
    return reply_with(std::move(rows));
  }
  if (asked.path.size() != 2 || asked.path[1] != "permissions" || asked.method != "GET") {
    return refusal(501, "Method not implemented");
  }
  std::vector<std::string> paths = {"/", "/access", "/nodes", "/pool", "/sdn", "/storage", "/vms"};
  if (const std::string one = asked.get("path"); !one.empty()) paths = {one};
  json by_path = json::object();
  for (const std::string& path : paths) {
    json names = json::object();
    for (const std::string& name : privileges_on(path)) names[name] = 1;
    if (!names.empty() || paths.size() == 1) by_path[path] = std::move(names);
  }
  return reply_with(std::move(by_path));
}

json PveCluster::resource_of(const PveVm& vm) const {
  const auto value = [&](const char* key) {
    const auto found = vm.config.find(key);
    return found == vm.config.end() ? std::string() : found->second;
  };
  json row = {{"id", fmt::format("qemu/{}", vm.id)},
              {"vmid", vm.id},
              {"node", vm.host},
              {"type", "qemu"},
              {"template", 0},
              {"name", value("name").empty() ? fmt::format("VM {}", vm.id) : value("name")},
              {"status", is_running(vm) ? "running" : "stopped"},
              {"maxcpu", number_of(value("cores"))},
              {"maxmem", std::uint64_t{number_of(value("memory"))} << 20}};
  if (!value("tags").empty()) row["tags"] = value("tags");
  if (!vm.lock.empty()) row["lock"] = vm.lock;
  if (is_on("pve-locked", value("name"))) row["lock"] = "backup";
  return row;
}

KubeReply PveCluster::of_cluster(const Asked& asked) {
  const std::string what = asked.path.size() > 1 ? asked.path[1] : "";
  if (asked.method == "GET" && what == "resources") {
    json rows = json::array();
    const std::string type = asked.get("type");
    if (type.empty() || type == "vm") {
      for (const auto& [id, vm] : state_.vms) {
        if (may(fmt::format("/vms/{}", id), "VM.Audit")) rows.push_back(resource_of(vm));
      }
    }
    if (type.empty() || type == "node") {
      for (const std::string& host : setup_.plan.hosts) {
        rows.push_back(
            {{"id", "node/" + host}, {"type", "node"}, {"node", host}, {"status", "online"}});
      }
    }
    return reply_with(std::move(rows));
  }
  if (asked.method == "GET" && what == "nextid") {
    VmId id = number_of(asked.get("vmid"));
    if (id != 0 && state_.vms.contains(id)) {
      return wrong_parameter("vmid", fmt::format("VM {} already exists", id));
    }
    if (id == 0) id = 100;
    while (state_.vms.contains(id)) ++id;
    return reply_with(fmt::to_string(id));
  }
  if (asked.method == "GET" && what == "tasks") {
    json rows = json::array();
    for (auto task = state_.tasks.rbegin(); task != state_.tasks.rend(); ++task) {
      rows.push_back(task_row(*task, true));
    }
    return reply_with(std::move(rows));
  }
  return refusal(501, "Method not implemented");
}

KubeReply PveCluster::of_node(const Asked& asked) {
  const auto& path = asked.path;
  if (path.size() == 1) {
    json rows = json::array();
    for (const std::string& host : setup_.plan.hosts) {
      rows.push_back(
          {{"node", host}, {"status", "online"}, {"type", "node"}, {"id", "node/" + host}});
    }
    return reply_with(std::move(rows));
  }
  const auto& hosts = setup_.plan.hosts;
  if (std::find(hosts.begin(), hosts.end(), path[1]) == hosts.end()) {
    return refusal(595,
                   "Errors during connection establishment, proxy handshake: hostname lookup "
                   "'" +
                       path[1] + "' failed");
  }
  const std::string what = path.size() > 2 ? path[2] : "";
  if (what == "tasks") return of_tasks(asked);
  if (what == "storage") return of_storage(asked);
  if (what != "qemu") return refusal(501, "Method not implemented");
  if (path.size() == 3) {
    if (asked.method == "POST") return create(asked);
    json rows = json::array();
    for (const auto& [id, vm] : state_.vms) {
      if (vm.host == path[1] && may(fmt::format("/vms/{}", id), "VM.Audit")) {
        rows.push_back(resource_of(vm));
      }
    }
    return reply_with(std::move(rows));
  }
  const VmId id = number_of(path[3]);
  const auto vm = state_.vms.find(id);
  if (vm == state_.vms.end() || vm->second.host != path[1]) {
    return refusal(500, fmt::format("Configuration file 'nodes/{}/qemu-server/{}.conf' does not "
                                    "exist",
                                    path[1], path[3]));
  }
  return of_vm(asked, vm->second);
}

KubeReply PveCluster::of_vm(const Asked& asked, PveVm& vm) {
  const auto& path = asked.path;
  const std::string what = path.size() > 4 ? path[4] : "";
  const std::string right = fmt::format("/vms/{}", vm.id);
  if (asked.method == "DELETE" && path.size() == 4) return destroy(asked, vm);
  if (what == "config" && asked.method != "GET") return set_config(asked, vm);
  if (what == "config") {
    if (!may(right, "VM.Audit")) return forbidden(right, "VM.Audit");
    json values = json::object();
    for (const auto& [key, value] : vm.config) {
      if (key != "lab-on") values[key] = value;
    }
    if (!vm.lock.empty()) values["lock"] = vm.lock;
    values["digest"] = "da39a3ee5e6b4b0d3255bfef95601890afd80709";
    return reply_with(std::move(values));
  }
  if (what == "agent") return of_agent(vm);
  const std::string verb = path.size() > 5 ? path[5] : "";
  if (what == "status" && verb == "current") return reply_with(resource_of(vm));
  if (what == "status" && asked.method == "POST" && power_tasks().contains(verb)) {
    return change_power(asked, vm, verb);
  }
  return refusal(501, "Method not implemented");
}

KubeReply PveCluster::of_agent(const PveVm& vm) {
  const std::string right = fmt::format("/vms/{}", vm.id);
  if (!may(right, "VM.Monitor")) return forbidden(right, "VM.Monitor");
  const Machine* machine = machine_of_vm(vm);
  const std::string address = machine ? machine->node().address().value() : "";
  const auto agent = vm.config.find("agent");
  const bool on = agent != vm.config.end() &&
                  (agent->second.starts_with("1") || option_of(agent->second, "enabled") == "1");
  if (!on || address.empty()) return refusal(500, "QEMU guest agent is not running");
  const auto link = [](const char* name, const std::string& ip) {
    return json{{"name", name},
                {"ip-addresses", json::array({{{"ip-address-type", "ipv4"}, {"ip-address", ip}}})}};
  };
  return reply_with({{"result", json::array({link("lo", "127.0.0.1"), link("eth0", address)})}});
}

KubeReply PveCluster::set_config(const Asked& asked, PveVm& vm) {
  const std::string right = fmt::format("/vms/{}", vm.id);
  if (!may(right, "VM.Config.Options")) return forbidden(right, "VM.Config.Options");
  for (const auto& [key, value] : asked.values) {
    if (key == "delete") {
      vm.config.erase(value);
    } else {
      vm.config[key] = value;
    }
  }
  save();
  return reply_with(nullptr);
}

KubeReply PveCluster::create(const Asked& asked) {
  const VmId id = number_of(asked.get("vmid"));
  if (id < 100) return wrong_parameter("vmid", "type check ('integer') failed");
  const std::string right = fmt::format("/vms/{}", id);
  if (!may(right, "VM.Allocate")) return forbidden(right, "VM.Allocate");
  if (state_.vms.contains(id)) {
    return refusal(500, fmt::format("unable to create VM {} - VM {} already exists on node '{}'",
                                    id, id, state_.vms.at(id).host));
  }
  if (is_on("pve-quota", "")) {
    return refusal(500, fmt::format("unable to create VM {} - quota exceeded for pool '{}'", id,
                                    setup_.plan.pool.empty() ? "talos" : setup_.plan.pool));
  }
  PveVm vm;
  vm.id = id;
  vm.host = asked.path[1];
  vm.lock = "create";
  state_.vms[id] = std::move(vm);
  const std::string upid = begin_task(asked.path[1], "qmcreate", id).upid;
  PveTask* task = state_.find_task(upid);
  task->wanted = asked.values;
  task->wanted.erase("vmid");
  task->wanted.erase("pool");
  save();
  return reply_with(upid);
}

KubeReply PveCluster::change_power(const Asked& asked, PveVm& vm, const std::string& what) {
  const std::string right = fmt::format("/vms/{}", vm.id);
  if (!may(right, "VM.PowerMgmt")) return forbidden(right, "VM.PowerMgmt");
  const bool held = is_on("pve-locked", name_of_vm(vm.id));
  if (held || !vm.lock.empty()) {
    return refusal(500, fmt::format("VM is locked ({})", held ? "backup" : vm.lock));
  }
  return reply_with(begin_task(asked.path[1], power_tasks().at(what), vm.id).upid);
}

KubeReply PveCluster::destroy(const Asked& asked, PveVm& vm) {
  const std::string right = fmt::format("/vms/{}", vm.id);
  if (!may(right, "VM.Allocate")) return forbidden(right, "VM.Allocate");
  if (!vm.lock.empty()) return refusal(500, fmt::format("VM is locked ({})", vm.lock));
  if (is_running(vm)) {
    return refusal(500, fmt::format("VM {} is running - destroy failed", vm.id));
  }
  return reply_with(begin_task(asked.path[1], "qmdestroy", vm.id).upid);
}

json PveCluster::task_row(const PveTask& task, bool listed) const {
  json row = {
      {"upid", task.upid},           {"node", task.host},
      {"type", task.type},           {"id", fmt::to_string(task.vm)},
      {"starttime", task.started_s}, {"user", state_.token.substr(0, state_.token.find('='))}};
  if (listed) {
    if (!task.running) row["status"] = task.result;
    if (!task.running) row["endtime"] = task.started_s + 1;
    return row;
  }
  row["status"] = task.running ? "running" : "stopped";
  if (!task.running) row["exitstatus"] = task.result;
  return row;
}

KubeReply PveCluster::of_tasks(const Asked& asked) {
  const auto& path = asked.path;
  if (path.size() == 3) {
    json rows = json::array();
    const VmId only = number_of(asked.get("vmid"));
    for (auto task = state_.tasks.rbegin(); task != state_.tasks.rend(); ++task) {
      const bool here = task->host == path[1] && (only == 0 || task->vm == only);
      if (here) rows.push_back(task_row(*task, true));
    }
    return reply_with(std::move(rows));
  }
  const PveTask* task = state_.find_task(path[3]);
  if (task == nullptr) return wrong_parameter("upid", "no such task");
  if (path.size() == 5 && path[4] == "status") return reply_with(task_row(*task, false));
  if (path.size() == 5 && path[4] == "log") {
    json rows = json::array();
    for (const std::string& line : task->log) {
      rows.push_back({{"n", rows.size() + 1}, {"t", line}});
    }
    return reply_with(std::move(rows));
  }
  return refusal(501, "Method not implemented");
}

KubeReply PveCluster::of_storage(const Asked& asked) {
  const auto& path = asked.path;
  const std::string image_storage = setup_.plan.image.substr(0, setup_.plan.image.find(':'));
  if (path.size() == 3) {
    json rows = json::array();
    rows.push_back({{"storage", setup_.plan.storage},
                    {"active", 1},
                    {"content", "images"},
                    {"total", kStorageGib << 30},
                    {"avail", free_gib() << 30}});
    return reply_with(std::move(rows));
  }
  if (path[3] != image_storage && path[3] != setup_.plan.storage) {
    return refusal(500, fmt::format("storage '{}' does not exist", path[3]));
  }
  json rows = json::array();
  const bool has = path[3] == image_storage && !is_on("pve-no-image", "");
  if (has) {
    rows.push_back(
        {{"volid", setup_.plan.image}, {"content", "iso"}, {"format", "iso"}, {"size", 104857600}});
  }
  return reply_with(std::move(rows));
}

}  // namespace ichor::lab
