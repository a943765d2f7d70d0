#include "serve/guard.h"

#include <algorithm>
#include <fmt/format.h>

#include "view/html_page.h"

namespace ichor {

namespace {

constexpr std::size_t kTargetMax = 2048;
constexpr std::string_view kCookie = "ichor";
constexpr std::string_view kBearer = "Bearer ";

std::string_view value_of(const PageRequest& request, std::string_view name) {
  const std::string* value = request.header(name);
  return value ? std::string_view(*value) : std::string_view();
}

/// "127.0.0.1:8470" and the like. Browsers leave the port out if it is 80.
bool is_our_host(std::string_view host, std::uint16_t port) {
  for (const std::string_view name : {"localhost", "127.0.0.1", "[::1]"}) {
    if (host == fmt::format("{}:{}", name, port)) return true;
    if (port == 80 && host == name) return true;
  }
  return false;
}

/// What is wrong with where the request comes from; status 0: nothing.
PageReply judge_source(const PageRequest& request, const PageKeys& keys) {
  const auto hosts = std::ranges::count_if(
      request.headers, [](const auto& header) { return header.first == "host"; });
  const std::string_view host = value_of(request, "host");
  if (hosts != 1 || !is_our_host(host, keys.port)) {
    return refusal(421, "This server answers to localhost only.",
                   "Open the URL that `ichor serve` printed.");
  }
  const std::string* origin = request.header("origin");
  if (origin && *origin != fmt::format("http://{}", host)) {
    return refusal(403, "Another web page sent this request.",
                   "Open the URL that `ichor serve` printed in a tab of its own.");
  }
  const std::string_view site = value_of(request, "sec-fetch-site");
  if (!site.empty() && site != "same-origin" && site != "none") {
    return refusal(403, "Another web page led here.",
                   "Copy the URL that `ichor serve` printed into the address bar.");
  }
  return {.status = 0};
}

/// In constant time. An empty secret opens nothing.
bool opens(std::string_view given, const SecretString& secret) {
  return !secret.empty() && SecretString(std::string(given)) == secret;
}

/// Whether a cookie of ours is among "a=1; ichor=…".
bool has_session(std::string_view cookies, const PageKeys& keys) {
  bool found = false;
  while (!cookies.empty()) {
    const std::size_t end = std::min(cookies.find(';'), cookies.size());
    std::string_view one = cookies.substr(0, end);
    cookies.remove_prefix(std::min(end + 1, cookies.size()));
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
    if (!one.starts_with(kCookie) || one.substr(kCookie.size(), 1) != "=") continue;
    found = found || opens(one.substr(kCookie.size() + 1), keys.session);
  }
  return found;
}

/// The token leaves the address bar and the history.
PageReply let_in(const PageKeys& keys) {
  PageReply reply = refusal(303, "The pages are one link further.", "");
  reply.headers = {{"Location", "/" + keys.folder + "/"},
                   {"Set-Cookie", fmt::format("{}={}; Path=/{}/; HttpOnly; SameSite=Strict",
                                              kCookie, keys.session.reveal(), keys.folder)}};
  return reply;
}

PageReply unknown_client() {
  PageReply reply = refusal(401, "These pages need the token of this server.",
                            "Open the URL that `ichor serve` printed; a program sends the token "
                            "as `Authorization: Bearer TOKEN`.");
  reply.headers.emplace_back("WWW-Authenticate", "Bearer");
  return reply;
}

}  // namespace

std::string query_value(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view one = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (one.starts_with(name) && one.substr(name.size(), 1) == "=") {
      return std::string(one.substr(name.size() + 1));
    }
  }
  return {};
}

PageReply refusal(int status, std::string_view what, std::string_view fix) {
  PageReply reply;
  reply.status = status;
  reply.body = html_page("ichor", what, "<p>" + html_text(fix) + "</p>\n");
  reply.headers = {{"Content-Security-Policy", std::string(kPagePolicy)}};
  return reply;
}

tl::expected<Admitted, PageReply> admit(const PageRequest& request, const PageKeys& keys) {
  if (request.method != "GET" && request.method != "HEAD") {
    PageReply reply =
        refusal(405, "These pages change nothing.", "Only GET and HEAD are answered.");
    reply.headers.emplace_back("Allow", "GET, HEAD");
    return tl::unexpected(std::move(reply));
  }
  const std::string_view target = request.target;
  if (target.empty() || target.front() != '/' || target.size() > kTargetMax) {
    return tl::unexpected(refusal(400, "The target of this request is no path of this server.",
                                  "Start it with a slash, and keep it below 2048 bytes."));
  }
  const std::size_t mark = std::min(target.find('?'), target.size());
  Admitted admitted{"/", std::string(target.substr(1, mark - 1)),
                    std::string(target.substr(std::min(mark + 1, target.size())))};
  if (request.private_socket) return admitted;
  if (PageReply wrong = judge_source(request, keys); wrong.status != 0) {
    return tl::unexpected(std::move(wrong));
  }
  const std::string_view bearer = value_of(request, "authorization");
  if (bearer.starts_with(kBearer) && opens(bearer.substr(kBearer.size()), keys.token)) {
    return admitted;
  }
  const std::string given = query_value(admitted.query, "token");
  if (admitted.path.empty() && opens(given, keys.token)) {
    return tl::unexpected(let_in(keys));
  }
  const std::string folder = keys.folder + "/";
  if (admitted.path.starts_with(folder) && has_session(value_of(request, "cookie"), keys)) {
    admitted.path.erase(0, folder.size());
    admitted.root = "/" + folder;
    return admitted;
  }
  return tl::unexpected(unknown_client());
}

}  // namespace ichor
