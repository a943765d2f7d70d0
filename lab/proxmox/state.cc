#include "lab/proxmox/state.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ichor::lab {

using nlohmann::json;

PveTask* PveState::find_task(const std::string& upid) {
  const auto found = std::find_if(tasks.begin(), tasks.end(),
                                  [&](const PveTask& task) { return task.upid == upid; });
  return found == tasks.end() ? nullptr : &*found;
}

std::string to_json(const PveState& state) {
  json root = {{"ca", state.ca_cert},
               {"ca_key", state.ca_key},
               {"token", state.token},
               {"leases", state.leases},
               {"counter", state.counter}};
  root["vms"] = json::array();
  for (const auto& [id, vm] : state.vms) {
    root["vms"].push_back({{"id", id},
                           {"host", vm.host},
                           {"config", vm.config},
                           {"lock", vm.lock},
                           {"machine", vm.machine}});
  }
  root["tasks"] = json::array();
  for (const PveTask& task : state.tasks) {
    root["tasks"].push_back({{"upid", task.upid},
                             {"host", task.host},
                             {"type", task.type},
                             {"vm", task.vm},
                             {"started", task.started_s},
                             {"running", task.running},
                             {"result", task.result},
                             {"log", task.log},
                             {"wanted", task.wanted}});
  }
  return root.dump(1) + "\n";
}

Result<PveState> pve_from_json(const std::string& text) {
  const json root = json::parse(text, nullptr, false);
  if (!root.is_object()) return fail(Errc::invalid, "no object");
  try {
    PveState state;
    state.ca_cert = root.at("ca");
    state.ca_key = root.at("ca_key");
    state.token = root.at("token");
    state.leases = root.at("leases");
    state.counter = root.at("counter");
    for (const json& one : root.at("vms")) {
      PveVm vm{one.at("id"), one.at("host"), one.at("config"), one.at("lock"), one.at("machine")};
      state.vms[vm.id] = std::move(vm);
    }
    for (const json& one : root.at("tasks")) {
      state.tasks.push_back({one.at("upid"), one.at("host"), one.at("type"), one.at("vm"),
                             one.at("started"), one.at("running"), one.at("result"), one.at("log"),
                             one.at("wanted")});
    }
    return state;
  } catch (const json::exception& error) {
    return fail(Errc::invalid, error.what());
  }
}

}  // namespace ichor::lab
