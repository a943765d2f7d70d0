#include "engine/evidence.h"

#include <fmt/format.h>

namespace ichor {

namespace {

constexpr int kEvents = 5;
constexpr int kKernelLines = 5;
constexpr std::size_t kLineMax = 160;
constexpr std::size_t kServicesMax = 6;

/// The beginning of a text, without half a letter at its end.
std::string shortened(std::string text) {
  if (text.size() <= kLineMax) return text;
  std::size_t end = kLineMax;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0u) == 0x80u) --end;
  return text.substr(0, end) + "…";
}

std::string told(std::string_view title, const CallResult<std::vector<std::string>>& lines) {
  if (!lines) return fmt::format("{}: {}", title, shortened(to_text(lines.error())));
  if (lines->empty()) return fmt::format("{}: none", title);
  std::string text;
  for (const std::string& line : *lines) text += (text.empty() ? "" : " | ") + shortened(line);
  return fmt::format("{}: {}", title, text);
}

std::string told(const CallResult<std::vector<ServiceStatus>>& services) {
  if (!services) return {};
  std::string text;
  std::size_t count = 0;
  for (const ServiceStatus& service : *services) {
    const bool well = (service.state == "Running" && service.healthy) ||
                      service.state == "Finished" || service.state == "Skipped";
    if (well || (service.state == "Running" && service.health_unknown)) continue;
    text +=
        fmt::format("{}{} is {}", text.empty() ? "services: " : ", ", service.id, service.state);
    if (!service.last_message.empty())
      text += fmt::format(" ({})", shortened(service.last_message));
  }
  return text;
}

}  // namespace

Task<std::string> gather_evidence(Context context, NodeLink& link, Duration call_limit) {
  const std::shared_ptr<TalosSession> session = link.session();
  if (!session) co_return std::string();
  const auto services = co_await session->services(context.within(call_limit));
  const auto events = co_await session->events(context.within(call_limit), kEvents);
  const auto kernel = co_await session->dmesg(context.within(call_limit), kKernelLines);
  const auto lost = [](const auto& answer) {
    return !answer && answer.error().progress != Progress::answered;
  };
  if (lost(services) || lost(events) || lost(kernel)) link.drop();
  std::string text = told(services);
  if (!text.empty()) text += "; ";
  text += told("last events", events) + "; " + told("kernel log", kernel);
  co_return text;
}

}  // namespace ichor
