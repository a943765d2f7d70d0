#include <csignal>
#include <fmt/format.h>
#include <list>

#include "async/signal.h"
#include "cli/version.h"
#include "command/cluster_book.h"
#include "command/commands.h"
#include "run/finish.h"
#include "serve/pages.h"
#include "serve/site.h"

namespace ichor {

namespace {

constexpr Duration kLookEvery = std::chrono::milliseconds(500);
/// Browsers and proxies give up a stream that is silent for long.
constexpr Duration kBeatEvery = std::chrono::seconds(15);
constexpr int kStreamsMax = 16;
/// A token of a file that is shorter can be guessed.
constexpr std::size_t kTokenMin = 32;

std::string random_word(Random& random, int numbers) {
  std::string word;
  for (int i = 0; i < numbers; ++i) word += fmt::format("{:016x}", random.next());
  return word;
}

/// Answers requests while the command runs.
class Site {
 public:
  Site(ClusterBook& book, PageKeys keys, Context context)
      : book_(book), keys_(std::move(keys)), context_(context) {}

  void set_port(std::uint16_t port) { keys_.port = port; }

  void take(std::shared_ptr<PageExchange> exchange) {
    auto admitted = admit(exchange->request(), keys_);
    if (!admitted) return exchange->reply(std::move(admitted.error()));
    tasks_.remove_if([](const Task<void>& task) { return task.done(); });
    tasks_.push_back(answer(context_, std::move(exchange), *std::move(admitted)));
    tasks_.back().start();
  }

 private:
  Task<void> answer(Context context, std::shared_ptr<PageExchange> given, Admitted admitted) {
    // An argument would live as long as the task is kept, and the connection with it.
    const std::shared_ptr<PageExchange> exchange = std::move(given);
    co_await book_.refresh(context);
    const SiteRoute route = route_of(admitted.path, book_.clusters());
    const bool changes = route.kind == SiteRoute::Kind::changes;
    if (!changes && route.kind != SiteRoute::Kind::run_events) {
      exchange->reply(
          reply_for(admitted, route, book_.clusters(), version(), context.clock->wall()));
      co_return;
    }
    if (exchange->request().method == "HEAD") {
      exchange->reply(event_stream());
      co_return;
    }
    if (streams_ >= kStreamsMax) {
      exchange->reply(
          refusal(503, "Too many pages follow runs at the same time.", "Close some of them."));
      co_return;
    }
    ++streams_;
    if (changes) {
      co_await follow_changes(context, *exchange, admitted);
    } else {
      const std::uint64_t after = stream_start(exchange->request(), admitted.query);
      co_await follow_run(context, *exchange, route, after);
    }
    --streams_;
  }

  /// What a page shows depends on nothing else.
  std::string state_of(const Admitted& admitted) const {
    const SiteRoute route = route_of(admitted.path, book_.clusters());
    // The list of all clusters and the page of one have streams of the same kind.
    const bool all = admitted.path == "events";
    std::string state;
    for (std::size_t i = 0; i < book_.clusters().size(); ++i) {
      const ServedCluster& cluster = book_.clusters()[i];
      if (!all && i != route.cluster) continue;
      state += fmt::format("{} {} {} {}\n", cluster.records.size(), cluster.held,
                           cluster.nodes.size(), cluster.trouble);
    }
    return state;
  }

  /// Shows now and then that the stream lives. False: the client is gone.
  static bool beat(PageExchange& exchange, Context context, MonoTime& beat_at) {
    if (context.now() < beat_at) return true;
    beat_at = context.now() + kBeatEvery;
    return exchange.send(kStreamBeat);
  }

  Task<void> follow_changes(Context context, PageExchange& exchange, const Admitted& admitted) {
    exchange.stream(event_stream());
    std::string seen;
    std::uint64_t count = 0;
    MonoTime beat_at = context.now();
    for (;;) {
      const std::string now = state_of(admitted);
      // The first one, too: the page may be older than the stream.
      bool here = true;
      if (now != seen) here = exchange.send(stream_event("changed", ++count, "{}"));
      seen = now;
      if (!here || !beat(exchange, context, beat_at)) co_return;
      if (co_await sleep_for(context, kLookEvery) == Wake::cancelled) co_return;
      co_await book_.refresh(context);
    }
  }

  Task<void> follow_run(Context context, PageExchange& exchange, SiteRoute route,
                        std::uint64_t after) {
    exchange.stream(event_stream());
    MonoTime beat_at = context.now();
    for (;;) {
      const ServedCluster& cluster = book_.clusters()[route.cluster];
      const ClusterRuns runs(cluster);
      bool here = route.run <= runs.runs().size();
      if (here) here = send_records(exchange, runs.runs()[route.run - 1], after);
      if (here && !runs.running(route.run)) {
        exchange.send(stream_event("end", after, "{}"));
        here = false;
      }
      if (!here || !beat(exchange, context, beat_at)) co_return;
      if (co_await sleep_for(context, kLookEvery) == Wake::cancelled) co_return;
      co_await book_.refresh(context);
    }
  }

  static bool send_records(PageExchange& exchange, const JournalRun& run, std::uint64_t& after) {
    for (const JournalRecord* record : run) {
      if (record->seq <= after) continue;
      after = record->seq;
      if (!exchange.send(stream_event("record", after, event_line(run, *record)))) return false;
    }
    return true;
  }

  ClusterBook& book_;
  PageKeys keys_;
  Context context_;
  int streams_{0};
  std::list<Task<void>> tasks_;
};

/// Of the file, which is made if it is missing; or a new one.
OrEnd<SecretString> find_token(const std::string& path, Host& host) {
  SecretString made(random_word(host.random, 4));
  if (path.empty()) return made;
  if (!host.files.has_file(path)) {
    if (auto created = host.files.create_private(path, made, false); !created) {
      return end_with(created.error());
    }
    return made;
  }
  const auto text = host.files.read_secret(path);
  if (!text) return end_with(text.error());
  const std::string_view word = text->reveal().substr(0, text->reveal().find('\n'));
  const bool plain = word.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                         "0123456789-_") == word.npos;
  if (word.size() < kTokenMin || !plain) {
    return end_with(Exit::usage,
                    fmt::format("{} must have one line of at least {} letters, digits, - or _; "
                                "remove the file, and ichor makes one",
                                path, kTokenMin));
  }
  return SecretString(std::string(word));
}

/// The ways in, while they are open.
struct Doors {
  std::unique_ptr<PageServer> port, socket;
  std::string url;  // with the token
};

OrEnd<Doors> open_doors(const ServeRequest& request, Site& site, const SecretString& token,
                        Host& host) {
  const PageHandler handler = [&site](std::shared_ptr<PageExchange> exchange) {
    site.take(std::move(exchange));
  };
  Doors doors;
  if (!request.address.empty()) {
    auto port = host.network.serve_pages({request.address, request.port, ""}, handler);
    if (!port) {
      Error error = port.error();
      error.message += "; `--listen 127.0.0.1:0` takes a free port";
      return end_with(error);
    }
    doors.port = *std::move(port);
    site.set_port(doors.port->port());
    const std::string host_text = request.address == "::1" ? "[::1]" : request.address;
    doors.url =
        fmt::format("http://{}:{}/?token={}", host_text, doors.port->port(), token.reveal());
  }
  if (!request.socket.empty()) {
    auto socket = host.network.serve_pages({"", 0, host.files.absolute(request.socket)}, handler);
    if (!socket) return end_with(socket.error());
    doors.socket = *std::move(socket);
  }
  return doors;
}

void tell(const ServeRequest& request, const Doors& doors, const ClusterBook& book,
          const CommonOptions& common, Host& host) {
  std::string names;
  for (const ServedCluster& cluster : book.clusters()) {
    names += (names.empty() ? "" : ", ") + cluster.name;
  }
  if (for_programs(common.output)) {
    Listing listing{"server", {{"url", "URL"}}, {}};
    nlohmann::ordered_json row;
    row["url"] = doors.url;
    row["socket"] = request.socket;
    row["clusters"] = names;
    listing.rows.push_back(std::move(row));
    host.terminal.display().show(listing);
    return;
  }
  std::ostream& out = host.terminal.out();
  out << "serving " << names << "; Ctrl-C ends\n";
  if (!doors.url.empty()) out << "open " << doors.url << "\n";
  if (!request.socket.empty()) out << "socket " << request.socket << "\n";
  out << std::flush;
}

Task<void> until_stopped(Context context) { co_await sleep_until(context, kNever); }

}  // namespace

Exit run(const ServeRequest& request, const CommonOptions& common, Host& host) {
  auto book = ClusterBook::open(common, host);
  if (!book) return finish(std::move(book).error(), host.terminal);
  const auto token = find_token(request.token_file, host);
  if (!token) return finish(token.error(), host.terminal);
  CancelScope scope;
  const Context context{&host.loop.clock(), &scope};
  PageKeys keys{*token, SecretString(random_word(host.random, 4)), random_word(host.random, 1), 0};
  Site site(*book, std::move(keys), context);
  int signal = 0;
  {
    const auto doors = open_doors(request, site, *token, host);
    if (!doors) return finish(doors.error(), host.terminal);
    tell(request, *doors, *book, common, host);
    signal = host.loop.drive(until_stopped(context), scope);
  }
  RunResult result;
  result.exit = signal == SIGTERM ? Exit::terminated : Exit::interrupted;
  result.verdict = "stopped serving";
  return finish(std::move(result), host.terminal);
}

}  // namespace ichor
