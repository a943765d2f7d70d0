#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "machineconfig/cel/type.h"

namespace ichor::cel {

/// Where an expression stands in a config, and so which names it may use.
enum class Place {
  disk_selector,
  volume_selector,
  member_selector,  // volumes that become part of an LVM group or a RAID array
  link_selector,
  oom_trigger,
  oom_ranking
};

/// One way to call a function. Types of one capital letter stand for any type.
struct Signature {
  std::string name;
  bool method{false};  // the first argument stands before the dot
  std::vector<Type> arguments;
  Type result;
};

/// The names that an expression may use.
struct Library {
  std::map<std::string, Type> variables;
  std::map<std::string, std::vector<Signature>> functions;
  std::map<std::string, std::map<std::string, Type>> objects;  // by full name
  bool optionals{false};                                       // `.?`, `[?` and optMap
  bool escaped_names{false};                                   // fields in backquotes
};

/// What Talos 1.`minor` knows at a place.
const Library& library_of(Place place, int minor);

}  // namespace ichor::cel
