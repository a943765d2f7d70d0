#include "grpc/http2_client.h"

#include <charconv>
#include <utility>

#include "base/check.h"

namespace ichor::grpc {

namespace {

constexpr int kHttpOk = 200;

/// The code that gRPC gives to an HTTP answer which is not a gRPC answer.
Code code_of_http(int status) {
  switch (status) {
    case 400: return Code::internal;
    case 401: return Code::unauthenticated;
    case 403: return Code::permission_denied;
    case 404: return Code::unimplemented;
    case 429:
    case 502:
    case 503:
    case 504: return Code::unavailable;
    default: return Code::unknown;
  }
}

Code code_of_reset(std::uint32_t error) {
  switch (error) {
    case NGHTTP2_REFUSED_STREAM: return Code::unavailable;
    case NGHTTP2_CANCEL: return Code::cancelled;
    case NGHTTP2_ENHANCE_YOUR_CALM: return Code::resource_exhausted;
    case NGHTTP2_INADEQUATE_SECURITY: return Code::permission_denied;
    default: return Code::internal;
  }
}

std::optional<int> number_from(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

const std::string* find_header(const Metadata& headers, std::string_view name) {
  for (const auto& [key, value] : headers) {
    if (key == name) return &value;
  }
  return nullptr;
}

bool is_own_header(std::string_view name) {
  return name.starts_with(':') || name.starts_with("grpc-") || name == "content-type";
}

void keep_custom(const Metadata& headers, Metadata& out) {
  for (const auto& line : headers) {
    if (!is_own_header(line.first)) out.push_back(line);
  }
}

/// The end that trailers tell; nullopt if they do not.
std::optional<CallEnd> end_from(const Metadata& headers) {
  const std::string* status = find_header(headers, "grpc-status");
  if (status == nullptr) return std::nullopt;
  CallEnd end;
  end.by = EndedBy::server;
  const std::optional<int> code = number_from(*status);
  const bool known = code && *code >= 0 && *code <= static_cast<int>(Code::unauthenticated);
  end.code = known ? static_cast<Code>(*code) : Code::unknown;
  if (const std::string* text = find_header(headers, "grpc-message")) {
    end.text = decode_status_text(*text);
  }
  if (!known) end.text += " (grpc-status " + *status + ")";
  if (const std::string* details = find_header(headers, "grpc-status-details-bin")) {
    end.details = decode_binary(*details).value_or("");
  }
  return end;
}

}  // namespace

struct ClientCall::Stream {
  explicit Stream(std::size_t message_bytes_max) : incoming(message_bytes_max) {}

  std::int32_t id{-1};
  Incoming incoming;
  Outgoing outgoing;
  bool left{false};
  bool answered{false};  // the response headers came
  Metadata initial;
  Metadata trailing;
  std::optional<CallEnd> end;
  std::function<bool()> out_of_time;
  Signal changed;
};

ClientCall::ClientCall(std::weak_ptr<Http2Client> client, std::shared_ptr<Stream> stream)
    : client_(std::move(client)), stream_(std::move(stream)) {}

ClientCall::~ClientCall() { cancel(Code::cancelled, "the caller lost interest", EndedBy::caller); }

void ClientCall::send(std::string_view message) {
  if (const auto client = client_.lock()) client->send(*stream_, message);
}

void ClientCall::close_sending() {
  if (const auto client = client_.lock()) client->close_sending(*stream_);
}

std::size_t ClientCall::unsent_bytes() const { return stream_->outgoing.bytes; }
bool ClientCall::has_message() const { return !stream_->incoming.messages.empty(); }

std::string ClientCall::take_message() {
  check(has_message(), "there is a message to take");
  if (const auto client = client_.lock()) return client->take(*stream_);
  std::string message = std::move(stream_->incoming.messages.front());
  stream_->incoming.messages.pop_front();
  return message;
}

bool ClientCall::ended() const { return stream_->end.has_value(); }

const CallEnd& ClientCall::end() const {
  check(ended(), "the call has ended");
  return *stream_->end;
}

bool ClientCall::left() const { return stream_->left; }

void ClientCall::cancel(Code code, std::string text, EndedBy by) {
  if (ended()) return;
  if (const auto client = client_.lock()) client->abandon(stream_, {code, std::move(text), {}, by});
}

const Metadata& ClientCall::initial_metadata() const { return stream_->initial; }
const Metadata& ClientCall::trailing_metadata() const { return stream_->trailing; }
Signal& ClientCall::changed() { return stream_->changed; }

std::shared_ptr<Http2Client> Http2Client::make(std::string authority, Http2Limits limits) {
  return std::shared_ptr<Http2Client>(new Http2Client(std::move(authority), limits));
}

Http2Client::Http2Client(std::string authority, Http2Limits limits)
    : Http2(Role::client, limits), authority_(std::move(authority)) {}

Http2Client::~Http2Client() { end("the connection was closed"); }

std::unique_ptr<ClientCall> Http2Client::start(CallRequest request) {
  const std::size_t bytes_max =
      request.message_bytes_max > 0 ? request.message_bytes_max : limits().message_bytes_max;
  const auto stream = std::make_shared<ClientCall::Stream>(bytes_max);
  stream->out_of_time = std::move(request.out_of_time);
  auto call = std::make_unique<ClientCall>(weak_from_this(), stream);
  if (!alive()) {
    finish(stream, {Code::unavailable, "the connection is gone", {}, EndedBy::unprocessed});
    return call;
  }
  Metadata headers{{":method", "POST"},
                   {":scheme", "https"},
                   {":path", std::move(request.path)},
                   {":authority", authority_},
                   {"content-type", "application/grpc"},
                   {"user-agent", "ichor"},
                   {"te", "trailers"}};
  if (request.timeout) headers.emplace_back("grpc-timeout", encode_timeout(*request.timeout));
  for (auto& line : request.metadata) headers.push_back(std::move(line));
  const std::vector<nghttp2_nv> lines = header_lines(headers);
  const nghttp2_data_provider body = provider_of(stream->outgoing);
  const std::int32_t id =
      nghttp2_submit_request(session(), nullptr, lines.data(), lines.size(), &body, nullptr);
  if (id < 0) {
    finish(stream, {Code::unavailable, nghttp2_strerror(id), {}, EndedBy::unprocessed});
    return call;
  }
  stream->id = id;
  streams_.emplace(id, stream);
  tell_output();
  return call;
}

Http2Client::StreamPtr Http2Client::find(std::int32_t stream) const {
  const auto found = streams_.find(stream);
  return found == streams_.end() ? nullptr : found->second;
}

void Http2Client::send(ClientCall::Stream& stream, std::string_view message) {
  if (stream.end || stream.outgoing.closed) return;
  stream.outgoing.add(frame_message(message));
  resume(stream.id, stream.outgoing);
}

void Http2Client::close_sending(ClientCall::Stream& stream) {
  if (stream.end || std::exchange(stream.outgoing.closed, true)) return;
  resume(stream.id, stream.outgoing);
}

std::string Http2Client::take(ClientCall::Stream& stream) {
  return take_message(stream.id, stream.incoming);
}

/// The stream stays with nghttp2 until the reset left, and `outgoing` with it, so the map keeps it.
void Http2Client::abandon(const StreamPtr& stream, CallEnd end) {
  if (!stream->left) end.by = EndedBy::unprocessed;
  finish(stream, std::move(end));
  stream->outgoing.clear();
  stream->outgoing.closed = true;
  if (stream->id >= 0) reset_stream(stream->id, NGHTTP2_CANCEL);
}

void Http2Client::finish(const StreamPtr& stream, CallEnd end) {
  if (stream->end) return;
  stream->end = std::move(end);
  stream->changed.notify_all();
}

void Http2Client::break_off(const StreamPtr& stream, Code code, std::string text, EndedBy by) {
  finish(stream, {code, std::move(text), {}, by});
  reset_stream(stream->id, NGHTTP2_CANCEL);
}

void Http2Client::on_headers(std::int32_t id, HeaderBlock block) {
  const StreamPtr stream = find(id);
  if (!stream || stream->end) return;
  const Metadata& headers = block.headers;
  if (block.too_large) {
    break_off(stream, Code::resource_exhausted, "the server sent too many headers", EndedBy::limit);
    return;
  }
  if (!stream->answered) {
    const std::string* status = find_header(headers, ":status");
    const int http = status ? number_from(*status).value_or(0) : 0;
    if (http >= 100 && http < kHttpOk) return;  // more is to come
    stream->answered = true;
    const std::string* type = find_header(headers, "content-type");
    const bool grpc = type != nullptr && type->starts_with("application/grpc");
    // A gRPC server may name its own status beside an HTTP error.
    const bool has_status = find_header(headers, "grpc-status") != nullptr;
    if ((http != kHttpOk || !grpc) && !has_status) {
      break_off(stream, http == kHttpOk ? Code::unknown : code_of_http(http),
                "the server answers HTTP status " + std::to_string(http) + ", content type \"" +
                    (type ? *type : "") + "\", which is not gRPC",
                EndedBy::not_grpc);
      return;
    }
    if (!has_status) {
      keep_custom(headers, stream->initial);
      return;
    }
  }
  if (auto end = end_from(headers)) {
    keep_custom(headers, stream->trailing);
    finish(stream, *std::move(end));
    if (!block.ends) reset_stream(id, NGHTTP2_CANCEL);  // a status is the last word
  }
}

void Http2Client::on_data(std::int32_t id, std::string_view bytes) {
  const StreamPtr stream = find(id);
  if (!stream || stream->end) return;
  if (!stream->answered) {
    break_off(stream, Code::internal, "the server sent a message before its headers",
              EndedBy::not_grpc);
    return;
  }
  const std::size_t before = stream->incoming.messages.size();
  switch (take_in(id, stream->incoming, bytes)) {
    case MessageReader::Result::fine: break;
    case MessageReader::Result::too_large:
      break_off(stream, Code::resource_exhausted,
                "received message larger than max (" +
                    std::to_string(stream->incoming.reader.announced_bytes()) + " bytes)",
                EndedBy::limit);
      return;
    case MessageReader::Result::compressed:
      break_off(stream, Code::internal, "the server sent a compressed message without being asked",
                EndedBy::not_grpc);
      return;
  }
  if (stream->incoming.messages.size() > before) stream->changed.notify_all();
}

void Http2Client::on_end_stream(std::int32_t id) {
  const StreamPtr stream = find(id);
  if (!stream) return;
  const bool cut_short = stream->incoming.reader.inside_message();
  if (stream->end && stream->end->ok() && cut_short) {
    stream->end = CallEnd{Code::internal, "the last message is incomplete", {}, EndedBy::not_grpc};
  }
  finish(stream, {Code::internal,
                  "the server closed the stream without sending a status",
                  {},
                  EndedBy::not_grpc});
  // An answer before the request was sent completely: the server does not want the rest.
  if (!stream->outgoing.closed || stream->outgoing.bytes > 0) {
    stream->outgoing.clear();
    stream->outgoing.closed = true;
    reset_stream(id, NGHTTP2_NO_ERROR);
  }
}

void Http2Client::on_closed(std::int32_t id, std::uint32_t error) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) return;
  const StreamPtr stream = found->second;
  streams_.erase(found);
  if (error == NGHTTP2_CANCEL && stream->out_of_time && stream->out_of_time()) {
    finish(
        stream,
        {Code::deadline_exceeded, "no answer within the time of the call", {}, EndedBy::deadline});
    return;
  }
  const bool unprocessed = error == NGHTTP2_REFUSED_STREAM || !stream->left;
  finish(stream,
         {code_of_reset(error),
          std::string("the server reset the stream (") + nghttp2_http2_strerror(error) + ")",
          {},
          unprocessed ? EndedBy::unprocessed : EndedBy::not_grpc});
}

void Http2Client::on_headers_sent(std::int32_t id, bool) {
  if (const StreamPtr stream = find(id)) stream->left = true;
}

void Http2Client::on_over() {
  for (const auto& [id, stream] : std::exchange(streams_, {})) {
    finish(
        stream,
        {Code::unavailable, why(), {}, stream->left ? EndedBy::connection : EndedBy::unprocessed});
  }
}

}  // namespace ichor::grpc
