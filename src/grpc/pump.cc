#include "grpc/pump.h"

#include <array>
#include <boost/asio/post.hpp>
#include <utility>

namespace ichor::grpc {

namespace {

constexpr std::size_t kReadBytes = 16u << 10;
/// After so many pieces in a row others get their turn.
constexpr int kPiecesInARow = 32;

}  // namespace

Pump::Pump(TlsStream stream, std::shared_ptr<Http2> http2, Hooks hooks)
    : stream_(std::move(stream)), http2_(std::move(http2)), hooks_(std::move(hooks)) {}

void Pump::start() {
  http2_->on_output = [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->wake();
  };
  run();
}

void Pump::wake() {
  if (closed_ || running_ || std::exchange(woken_, true)) return;
  boost::asio::post(stream_.executor(), [self = shared_from_this()] {
    self->woken_ = false;
    self->run();
  });
}

void Pump::run() {
  if (closed_ || running_) return;
  const auto self = shared_from_this();
  running_ = true;
  bool moved = true;
  int pieces = 0;
  while (moved && !closed_ && pieces++ < kPiecesInARow) {
    moved = pull();
    if (!closed_) moved = push() || moved;
  }
  running_ = false;
  if (closed_) return;
  if (http2_->over()) return finish(http2_->why());
  if (moved) wake();
}

bool Pump::pull() {
  if (read_blocked_) return false;
  std::array<char, kReadBytes> piece;
  const TlsStream::Step step = stream_.read(piece.data(), piece.size());
  if (step.kind == TlsStream::Step::Kind::moved) {
    received_bytes_ += step.size;
    hooks_.received({piece.data(), step.size});
    return true;
  }
  if (step.kind == TlsStream::Step::Kind::closed) {
    finish(step.why);
    return false;
  }
  read_blocked_ = true;
  await(step.kind);
  return false;
}

bool Pump::push() {
  if (write_blocked_) return false;
  const std::string_view output = http2_->output();
  if (output.empty()) return false;
  const TlsStream::Step step = stream_.write(output.data(), output.size());
  if (step.kind == TlsStream::Step::Kind::moved) {
    http2_->output_sent(step.size);
    if (hooks_.sent) hooks_.sent();
    return true;
  }
  if (step.kind == TlsStream::Step::Kind::closed) {
    finish(step.why);
    return false;
  }
  write_blocked_ = true;
  await(step.kind);
  return false;
}

void Pump::await(TlsStream::Step::Kind wanted) {
  bool& awaited = wanted == TlsStream::Step::Kind::wants_write ? awaits_write_ : awaits_read_;
  if (std::exchange(awaited, true)) return;
  stream_.await(wanted, [self = shared_from_this(), &awaited](bool open) {
    awaited = false;
    if (!open) return;
    // Either direction may have waited for this.
    self->read_blocked_ = false;
    self->write_blocked_ = false;
    self->run();
  });
}

void Pump::finish(const std::string& why) {
  if (closed_) return;
  close();
  if (hooks_.ended) std::exchange(hooks_.ended, nullptr)(why);
}

void Pump::close() {
  if (std::exchange(closed_, true)) return;
  stream_.close();
}

void Pump::cut() {
  if (std::exchange(closed_, true)) return;
  stream_.cut();
}

}  // namespace ichor::grpc
