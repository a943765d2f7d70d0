#include "lab/control_server.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <istream>
#include <nlohmann/json.hpp>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ichor::lab {

namespace asio = boost::asio;
using Local = asio::local::stream_protocol;
using nlohmann::json;

namespace {

constexpr std::size_t kLineMax = 64 * 1024;

std::string answer(const ControlServer::Orders& orders, const std::string& line) {
  const json request = json::parse(line, nullptr, false);
  const std::string op = request.is_object() ? request.value("op", "") : "";
  if (op == "status") return R"({"ok":true,"status":)" + to_json(orders.status()) + "}";
  if (op == "inject") {
    Injection injection;
    injection.node = NodeName(request.value("node", ""));
    injection.fault = request.value("fault", "");
    injection.call = request.value("call", "");
    injection.lasts = std::chrono::milliseconds(request.value("lasts_ms", std::int64_t{0}));
    const auto done = orders.inject(injection);
    const json reply = done ? json{{"ok", true}, {"text", *done}}
                            : json{{"ok", false}, {"error", done.error().message}};
    return reply.dump();
  }
  if (op == "stop") {
    orders.stop();
    return R"({"ok":true})";
  }
  return json{{"ok", false}, {"error", "unknown order"}}.dump();
}

/// The process that this one was started to die with; 0 if there is none.
pid_t companion() {
  int signal = 0;
  const bool known = ::prctl(PR_GET_PDEATHSIG, &signal) == 0;
  return known && signal != 0 ? ::getppid() : 0;
}

}  // namespace

std::string socket_path(const Folder& folder) {
  return "/proc/self/fd/" + std::to_string(folder.fd()) + "/" + kControlSocket;
}

struct ControlServer::Impl : std::enable_shared_from_this<ControlServer::Impl> {
  Impl(LoopClock& loop, Orders orders) : orders(std::move(orders)), acceptor(loop.io()) {}

  struct Session {
    explicit Session(Local::socket socket) : socket(std::move(socket)), buffer(kLineMax) {}
    Local::socket socket;
    asio::streambuf buffer;
    std::string reply;
  };

  void accept() {
    acceptor.async_accept(
        [self = shared_from_this()](const boost::system::error_code& error, Local::socket socket) {
          if (error) return;
          self->read(std::make_shared<Session>(std::move(socket)));
          self->accept();
        });
  }

  void read(const std::shared_ptr<Session>& session) {
    asio::async_read_until(
        session->socket, session->buffer, '\n',
        [self = shared_from_this(), session](const boost::system::error_code& error, std::size_t) {
          if (!error) self->reply(session);
        });
  }

  void reply(const std::shared_ptr<Session>& session) {
    std::istream stream(&session->buffer);
    std::string line;
    std::getline(stream, line);
    // The signal to end is on its way: whoever asks now must not build on this lab.
    const bool ending = parent != 0 && ::getppid() != parent;
    session->reply =
        (ending ? R"({"ok":false,"error":"the lab is ending"})" : answer(orders, line));
    session->reply += '\n';
    asio::async_write(
        session->socket, asio::buffer(session->reply),
        [self = shared_from_this(), session](const boost::system::error_code& error, std::size_t) {
          if (!error) self->read(session);
        });
  }

  Orders orders;
  Local::acceptor acceptor;
  pid_t parent = companion();
};

ControlServer::ControlServer(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

ControlServer::~ControlServer() {
  boost::system::error_code ignored;
  impl_->acceptor.close(ignored);
}

Result<std::unique_ptr<ControlServer>> ControlServer::open(LoopClock& loop, const Folder& folder,
                                                           Orders orders) {
  auto impl = std::make_shared<Impl>(loop, std::move(orders));
  // The folder is locked by this process, so an existing socket is left over.
  ::unlinkat(folder.fd(), kControlSocket, 0);
  boost::system::error_code error;
  const Local::endpoint endpoint(socket_path(folder));
  impl->acceptor.open(endpoint.protocol(), error);
  if (!error) impl->acceptor.bind(endpoint, error);
  if (!error && ::fchmodat(folder.fd(), kControlSocket, 0600, 0) != 0) {
    error = boost::system::error_code(errno, boost::system::system_category());
  }
  if (!error) impl->acceptor.listen(16, error);
  if (error) {
    return fail(Errc::io,
                "cannot open the control channel in " + folder.path() + ": " + error.message());
  }
  impl->accept();
  return std::unique_ptr<ControlServer>(new ControlServer(std::move(impl)));
}

}  // namespace ichor::lab
