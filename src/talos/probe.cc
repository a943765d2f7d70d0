#include "talos/probe.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <list>
#include <mutex>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/check.h"
#include "talos/real_time.h"
#include "talos/wire_text.h"

namespace ichor {

namespace {

/// Fills `storage` from an address literal; zero if it is none.
socklen_t socket_address(const Endpoint& endpoint, sockaddr_storage& storage) {
  auto* v4 = reinterpret_cast<sockaddr_in*>(&storage);
  if (inet_pton(AF_INET, endpoint.host.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(endpoint.port);
    return sizeof *v4;
  }
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&storage);
  if (inet_pton(AF_INET6, endpoint.host.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(endpoint.port);
    return sizeof *v6;
  }
  return 0;
}

std::string openssl_text() {
  const unsigned long error = ERR_get_error();
  ERR_clear_error();
  if (error == 0) return "the connection was closed";
  const char* reason = ERR_reason_error_string(error);
  return reason ? reason : "TLS error";
}

/// The parsed credentials; all null if there are none.
struct Keys {
  X509Ptr ca;
  X509Ptr client;
  EvpKeyPtr client_key;
};

/// One handshake under way. step() is called when its socket is ready, until done() holds.
class Probe {
 public:
  Probe(SSL_CTX& context, const Keys& keys, Prober::Target target, Prober::Done done)
      : keys_(keys),
        target_(std::move(target)),
        deadline_(real_deadline(target_.limit)),
        tell_(std::move(done)),
        ssl_(SSL_new(&context)) {
    check(ssl_ != nullptr, "OpenSSL has memory");
    SSL_set_app_data(ssl_.get(), this);
    SSL_set_connect_state(ssl_.get());
    dial();
  }
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;
  ~Probe() {
    if (fd_ >= 0) close(fd_);
  }

  pollfd interest() const { return {fd_, events_, 0}; }
  int ms_left() const { return real_ms_until(deadline_); }
  bool done() const { return stage_ == Stage::done; }
  void tell() { tell_(std::move(report_)); }

  void step() {
    if (stage_ == Stage::connecting) finish_connect();
    if (stage_ == Stage::shaking_hands) shake_hands();
    if (stage_ == Stage::awaiting_verdict) await_verdict();
    if (!done() && ms_left() == 0) time_out();
  }

  /// OpenSSL asks for a client certificate because the server did.
  int on_client_wanted(X509** certificate, EVP_PKEY** key) {
    report_.wants_client = true;
    if (!keys_.client) return 0;
    const X509Ptr leaf(SSL_get1_peer_certificate(ssl_.get()));
    if (!leaf) return 0;
    report_.chain = judge_chain(*leaf, *keys_.ca, target_.address);
    report_.seconds_outside = seconds_outside(*leaf);
    // Whoever cannot prove himself is not shown who we are.
    if (report_.chain != ChainFault::none) return 0;
    report_.client_offered = true;
    X509_up_ref(keys_.client.get());
    EVP_PKEY_up_ref(keys_.client_key.get());
    *certificate = keys_.client.get();
    *key = keys_.client_key.get();
    return 1;
  }
  void on_alert(int alert) { report_.alert = alert; }

 private:
  enum class Stage { connecting, shaking_hands, awaiting_verdict, done };

  void fail(Code code, std::string text) {
    report_.code = code;
    report_.text = clean_text(text + " (" + to_text(target_.endpoint) + ")");
    report_.shook_hands = false;
    stage_ = Stage::done;
  }

  void time_out() {
    const char* what = stage_ == Stage::connecting      ? "no answer"
                       : stage_ == Stage::shaking_hands ? "the TLS handshake was not finished"
                                                        : "silence after the TLS handshake";
    fail(Code::deadline_exceeded, what);
  }

  void dial() {
    sockaddr_storage storage{};
    const socklen_t size = socket_address(target_.endpoint, storage);
    if (size == 0) return fail(Code::invalid_argument, "not an IP address");
    fd_ = socket(storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
    if (fd_ < 0) return fail(Code::resource_exhausted, std::strerror(errno));
    const int on = 1;
    setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    SSL_set_fd(ssl_.get(), fd_);
    if (connect(fd_, reinterpret_cast<sockaddr*>(&storage), size) == 0 || errno == EINPROGRESS) {
      events_ = POLLOUT;
      return;
    }
    fail(Code::unavailable, std::strerror(errno));
  }

  void finish_connect() {
    pollfd ready{fd_, POLLOUT, 0};
    if (poll(&ready, 1, 0) == 0) return;
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return fail(Code::unavailable, std::strerror(error));
    stage_ = Stage::shaking_hands;
  }

  /// Whether OpenSSL only waits for the socket; sets what for.
  bool waits(int result) {
    switch (SSL_get_error(ssl_.get(), result)) {
      case SSL_ERROR_WANT_READ: events_ = POLLIN; return true;
      case SSL_ERROR_WANT_WRITE: events_ = POLLOUT; return true;
      default: return false;
    }
  }

  void shake_hands() {
    ERR_clear_error();
    const int result = SSL_do_handshake(ssl_.get());
    if (result == 1) return look_around();
    if (!waits(result)) fail(Code::unavailable, "TLS handshake failed: " + openssl_text());
  }

  void look_around() {
    const X509Ptr leaf(SSL_get1_peer_certificate(ssl_.get()));
    if (!leaf) return fail(Code::unavailable, "the server has no certificate");
    report_.fingerprint = fingerprint_of(*leaf);
    report_.issuer = clean_text(name_text(X509_get_issuer_name(leaf.get())), 256);
    report_.tls_version = SSL_get_version(ssl_.get());
    const unsigned char* alpn = nullptr;
    unsigned int size = 0;
    SSL_get0_alpn_selected(ssl_.get(), &alpn, &size);
    report_.alpn.assign(reinterpret_cast<const char*>(alpn), alpn ? size : 0);
    if (report_.alpn != "h2") return fail(Code::unavailable, "the server does not speak HTTP/2");
    report_.shook_hands = true;
    stage_ = report_.client_offered ? Stage::awaiting_verdict : Stage::done;
  }

  void await_verdict() {
    ERR_clear_error();
    char byte = 0;
    const int result = SSL_read(ssl_.get(), &byte, 1);
    if (result <= 0 && waits(result)) return;
    report_.client_accepted = result > 0;
    stage_ = Stage::done;
    // A close without an alert says nothing about our certificate.
    if (result <= 0 && report_.alert < 0) fail(Code::unavailable, openssl_text());
  }

  const Keys& keys_;
  Prober::Target target_;
  gpr_timespec deadline_;
  Prober::Done tell_;
  SslPtr ssl_;
  int fd_{-1};
  short events_{0};
  Stage stage_{Stage::connecting};
  ProbeReport report_;
};

Probe& probe_of(const SSL* ssl) { return *static_cast<Probe*>(SSL_get_app_data(ssl)); }

SslCtxPtr make_context() {
  SslCtxPtr context(SSL_CTX_new(TLS_client_method()));
  check(context != nullptr, "OpenSSL has memory");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION);
  constexpr unsigned char h2[] = {2, 'h', '2'};
  SSL_CTX_set_alpn_protos(context.get(), h2, sizeof h2);
  // Who the server is is judged afterwards, with a reason, instead of by a failed handshake.
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_NONE, nullptr);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_client_cert_cb(context.get(), [](SSL* ssl, X509** certificate, EVP_PKEY** key) {
    return probe_of(ssl).on_client_wanted(certificate, key);
  });
  SSL_CTX_set_info_callback(context.get(), [](const SSL* ssl, int where, int value) {
    if ((where & SSL_CB_READ_ALERT) == SSL_CB_READ_ALERT) probe_of(ssl).on_alert(value & 0xff);
  });
  return context;
}

}  // namespace

struct Prober::Impl {
  explicit Impl(const TalosCredentials* credentials) {
    check(wake_fd >= 0, "an eventfd can be made");
    if (credentials) {
      keys.ca = certificate_from_pem(credentials->ca_pem);
      keys.client = certificate_from_pem(credentials->client_cert_pem);
      keys.client_key = key_from_pem(credentials->client_key_pem.reveal());
      if (!keys.ca || !keys.client || !keys.client_key) keys = {};
    }
    thread = std::thread([this] { run(); });
  }

  void wake() const {
    const std::uint64_t one = 1;
    check(write(wake_fd, &one, sizeof one) == sizeof one, "an eventfd takes a count");
  }

  /// Takes what start() left; false when the prober ends.
  bool take_new() {
    std::deque<std::pair<Target, Done>> taken;
    {
      const std::lock_guard lock(mutex);
      if (ending) return false;
      taken.swap(waiting);
    }
    for (auto& [target, done] : taken) {
      probes.emplace_back(*context, keys, std::move(target), std::move(done));
    }
    return true;
  }

  /// Moves on what its socket or its deadline is ready for, and tells of what ended. `sockets` is
  /// what the last poll saw: the eventfd, then one entry for each probe there was then, in order.
  void step(const std::vector<pollfd>& sockets) {
    std::size_t seen = 1;
    for (auto probe = probes.begin(); probe != probes.end();) {
      const bool is_new = seen >= sockets.size();
      const bool ready = is_new || sockets[seen++].revents != 0 || probe->ms_left() == 0;
      if (ready && !probe->done()) probe->step();
      if (probe->done()) {
        probe->tell();
        probe = probes.erase(probe);
      } else {
        ++probe;
      }
    }
  }

  void run() {
    // OpenSSL writes to sockets without MSG_NOSIGNAL; a peer that is gone must not end the process.
    sigset_t pipe_signal;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, nullptr);

    std::vector<pollfd> sockets{{wake_fd, POLLIN, 0}};
    while (take_new()) {
      step(sockets);
      sockets.resize(1);
      int timeout = -1;
      for (const Probe& probe : probes) {
        sockets.push_back(probe.interest());
        // Rounded up, so that the deadline has passed when the wait for it ends.
        const int left = probe.ms_left() + 1;
        timeout = timeout < 0 ? left : std::min(timeout, left);
      }
      poll(sockets.data(), sockets.size(), timeout);
      std::uint64_t count = 0;
      [[maybe_unused]] const ssize_t got = read(wake_fd, &count, sizeof count);
    }
  }

  Keys keys;
  SslCtxPtr context{make_context()};
  int wake_fd{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  std::mutex mutex;
  std::deque<std::pair<Target, Done>> waiting;  // under the mutex
  bool ending{false};                           // under the mutex
  std::list<Probe> probes;                      // the thread's own
  std::thread thread;
};

Prober::Prober(const TalosCredentials* credentials) : impl_(std::make_unique<Impl>(credentials)) {}

Prober::~Prober() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->ending = true;
  }
  impl_->wake();
  impl_->thread.join();
  close(impl_->wake_fd);
}

void Prober::start(Target target, Done done) {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->waiting.emplace_back(std::move(target), std::move(done));
  }
  impl_->wake();
}

}  // namespace ichor
