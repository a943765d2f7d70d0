#include "grpc/http2_server.h"

#include <utility>

#include "base/check.h"

namespace ichor::grpc {

namespace {

/// What may wait for one slow client on one call.
constexpr std::size_t kUnsentBytesMax = 64u << 20;
constexpr std::size_t kUnsentMessagesMax = 20'000;

bool is_reserved(std::string_view name) {
  return name.starts_with(':') || name.starts_with("grpc-") || name == "content-type" ||
         name == "te";
}

/// A request in gRPC's terms, or what is wrong with it.
struct Request {
  std::string method;
  std::string path;
  std::string content_type;
  std::optional<std::string> timeout;
  std::string encoding;
  Metadata metadata;
};

Request request_from(Metadata headers) {
  Request request;
  for (auto& [name, value] : headers) {
    if (name == ":method") {
      request.method = std::move(value);
    } else if (name == ":path") {
      request.path = std::move(value);
    } else if (name == "content-type") {
      request.content_type = std::move(value);
    } else if (name == "grpc-timeout") {
      request.timeout = std::move(value);
    } else if (name == "grpc-encoding") {
      request.encoding = std::move(value);
    } else if (!is_reserved(name)) {
      const bool binary = name.ends_with("-bin");
      auto bytes = binary ? decode_binary(value) : std::nullopt;
      request.metadata.emplace_back(std::move(name), bytes ? *std::move(bytes) : std::move(value));
    }
  }
  return request;
}

/// "application/grpc", also with "+proto" or parameters behind it.
bool is_grpc_type(std::string_view type) {
  constexpr std::string_view kBase = "application/grpc";
  if (!type.starts_with(kBase)) return false;
  return type.size() == kBase.size() || type[kBase.size()] == '+' || type[kBase.size()] == ';';
}

void encode_binary_values(Metadata& metadata) {
  for (auto& [name, value] : metadata) {
    if (name.ends_with("-bin")) value = encode_binary(value);
  }
}

}  // namespace

struct ServerStream::State {
  explicit State(std::size_t message_bytes_max) : incoming(message_bytes_max) {}

  std::int32_t id{0};
  std::string path;
  Metadata metadata;
  std::optional<Duration> timeout;
  Incoming incoming;
  Outgoing outgoing;
  Metadata initial;
  Metadata trailers;
  bool half_closed{false};
  bool responded{false};               // the response headers were handed to HTTP/2
  bool finished{false};                // the status is known
  bool over{false};                    // the stream is gone
  std::shared_ptr<ServerStream> call;  // until the stream is gone, whoever else holds it
};

ServerStream::ServerStream(std::weak_ptr<Http2Server> server, std::shared_ptr<State> state)
    : server_(std::move(server)), state_(std::move(state)) {}
ServerStream::~ServerStream() = default;

const std::string& ServerStream::path() const { return state_->path; }
const Metadata& ServerStream::metadata() const { return state_->metadata; }
const std::optional<Duration>& ServerStream::timeout() const { return state_->timeout; }
bool ServerStream::has_message() const { return !state_->incoming.messages.empty(); }
bool ServerStream::half_closed() const { return state_->half_closed; }
bool ServerStream::over() const { return state_->over; }

std::string ServerStream::take_message() {
  check(has_message(), "there is a message to take");
  if (const auto server = server_.lock()) return server->take(*state_);
  std::string message = std::move(state_->incoming.messages.front());
  state_->incoming.messages.pop_front();
  return message;
}

void ServerStream::set_initial_metadata(Metadata metadata) {
  state_->initial = std::move(metadata);
}

bool ServerStream::write(std::string_view message) {
  const auto server = server_.lock();
  return server && server->write(*state_, message);
}

void ServerStream::finish(Code code, const std::string& text, Metadata trailing,
                          const std::string& details) {
  if (const auto server = server_.lock()) {
    server->finish(*state_, code, text, std::move(trailing), details);
  }
}

void ServerStream::reset() {
  const auto server = server_.lock();
  if (server && !state_->over) server->reset_stream(state_->id, NGHTTP2_CANCEL);
}

std::shared_ptr<Http2Server> Http2Server::make(Events events, Http2Limits limits) {
  return std::shared_ptr<Http2Server>(new Http2Server(std::move(events), limits));
}

Http2Server::Http2Server(Events events, Http2Limits limits)
    : Http2(Role::server, limits), events_(std::move(events)) {}

Http2Server::~Http2Server() { end("the connection was closed"); }

void Http2Server::serve(std::string_view bytes) {
  receive(bytes);
  tell_events();
}

void Http2Server::hang_up(const std::string& why) {
  end(why);
  tell_events();
}

void Http2Server::leave() {
  if (over()) return;
  nghttp2_submit_shutdown_notice(session());
  const std::int32_t last = nghttp2_session_get_last_proc_stream_id(session());
  nghttp2_submit_goaway(session(), NGHTTP2_FLAG_NONE, last, NGHTTP2_NO_ERROR, nullptr, 0);
  tell_output();
}

Http2Server::StatePtr Http2Server::find(std::int32_t stream) const {
  const auto found = streams_.find(stream);
  return found == streams_.end() ? nullptr : found->second;
}

void Http2Server::queue(std::function<void(const Call&)> Events::*what, const StatePtr& state) {
  happened_.emplace_back(what, state->call);
}

void Http2Server::tell_events() {
  const auto self = shared_from_this();
  if (std::exchange(telling_, true)) return;
  while (!happened_.empty()) {
    const auto happened = std::exchange(happened_, {});
    for (const auto& [what, call] : happened) {
      if (events_.*what) (events_.*what)(call);
    }
  }
  telling_ = false;
}

bool Http2Server::write(ServerStream::State& state, std::string_view message) {
  if (over() || state.over || state.finished) return false;
  if (state.outgoing.bytes > kUnsentBytesMax || state.outgoing.pieces.size() > kUnsentMessagesMax) {
    return false;
  }
  state.outgoing.add(frame_message(message));
  respond(state);
  resume(state.id, state.outgoing);
  return true;
}

/// Sends the response headers, once.
void Http2Server::respond(ServerStream::State& state) {
  if (std::exchange(state.responded, true)) return;
  Metadata headers{{":status", "200"}, {"content-type", "application/grpc"}};
  encode_binary_values(state.initial);
  for (const auto& line : state.initial) headers.push_back(line);
  const std::vector<nghttp2_nv> lines = header_lines(headers);
  const nghttp2_data_provider body = provider_of(state.outgoing);
  nghttp2_submit_response(session(), state.id, lines.data(), lines.size(), &body);
}

void Http2Server::finish(ServerStream::State& state, Code code, const std::string& text,
                         Metadata trailing, const std::string& details) {
  if (over() || state.over || std::exchange(state.finished, true)) return;
  state.trailers = {{"grpc-status", std::to_string(static_cast<int>(code))}};
  if (!text.empty()) state.trailers.emplace_back("grpc-message", encode_status_text(text));
  if (!details.empty()) {
    state.trailers.emplace_back("grpc-status-details-bin", encode_binary(details));
  }
  encode_binary_values(trailing);
  for (auto& line : trailing) state.trailers.push_back(std::move(line));
  state.outgoing.closed = true;
  if (state.responded || !state.initial.empty()) {
    respond(state);
    resume(state.id, state.outgoing);
    return;
  }
  // Nothing was sent yet, so headers and trailers are one block.
  state.responded = true;
  Metadata headers{{":status", "200"}, {"content-type", "application/grpc"}};
  for (const auto& line : state.trailers) headers.push_back(line);
  const std::vector<nghttp2_nv> lines = header_lines(headers);
  nghttp2_submit_response(session(), state.id, lines.data(), lines.size(), nullptr);
  tell_output();
}

void Http2Server::on_outgoing_end(std::int32_t id) {
  const StatePtr state = find(id);
  if (!state) return;
  const std::vector<nghttp2_nv> lines = header_lines(state->trailers);
  nghttp2_submit_trailer(session(), id, lines.data(), lines.size());
}

void Http2Server::on_headers_sent(std::int32_t id, bool ends) {
  // The client may still be sending; after the status the server discards that. Not before the
  // status is out: nghttp2 drops what a stream still has to say once it is to be reset.
  if (ends && nghttp2_session_get_stream_remote_close(session(), id) == 0) {
    nghttp2_submit_rst_stream(session(), NGHTTP2_FLAG_NONE, id, NGHTTP2_NO_ERROR);
  }
}

void Http2Server::refuse(std::int32_t stream, const std::string& http_status, Code code,
                         const std::string& text) {
  const Metadata headers{{":status", http_status},
                         {"content-type", "application/grpc"},
                         {"grpc-status", std::to_string(static_cast<int>(code))},
                         {"grpc-message", encode_status_text(text)}};
  const std::vector<nghttp2_nv> lines = header_lines(headers);
  nghttp2_submit_response(session(), stream, lines.data(), lines.size(), nullptr);
}

std::string Http2Server::take(ServerStream::State& state) {
  return take_message(state.id, state.incoming);
}

void Http2Server::on_headers(std::int32_t id, HeaderBlock block) {
  if (find(id)) return;  // trailers of a client: gRPC has none
  if (block.too_large) {
    reset_stream(id, NGHTTP2_ENHANCE_YOUR_CALM);
    return;
  }
  // In the order in which grpc-go looks: type, headers, method.
  Request request = request_from(std::move(block.headers));
  if (!is_grpc_type(request.content_type)) {
    refuse(id, "415", Code::invalid_argument,
           "invalid gRPC request content-type \"" + request.content_type + "\"");
    return;
  }
  const auto timeout = request.timeout ? decode_timeout(*request.timeout) : std::nullopt;
  if (request.timeout && !timeout) {
    refuse(id, "400", Code::internal, "malformed grpc-timeout: " + *request.timeout);
    return;
  }
  if (request.method != "POST") {
    refuse(id, "405", Code::internal,
           "Received a HEADERS frame with :method \"" + request.method + "\" which should be POST");
    return;
  }
  if (!request.encoding.empty() && request.encoding != "identity") {
    refuse(id, "200", Code::unimplemented,
           "grpc: Decompressor is not installed for grpc-encoding \"" + request.encoding + "\"");
    return;
  }
  const auto state = std::make_shared<ServerStream::State>(limits().message_bytes_max);
  state->id = id;
  state->path = std::move(request.path);
  state->metadata = std::move(request.metadata);
  state->timeout = timeout;
  state->call = std::make_shared<ServerStream>(weak_from_this(), state);
  streams_.emplace(id, state);
  queue(&Events::on_call, state);
}

void Http2Server::on_data(std::int32_t id, std::string_view bytes) {
  const StatePtr state = find(id);
  if (!state || state->finished) {
    // The handler does not read it, so the window stays open for as long as the stream lasts.
    nghttp2_session_consume_stream(session(), id, bytes.size());
    return;
  }
  const std::size_t before = state->incoming.messages.size();
  switch (take_in(id, state->incoming, bytes)) {
    case MessageReader::Result::fine: break;
    case MessageReader::Result::too_large:
      finish(*state, Code::resource_exhausted,
             "grpc: received message larger than max (" +
                 std::to_string(state->incoming.reader.announced_bytes()) + " vs. " +
                 std::to_string(limits().message_bytes_max) + ")",
             {}, {});
      return;
    case MessageReader::Result::compressed:
      finish(*state, Code::internal, "grpc: compressed flag set with identity or empty encoding",
             {}, {});
      return;
  }
  for (std::size_t i = before; i < state->incoming.messages.size(); ++i) {
    queue(&Events::on_message, state);
  }
}

void Http2Server::on_end_stream(std::int32_t id) {
  const StatePtr state = find(id);
  if (!state || std::exchange(state->half_closed, true)) return;
  if (state->incoming.reader.inside_message()) {
    finish(*state, Code::internal, "unexpected EOF", {}, {});
    return;
  }
  queue(&Events::on_half_close, state);
}

void Http2Server::on_closed(std::int32_t id, std::uint32_t) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) return;
  const StatePtr state = found->second;
  streams_.erase(found);
  state->over = true;
  queue(&Events::on_end, state);
  state->call.reset();
}

void Http2Server::on_over() {
  while (!streams_.empty()) on_closed(streams_.begin()->first, NGHTTP2_NO_ERROR);
}

}  // namespace ichor::grpc
