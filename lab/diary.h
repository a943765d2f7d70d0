#pragma once

#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "lab/site.h"

namespace ichor::lab {

/// "closed", "maintenance" or "apid".
std::string_view port_name(sim::Listener listener);

/// What happened in a lab and when, for those who measure its clients: one JSON object per line.
///
///     {"unix_ms": 1763281000123, "node": "cp1", "port": "apid", "stage": "booting", "ready":
///     false,
///      "api": false}
///     {"unix_ms": 1763281000123, "node": "cp1", "call": "/machine.MachineService/Bootstrap"}
///
/// The first kind is a node after a change of any of these, the second a mutation that it carried
/// out. Times are the world's, not the lab's. A file that is there is continued.
class Diary {
 public:
  static Result<std::unique_ptr<Diary>> open(const std::string& path, Site& site);

 private:
  Diary(std::ofstream file, Site& site);
  void look(Machine& machine);
  void write(const Machine& machine, const std::string& rest);

  std::ofstream file_;
  Site& site_;
  std::map<std::string, std::string, std::less<>> last_;  // by node
};

}  // namespace ichor::lab
