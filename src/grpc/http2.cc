#include "grpc/http2.h"

#include <algorithm>
#include <string.h>
#include <utility>

#include "base/check.h"

namespace ichor::grpc {

namespace {

/// How much is handed to TLS at once: one full record.
constexpr std::size_t kOutputPiece = 16u << 10;
/// How far a peer may be ahead of us on the whole connection.
constexpr std::int32_t kConnectionWindow = 1 << 20;
constexpr std::uint32_t kStreamWindow = 256u << 10;
constexpr std::size_t kHeaderLineBytes = 32;
constexpr std::size_t kGoAwayTextMax = 256;
/// What a waiting message costs besides its bytes, so that empty messages are bounded too.
constexpr std::size_t kMessageCost = 64;

Http2& self_of(void* user_data) { return *static_cast<Http2*>(user_data); }

std::string_view view_of(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

struct CallbacksDelete {
  void operator()(nghttp2_session_callbacks* callbacks) const {
    nghttp2_session_callbacks_del(callbacks);
  }
};
struct OptionDelete {
  void operator()(nghttp2_option* option) const { nghttp2_option_del(option); }
};

}  // namespace

void Outgoing::add(std::string piece) {
  bytes += piece.size();
  pieces.push_back(std::move(piece));
}

void Outgoing::clear() {
  for (std::string& piece : pieces) explicit_bzero(piece.data(), piece.size());
  pieces.clear();
  offset = 0;
  bytes = 0;
}

/// What nghttp2 calls. A callback that fails ends the connection, so none does except on purpose.
struct Http2::Callbacks {
  static int begin_headers(nghttp2_session*, const nghttp2_frame*, void* user_data) {
    Http2& self = self_of(user_data);
    self.block_.clear();
    self.block_bytes_ = 0;
    return 0;
  }

  static int header(nghttp2_session*, const nghttp2_frame*, const std::uint8_t* name,
                    std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                    std::uint8_t, void* user_data) {
    Http2& self = self_of(user_data);
    self.block_bytes_ += name_size + value_size + kHeaderLineBytes;
    // A block that is too large is read to its end, because the decompressor must stay in step,
    // but not kept.
    if (self.block_bytes_ > self.limits_.header_bytes_max) {
      self.block_.clear();
      return 0;
    }
    self.block_.emplace_back(view_of(name, name_size), view_of(value, value_size));
    return 0;
  }

  static int frame_received(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    Http2& self = self_of(user_data);
    const std::int32_t stream = frame->hd.stream_id;
    const bool ends = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    switch (frame->hd.type) {
      case NGHTTP2_HEADERS: {
        self.note_content();
        const bool too_large = self.block_bytes_ > self.limits_.header_bytes_max;
        self.on_headers(stream, {std::exchange(self.block_, {}), too_large, ends});
        if (ends) self.on_end_stream(stream);
        break;
      }
      case NGHTTP2_DATA:
        if (ends) self.on_end_stream(stream);
        break;
      case NGHTTP2_PING:
        if ((frame->hd.flags & NGHTTP2_FLAG_ACK) != 0) {
          ++self.pongs_;
        } else {
          self.count_ping();
        }
        break;
      case NGHTTP2_GOAWAY: {
        self.peer_leaves_ = true;
        const std::string_view text = view_of(
            frame->goaway.opaque_data, std::min(frame->goaway.opaque_data_len, kGoAwayTextMax));
        self.complaint_ = std::string("the peer ended the connection (") +
                          nghttp2_http2_strerror(frame->goaway.error_code) +
                          (text.empty() ? "" : ": ") + std::string(text) + ")";
        break;
      }
      case NGHTTP2_SETTINGS: self.on_settings(); break;
      default: break;
    }
    return 0;
  }

  static int data_received(nghttp2_session*, std::uint8_t, std::int32_t stream,
                           const std::uint8_t* bytes, std::size_t size, void* user_data) {
    Http2& self = self_of(user_data);
    self.note_content();
    nghttp2_session_consume_connection(self.session_, size);
    self.on_data(stream, view_of(bytes, size));
    return 0;
  }

  static int stream_closed(nghttp2_session*, std::int32_t stream, std::uint32_t error,
                           void* user_data) {
    self_of(user_data).on_closed(stream, error);
    return 0;
  }

  static int frame_sent(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) return 0;
    Http2& self = self_of(user_data);
    // A peer that only reads answers with WINDOW_UPDATE for as long as the stream lasts.
    self.idle_bytes_ = 0;
    self.pings_ = 0;
    const bool ends = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    if (frame->hd.type == NGHTTP2_HEADERS) self.on_headers_sent(frame->hd.stream_id, ends);
    return 0;
  }

  static int frame_not_sent(nghttp2_session*, const nghttp2_frame* frame, int, void* user_data) {
    if (frame->hd.type == NGHTTP2_HEADERS) {
      self_of(user_data).on_closed(frame->hd.stream_id, NGHTTP2_REFUSED_STREAM);
    }
    return 0;
  }

  static int error_text(nghttp2_session*, int, const char* text, std::size_t size,
                        void* user_data) {
    self_of(user_data).complaint_.assign(text, size);
    return 0;
  }

  static int frame_refused(nghttp2_session*, const nghttp2_frame*, int error, void* user_data) {
    Http2& self = self_of(user_data);
    if (self.complaint_.empty()) self.complaint_ = nghttp2_strerror(error);
    return 0;
  }

  static ssize_t read_outgoing(nghttp2_session*, std::int32_t stream, std::uint8_t* buffer,
                               std::size_t size, std::uint32_t* flags, nghttp2_data_source* source,
                               void* user_data) {
    Outgoing& outgoing = *static_cast<Outgoing*>(source->ptr);
    std::size_t copied = 0;
    while (copied < size && !outgoing.pieces.empty()) {
      std::string& piece = outgoing.pieces.front();
      const std::size_t part = std::min(size - copied, piece.size() - outgoing.offset);
      memcpy(buffer + copied, piece.data() + outgoing.offset, part);
      explicit_bzero(piece.data() + outgoing.offset, part);
      copied += part;
      outgoing.offset += part;
      if (outgoing.offset < piece.size()) break;
      outgoing.pieces.pop_front();
      outgoing.offset = 0;
    }
    outgoing.bytes -= copied;
    if (!outgoing.pieces.empty()) return static_cast<ssize_t>(copied);
    if (outgoing.closed) {
      Http2& self = self_of(user_data);
      *flags |= NGHTTP2_DATA_FLAG_EOF;
      if (self.role_ == Role::server) *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
      self.on_outgoing_end(stream);
      return static_cast<ssize_t>(copied);
    }
    if (copied > 0) return static_cast<ssize_t>(copied);
    outgoing.deferred = true;
    return NGHTTP2_ERR_DEFERRED;
  }
};

Http2::Http2(Role role, Http2Limits limits) : role_(role), limits_(limits) {
  nghttp2_session_callbacks* made = nullptr;
  nghttp2_option* made_option = nullptr;
  check(nghttp2_session_callbacks_new(&made) == 0, "nghttp2 has memory");
  const std::unique_ptr<nghttp2_session_callbacks, CallbacksDelete> callbacks(made);
  check(nghttp2_option_new(&made_option) == 0, "nghttp2 has memory");
  const std::unique_ptr<nghttp2_option, OptionDelete> option(made_option);
  nghttp2_session_callbacks_set_on_begin_headers_callback(made, Callbacks::begin_headers);
  nghttp2_session_callbacks_set_on_header_callback(made, Callbacks::header);
  nghttp2_session_callbacks_set_on_frame_recv_callback(made, Callbacks::frame_received);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, Callbacks::data_received);
  nghttp2_session_callbacks_set_on_stream_close_callback(made, Callbacks::stream_closed);
  nghttp2_session_callbacks_set_on_frame_send_callback(made, Callbacks::frame_sent);
  nghttp2_session_callbacks_set_on_frame_not_send_callback(made, Callbacks::frame_not_sent);
  nghttp2_session_callbacks_set_error_callback2(made, Callbacks::error_text);
  nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(made, Callbacks::frame_refused);
  // A window opens when the application has read the bytes, not when they have arrived.
  nghttp2_option_set_no_auto_window_update(made_option, 1);
  nghttp2_option_set_no_closed_streams(made_option, 1);
  const int created = role == Role::client
                          ? nghttp2_session_client_new2(&session_, made, this, made_option)
                          : nghttp2_session_server_new2(&session_, made, this, made_option);
  check(created == 0, "nghttp2 has memory");

  std::vector<nghttp2_settings_entry> settings{
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE,
       static_cast<std::uint32_t>(limits_.header_bytes_max)}};
  if (role == Role::client) {
    settings.push_back({NGHTTP2_SETTINGS_ENABLE_PUSH, 0});
  } else {
    settings.push_back({NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits_.concurrent_streams_max});
  }
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, kConnectionWindow);
}

Http2::~Http2() { nghttp2_session_del(session_); }

void Http2::receive(std::string_view bytes) {
  if (over_) return;
  idle_bytes_ += bytes.size();
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  const ssize_t taken = nghttp2_session_mem_recv(session_, data, bytes.size());
  if (over_) return;
  if (taken < 0) {
    fail_for_people(nghttp2_strerror(static_cast<int>(taken)));
    return;
  }
  if (idle_bytes_ > limits_.idle_bytes_max) {
    complaint_.clear();
    end("the peer floods the connection with frames that carry nothing");
    return;
  }
  check_alive();
}

std::string_view Http2::output() {
  if (output_sent_ == output_.size()) {
    output_.clear();
    output_sent_ = 0;
  }
  while (!over_ && output_.size() < kOutputPiece) {
    const std::uint8_t* piece = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_, &piece);
    if (size < 0) fail_for_people(nghttp2_strerror(static_cast<int>(size)));
    if (size <= 0) break;
    output_ += view_of(piece, static_cast<std::size_t>(size));
  }
  if (output_.empty()) {
    output_.shrink_to_fit();
    check_alive();
  }
  return std::string_view(output_).substr(output_sent_);
}

void Http2::output_sent(std::size_t bytes) {
  explicit_bzero(output_.data() + output_sent_, bytes);
  output_sent_ += bytes;
}

void Http2::end(std::string why) {
  if (std::exchange(over_, true)) return;
  why_ = complaint_.empty() ? std::move(why) : complaint_;
  on_over();
}

void Http2::fail_for_people(const std::string& why) { end("HTTP/2: " + why); }

/// nghttp2 wants nothing any more once a connection error was answered with GOAWAY, or the peer
/// said GOAWAY and the last stream ended.
void Http2::check_alive() {
  if (over_ || nghttp2_session_want_read(session_) || nghttp2_session_want_write(session_)) return;
  end("the connection was ended");
}

void Http2::note_content() {
  ++content_frames_;
  idle_bytes_ = 0;
}

void Http2::count_ping() {
  if (role_ == Role::client || ++pings_ <= limits_.pings_max) return;
  nghttp2_session_terminate_session(session_, NGHTTP2_ENHANCE_YOUR_CALM);
}

void Http2::ping() {
  if (over_) return;
  nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr);
  tell_output();
}

void Http2::tell_output() {
  if (on_output) on_output();
}

MessageReader::Result Http2::take_in(std::int32_t stream, Incoming& incoming,
                                     std::string_view bytes) {
  const std::size_t before = incoming.messages.size();
  const auto result = incoming.reader.feed(bytes, incoming.messages);
  for (std::size_t i = before; i < incoming.messages.size(); ++i) {
    incoming.unread_bytes += incoming.messages[i].size() + kMessageCost;
  }
  if (incoming.unread_bytes > limits_.unread_bytes_max) {
    incoming.withheld_bytes += bytes.size();
  } else {
    nghttp2_session_consume_stream(session_, stream, bytes.size());
  }
  return result;
}

std::string Http2::take_message(std::int32_t stream, Incoming& incoming) {
  std::string message = std::move(incoming.messages.front());
  incoming.messages.pop_front();
  incoming.unread_bytes -= message.size() + kMessageCost;
  if (!over_ && incoming.withheld_bytes > 0 && incoming.unread_bytes <= limits_.unread_bytes_max) {
    nghttp2_session_consume_stream(session_, stream, std::exchange(incoming.withheld_bytes, 0));
    tell_output();
  }
  return message;
}

void Http2::reset_stream(std::int32_t stream, std::uint32_t error) {
  if (over_) return;
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream, error);
  tell_output();
}

void Http2::resume(std::int32_t stream, Outgoing& outgoing) {
  if (over_) return;
  if (std::exchange(outgoing.deferred, false)) nghttp2_session_resume_data(session_, stream);
  tell_output();
}

nghttp2_data_provider Http2::provider_of(Outgoing& outgoing) {
  nghttp2_data_provider provider{};
  provider.source.ptr = &outgoing;
  provider.read_callback = Callbacks::read_outgoing;
  return provider;
}

std::vector<nghttp2_nv> Http2::header_lines(const Metadata& headers) {
  std::vector<nghttp2_nv> lines;
  lines.reserve(headers.size());
  for (const auto& [name, value] : headers) {
    const auto bytes_of = [](const std::string& text) {
      return const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(text.data()));
    };
    lines.push_back(
        {bytes_of(name), bytes_of(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE});
  }
  return lines;
}

}  // namespace ichor::grpc
