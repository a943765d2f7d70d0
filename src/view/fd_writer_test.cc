#include "view/fd_writer.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

namespace ichor {
namespace {

/// A pipe whose reader reads when it likes.
class FdWriterTest : public ::testing::Test {
 protected:
  FdWriterTest() {
    std::signal(SIGPIPE, SIG_IGN);
    EXPECT_EQ(::pipe2(ends_, O_CLOEXEC), 0);
  }
  ~FdWriterTest() override {
    close_reader();
    ::close(ends_[1]);
  }

  std::string read(std::size_t size) {
    std::string text(size, '\0');
    std::size_t got = 0;
    while (got < size) {
      const ssize_t more = ::read(ends_[0], text.data() + got, size - got);
      if (more <= 0) break;
      got += static_cast<std::size_t>(more);
    }
    text.resize(got);
    return text;
  }
  void close_reader() {
    if (ends_[0] >= 0) ::close(ends_[0]);
    ends_[0] = -1;
  }

  int ends_[2]{-1, -1};
};

TEST_F(FdWriterTest, WritesInOrderAndWholly) {
  {
    FdWriter writer(ends_[1]);
    writer.write("one\n", FdWriter::Keep::always);
    writer.write("two\n", FdWriter::Keep::if_room);
  }
  EXPECT_EQ(read(8), "one\ntwo\n");
}

TEST_F(FdWriterTest, DoesNotMakeTheCallerWaitForAReaderThatStalls) {
  FdWriter writer(ends_[1]);
  const std::string block(1u << 20, 'x');
  for (int i = 0; i < 20; ++i) writer.write(block, FdWriter::Keep::if_room);
  writer.write("the end", FdWriter::Keep::always);
  EXPECT_FALSE(writer.drain(Duration::zero()));
  EXPECT_GT(writer.dropped(), 0u);
  const std::size_t kept = 20 - writer.dropped();
  const std::string all = read(kept * block.size() + 7);
  EXPECT_TRUE(all.ends_with("xthe end")) << "data is kept where progress is dropped";
}

TEST_F(FdWriterTest, OutlivesAReaderThatIsGone) {
  close_reader();
  FdWriter writer(ends_[1]);
  writer.write("without a reader", FdWriter::Keep::always);
  EXPECT_TRUE(writer.drain(std::chrono::minutes(1)));
  EXPECT_EQ(writer.trouble(), EPIPE);
  writer.write("again", FdWriter::Keep::always);
  EXPECT_TRUE(writer.idle());
}

TEST_F(FdWriterTest, WaitsWhereTheDescriptorDoesNotBlock) {
  ASSERT_EQ(::fcntl(ends_[1], F_SETFL, O_NONBLOCK), 0);
  const std::string large(300'000, 'y');
  std::string got;
  std::thread reader([&] { got = read(large.size()); });
  {
    FdWriter writer(ends_[1]);
    writer.write(large, FdWriter::Keep::always);
  }
  reader.join();
  EXPECT_EQ(got, large);
}

TEST_F(FdWriterTest, TellsAFullDisk) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  {
    FdWriter writer(full);
    writer.write("data", FdWriter::Keep::always);
    EXPECT_TRUE(writer.drain(std::chrono::minutes(1)));
    EXPECT_EQ(writer.trouble(), ENOSPC);
  }
  ::close(full);
}

}  // namespace
}  // namespace ichor
