#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "serve/pages.h"
#include "serve/site.h"
#include "serve/test_cluster.h"

namespace {

using namespace ichor;

constexpr WallTime kNow{TestCluster::kBegan + 60'000};

/// A cluster where every text that comes from elsewhere is this one.
std::vector<ServedCluster> cluster_of(const std::string& text) {
  TestCluster test(text);
  test.cluster.nodes = {text};
  test.cluster.trouble = text;
  test.cluster.certificates = {{text, 0}};
  test.start("one", text);
  test.add("one", RecordKind::observed, {}, std::string(kVersionsKey), text);
  test.change("one", text, OutcomeKind::refused, text);
  test.step("one", text, text);
  test.end("one", "1", text);
  return {test.cluster};
}

/// What gives a page its form. A text from elsewhere adds nothing to it.
std::string form_of(const std::string& page) {
  std::string form;
  for (const char mark : {'<', '>', '"', '\'', '\n'}) {
    form += std::to_string(std::count(page.begin(), page.end(), mark)) + " ";
  }
  return form;
}

void expect_same_form(const std::string& hostile) {
  using Kind = SiteRoute::Kind;
  static const std::vector<ServedCluster> harmless = cluster_of("x");
  const std::vector<ServedCluster> clusters = cluster_of(hostile);
  for (const SiteRoute& route : {SiteRoute{Kind::clusters}, SiteRoute{Kind::cluster},
                                 SiteRoute{Kind::run, 0, 1}, SiteRoute{Kind::metrics}}) {
    const std::string page = reply_for({"/", "", ""}, route, clusters, "1", kNow).body;
    const std::string plain = reply_for({"/", "", ""}, route, harmless, "1", kNow).body;
    check(is_utf8(page), "a page is UTF-8");
    if (route.kind == Kind::metrics) {
      check(std::count(page.begin(), page.end(), '\n') ==
                std::count(plain.begin(), plain.end(), '\n'),
            "metrics keep their lines");
    } else {
      check(form_of(page) == form_of(plain), "a page keeps its form");
    }
  }
  const bool can_be_named = hostile.find('\0') == hostile.npos;
  check(!can_be_named || route_of(cluster_path(clusters[0]), clusters).kind == Kind::cluster,
        "a link leads to its page");
}

}  // namespace

/// Whatever is asked for, nothing is shown without the token; whatever names and errors say, pages
/// and metrics keep their form.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string hostile(reinterpret_cast<const char*>(data), size);
  PageRequest request;
  request.method = "GET";
  request.target = "/" + hostile;
  request.headers = {{"host", "127.0.0.1:8470"},
                     {"cookie", hostile},
                     {"authorization", hostile},
                     {"last-event-id", hostile}};
  const PageKeys keys{SecretString(std::string(64, 't')), SecretString(std::string(64, 's')),
                      "0123456789abcdef", 8470};
  const bool knows = hostile.find(std::string(64, 't')) != hostile.npos ||
                     hostile.find(std::string(64, 's')) != hostile.npos;
  check(knows || !admit(request, keys), "who has no token sees nothing");
  request.private_socket = true;
  const auto admitted = admit(request, keys);
  if (admitted) {
    static const std::vector<ServedCluster> harmless = cluster_of("x");
    reply_for(*admitted, route_of(admitted->path, harmless), harmless, "1", kNow);
    stream_start(request, admitted->query);
  }
  expect_same_form("a" + hostile);
  return 0;
}
