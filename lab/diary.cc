#include "lab/diary.h"

#include <fmt/format.h>
#include <utility>

namespace ichor::lab {

std::string_view port_name(sim::Listener listener) {
  switch (listener) {
    case sim::Listener::maintenance: return "maintenance";
    case sim::Listener::apid: return "apid";
    default: return "closed";
  }
}

Result<std::unique_ptr<Diary>> Diary::open(const std::string& path, Site& site) {
  std::ofstream file(path, std::ios::app);
  if (!file) return fail(Errc::io, path + " cannot be written");
  return std::unique_ptr<Diary>(new Diary(std::move(file), site));
}

Diary::Diary(std::ofstream file, Site& site) : file_(std::move(file)), site_(site) {
  site.on_change([this](Machine& machine) { look(machine); });
  site.on_mutation([this](Machine& machine, std::string_view path) {
    write(machine, fmt::format(R"("call": "{}")", path));
  });
}

void Diary::look(Machine& machine) {
  const sim::Node& node = machine.node();
  const auto status = node.machine_status(kInsider);
  const std::string now = fmt::format(R"("port": "{}", "stage": "{}", "ready": {}, "api": {})",
                                      port_name(node.listener()), name_of(node.stage()),
                                      status && status->ready, node.api_server_ready());
  std::string& last = last_[machine.name().value()];
  if (now == last) return;
  last = now;
  write(machine, now);
}

void Diary::write(const Machine& machine, const std::string& rest) {
  file_ << fmt::format("{{\"unix_ms\": {}, \"node\": \"{}\", {}}}\n", site_.clock().wall().unix_ms,
                       machine.name().value(), rest)
        << std::flush;
}

}  // namespace ichor::lab
