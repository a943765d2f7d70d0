#include "lab/machine.h"

#include "lab/cosi/resource_table.h"

namespace ichor::lab {

Machine::Machine(Clock& clock, Random& random, sim::Fabric& fabric, sim::ConfigJudge& judge,
                 MachineRecord record)
    : node_(clock, random, fabric, judge, std::move(record.spec), std::move(record.disk)),
      link_(std::move(record.link)),
      resources_(std::make_unique<ResourceTable>()) {}

Machine::~Machine() = default;

std::string Machine::config_text() const {
  const auto config = node_.machine_config(kInsider);
  return config && *config ? **config : std::string();
}

std::shared_ptr<const ConfigView> Machine::config() const {
  if (node_.listener() != sim::Listener::apid) return nullptr;
  const sim::ConfigFacts* facts = node_.facts();
  if (facts != viewed_) {
    const std::string text = config_text();
    if (text.empty()) return nullptr;  // frozen
    viewed_ = facts;
    view_ = std::make_shared<const ConfigView>(read_config(text));
  }
  return view_;
}

std::shared_ptr<const ConfigView> Machine::last_config() const {
  if (auto now = config()) return now;
  const bool kept = !node_.disk().config.empty() || node_.facts() != nullptr;
  return kept ? view_ : nullptr;
}

std::string Machine::home() const {
  if (const std::string now = node_.address().value(); !now.empty()) return now;
  const auto last = last_config();
  return last && !last->address.empty() ? last->address : node_.spec().dhcp_address.value();
}

MachineRecord Machine::record() const {
  return {node_.spec(), link_, node_.disk(), node_.powered()};
}

}  // namespace ichor::lab
