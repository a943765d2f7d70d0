#pragma once

#include <ostream>
#include <streambuf>
#include <string>

namespace ichor {

/// A stream of text for people. What is written goes on to the stream behind it line by line, after
/// clean_lines(): whoever prints a name, an error or a file cannot forget it.
class CleanStream final : public std::ostream {
 public:
  /// `behind` must outlive this stream.
  explicit CleanStream(std::ostream& behind);
  ~CleanStream() override;

 private:
  class Buffer final : public std::streambuf {
   public:
    explicit Buffer(std::ostream& behind) : behind_(behind) {}
    void pass_on();

   protected:
    int_type overflow(int_type c) override;
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int sync() override;

   private:
    std::ostream& behind_;
    std::string line_;
  };

  Buffer buffer_;
};

}  // namespace ichor
