#include "view/clean_stream.h"

#include "base/clean_text.h"

namespace ichor {

CleanStream::CleanStream(std::ostream& behind) : std::ostream(nullptr), buffer_(behind) {
  rdbuf(&buffer_);
}

CleanStream::~CleanStream() { buffer_.pass_on(); }

void CleanStream::Buffer::pass_on() {
  behind_ << clean_lines(line_);
  line_.clear();
}

CleanStream::Buffer::int_type CleanStream::Buffer::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char byte = traits_type::to_char_type(c);
  return xsputn(&byte, 1) == 1 ? c : traits_type::eof();
}

std::streamsize CleanStream::Buffer::xsputn(const char* text, std::streamsize size) {
  line_.append(text, static_cast<std::size_t>(size));
  // Only whole lines, so that no sequence and no character is cut in two.
  const std::size_t end = line_.rfind('\n');
  if (end != std::string::npos) {
    behind_ << clean_lines(std::string_view(line_).substr(0, end + 1));
    line_.erase(0, end + 1);
  }
  return behind_ ? size : 0;
}

int CleanStream::Buffer::sync() {
  pass_on();
  return behind_.flush() ? 0 : -1;
}

}  // namespace ichor
