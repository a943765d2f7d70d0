#include <charconv>
#include <fmt/format.h>

#include "cli/command_list.h"

namespace ichor {

namespace {

/// "127.0.0.1:8470", "[::1]:8470" or "localhost:8470". What is wrong with it, or nothing.
std::string take_place(const std::string& text, ServeRequest& serve) {
  const std::size_t colon = text.rfind(':');
  const std::string host = text.substr(0, colon);
  if (host != "127.0.0.1" && host != "[::1]" && host != "localhost") {
    return fmt::format(
        "\"{}\" is not on this computer: ichor serves on 127.0.0.1, [::1] or "
        "localhost only; reach it from elsewhere with `ssh -L 8470:127.0.0.1:8470`",
        text);
  }
  const std::string port = colon == text.npos ? "" : text.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), serve.port);
  if (error != std::errc() || end != port.data() + port.size()) {
    return fmt::format("\"{}\" has no port from 0 to 65535 at its end", text);
  }
  serve.address = host == "[::1]" ? "::1" : "127.0.0.1";
  return {};
}

}  // namespace

void declare_serve(FlagSet& flags, Request& request) {
  ServeRequest& serve = request.emplace<ServeRequest>();
  flags.value("--listen", "IP:PORT",
              [&serve](const std::string& text) { return take_place(text, serve); });
  flags.text("--socket", "FILE", serve.socket);
  flags.text("--token-file", "FILE", serve.token_file);
  flags.rule([&serve]() -> std::string {
    // A socket alone needs no port.
    if (serve.address.empty() && serve.socket.empty()) serve.address = "127.0.0.1";
    const bool useless = serve.address.empty() && !serve.token_file.empty();
    return useless ? "--token-file needs --listen: a socket has no token" : "";
  });
}

}  // namespace ichor
