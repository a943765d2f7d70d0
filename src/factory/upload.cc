#include "factory/upload.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <fmt/format.h>
#include <openssl/x509_vfy.h>
#include <optional>

#include "base/clean_text.h"
#include "model/json.h"

namespace ichor {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;

namespace {

constexpr std::size_t kAnswerMax = 64u << 10;
constexpr std::size_t kShownMax = 300;
constexpr JsonLimits kAnswerLimits{.bytes_max = kAnswerMax};

struct Place {
  bool tls{true};
  std::string host;
  std::string port;
  std::string path;  // without a slash at its end
};

/// http[s]://HOST[:PORT][/PATH], with an IPv6 address in brackets.
std::optional<Place> place_of(std::string_view url) {
  Place place;
  if (url.starts_with("http://")) {
    place.tls = false;
    url.remove_prefix(7);
  } else if (url.starts_with("https://")) {
    url.remove_prefix(8);
  } else {
    return std::nullopt;
  }
  const std::size_t slash = std::min(url.find('/'), url.size());
  place.path = url.substr(slash);
  while (place.path.ends_with('/')) place.path.pop_back();
  std::string_view authority = url.substr(0, slash);
  if (authority.find_first_of("@?# ") != std::string_view::npos) return std::nullopt;
  const std::size_t bracket = authority.starts_with('[') ? authority.find(']') : 0;
  if (bracket == std::string_view::npos) return std::nullopt;
  const std::size_t colon = authority.find(':', bracket);
  place.host = bracket == 0 ? authority.substr(0, colon) : authority.substr(1, bracket - 1);
  place.port = place.tls ? "443" : "80";
  if (colon != std::string_view::npos) place.port = authority.substr(colon + 1);
  const bool numeric = place.port.find_first_not_of("0123456789") == std::string::npos;
  if (place.host.empty() || place.port.empty() || !numeric) return std::nullopt;
  return place;
}

/// One POST on a loop of its own, from the name to the answer.
class Post {
 public:
  Post(Place place, const std::string& body)
      : place_(std::move(place)),
        resolver_(io_),
        tls_(asio::ssl::context::tls_client),
        limit_(io_) {
    message_.method(http::verb::post);
    message_.target(place_.path + "/schematics");
    message_.version(11);
    message_.set(http::field::host, place_.host);
    message_.set(http::field::user_agent, "ichor");
    message_.set(http::field::connection, "close");
    message_.set(http::field::content_type, "application/yaml");
    message_.body() = body;
    message_.prepare_payload();
    parser_.body_limit(kAnswerMax);
  }

  Result<http::response<http::string_body>> run(Duration limit) {
    limit_.expires_after(limit);
    limit_.async_wait([this](error_code error) {
      if (!error) end("no answer in time");
    });
    resolver_.async_resolve(place_.host, place_.port, [this](error_code error, auto found) {
      if (error) return end("resolve: " + error.message());
      connect(found);
    });
    io_.run();
    if (!trouble_.empty()) return fail(Errc::io, fmt::format("{}: {}", place_.host, trouble_));
    return parser_.release();
  }

 private:
  void connect(const asio::ip::tcp::resolver::results_type& found) {
    if (const error_code error = prepare_stream()) return end("TLS: " + error.message());
    lowest().async_connect(found, [this](error_code error, auto) {
      if (error) return end("connect: " + error.message());
      place_.tls ? shake_hands() : send(*plain_);
    });
  }

  error_code prepare_stream() {
    if (!place_.tls) {
      plain_.emplace(io_);
      return {};
    }
    error_code error;
    tls_.set_default_verify_paths(error);
    if (error) return error;
    stream_.emplace(io_, tls_);
    stream_->set_verify_mode(asio::ssl::verify_peer);
    stream_->set_verify_callback(asio::ssl::host_name_verification(place_.host));
    SSL_set_min_proto_version(stream_->native_handle(), TLS1_2_VERSION);
    error_code is_name;
    asio::ip::make_address(place_.host, is_name);
    // An address is not sent as a server name: RFC 6066 allows names only.
    if (is_name) SSL_set_tlsext_host_name(stream_->native_handle(), place_.host.c_str());
    return {};
  }

  beast::tcp_stream& lowest() { return place_.tls ? beast::get_lowest_layer(*stream_) : *plain_; }

  void shake_hands() {
    stream_->async_handshake(asio::ssl::stream_base::client, [this](error_code error) {
      if (!error) return send(*stream_);
      const long verified = SSL_get_verify_result(stream_->native_handle());
      end("TLS: " + (verified == X509_V_OK ? error.message()
                                           : std::string(X509_verify_cert_error_string(verified))));
    });
  }

  template <class Stream>
  void send(Stream& stream) {
    http::async_write(stream, message_, [this, &stream](error_code error, std::size_t) {
      if (error) return end("send: " + error.message());
      http::async_read(stream, buffer_, parser_, [this](error_code bad, std::size_t) {
        end(bad ? "receive: " + bad.message() : "");
      });
    });
  }

  /// What is still under way ends with an error that comes too late to count.
  void end(std::string trouble) {
    if (std::exchange(over_, true)) return;
    trouble_ = std::move(trouble);
    limit_.cancel();
    resolver_.cancel();
    if (plain_ || stream_) lowest().close();
  }

  Place place_;
  asio::io_context io_{1};
  asio::ip::tcp::resolver resolver_;
  asio::ssl::context tls_;
  asio::steady_timer limit_;
  std::optional<beast::tcp_stream> plain_;
  std::optional<beast::ssl_stream<beast::tcp_stream>> stream_;
  http::request<http::string_body> message_;
  beast::flat_buffer buffer_;
  http::response_parser<http::string_body> parser_;
  bool over_{false};
  std::string trouble_;
};

/// The words of a stranger, fit for a terminal.
std::string shown(const std::string& text) {
  std::string clean = clean_text(text, kShownMax);
  while (clean.ends_with(' ')) clean.pop_back();
  return clean;
}

}  // namespace

Result<std::string> upload_schematic(const std::string& url, const std::string& schematic,
                                     Duration limit) {
  auto place = place_of(url);
  if (!place) {
    return fail(
        Errc::invalid,
        fmt::format("\"{}\" is no address of a factory such as https://factory.talos.dev", url));
  }
  const auto answer = Post(*std::move(place), schematic).run(limit);
  if (!answer) return tl::unexpected(answer.error());
  const int status = static_cast<int>(answer->result_int());
  if (status / 100 != 2) {
    const Errc code = status / 100 == 4 ? Errc::invalid : Errc::io;
    return fail(code, fmt::format("{} answers {}: {}", url, status, shown(answer->body())));
  }
  const auto json = parse_json(answer->body(), kAnswerLimits);
  std::string id = json ? text_in(*json, "id") : "";
  if (id.empty()) {
    return fail(Errc::io,
                fmt::format("{} is no image factory: it answers {}", url, shown(answer->body())));
  }
  return id;
}

}  // namespace ichor
