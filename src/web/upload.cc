#include "web/upload.h"

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>
#include <optional>

#include "base/clean_text.h"
#include "model/json.h"
#include "web/http_connection.h"
#include "web/web_place.h"

namespace ichor {

namespace {

constexpr std::size_t kAnswerMax = 64u << 10;
constexpr std::size_t kShownMax = 300;
constexpr JsonLimits kAnswerLimits{.bytes_max = kAnswerMax};

/// One POST on a loop of its own, from the name to the answer.
CallResult<HttpAnswer> post(const WebPlace& place, const std::string& schematic, Duration limit) {
  HttpPeer peer;
  peer.host = peer.dial_host = place.host;
  peer.port = place.port;
  if (place.tls) peer.tls = tls_of_machine();
  HttpRequest request{"POST", place.target, "application/yaml", SecretString(schematic)};
  while (request.target.ends_with('/')) request.target.pop_back();
  request.target += "/schematics";
  boost::asio::io_context io{1};
  std::optional<CallResult<HttpAnswer>> answer;
  const auto connection = HttpConnection::make(io, peer);
  connection->ask(Call::open, std::move(request), limit,
                  [&answer, &connection](CallResult<HttpAnswer> came) {
                    answer = std::move(came);
                    connection->close();
                  });
  io.run();
  return *std::move(answer);
}

/// The words of a stranger, fit for a terminal.
std::string shown(const std::string& text) {
  std::string clean = clean_text(text, kShownMax);
  while (clean.ends_with(' ')) clean.pop_back();
  return clean;
}

}  // namespace

Result<std::string> upload_schematic(const std::string& url, const std::string& schematic,
                                     Duration limit) {
  const std::optional<WebPlace> place = web_place(url);
  if (!place) {
    return fail(
        Errc::invalid,
        fmt::format("\"{}\" is not the address of a factory such as https://factory.talos.dev",
                    url));
  }
  const auto answer = post(*place, schematic, limit);
  if (!answer) return fail(Errc::io, answer.error().text);
  const std::string body(answer->body.reveal());
  if (answer->status / 100 != 2) {
    const Errc code = answer->status / 100 == 4 ? Errc::invalid : Errc::io;
    return fail(code, fmt::format("{} answers {}: {}", url, answer->status, shown(body)));
  }
  const auto json = parse_json(body, kAnswerLimits);
  std::string id = json ? text_in(*json, "id") : "";
  if (id.empty()) {
    return fail(Errc::io,
                fmt::format("{} is not an image factory: it answers {}", url, shown(body)));
  }
  return id;
}

}  // namespace ichor
