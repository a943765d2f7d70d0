#include "talos/kubeconfig_archive.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <zlib.h>

namespace ichor {
namespace {

struct Member {
  std::string name{"kubeconfig"};
  std::string content{"apiVersion: v1\nkind: Config\n"};
  char type{'0'};
  std::string link;
  std::string prefix;
  std::string size_field;  // instead of the content's size
};

std::string header_of(const Member& member) {
  std::string header(512, '\0');
  const auto put = [&](std::size_t at, const std::string& text) {
    std::copy(text.begin(), text.end(), header.begin() + static_cast<std::ptrdiff_t>(at));
  };
  put(0, member.name);
  put(100, "0000600");
  put(124, member.size_field.empty() ? fmt::format("{:011o}", member.content.size())
                                     : member.size_field);
  put(148, "        ");
  header[156] = member.type;
  put(157, member.link);
  put(257, std::string("ustar\00000", 8));
  put(345, member.prefix);
  unsigned sum = 0;
  for (const char byte : header) sum += static_cast<unsigned char>(byte);
  put(148, fmt::format("{:06o}", sum));
  header[154] = '\0';
  return header;
}

/// As Talos writes it: the file ends with its last byte.
std::string unclosed(const Member& member) { return header_of(member) + member.content; }

/// As tar writes it: padded to blocks, two zero blocks at the end.
std::string closed(const Member& member) {
  std::string tar = unclosed(member);
  tar.resize((tar.size() + 511) / 512 * 512 + 1024, '\0');
  return tar;
}

std::string gzip(const std::string& bytes) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string why_refused(const std::string& archive) {
  const auto kubeconfig = kubeconfig_from_archive(archive);
  return kubeconfig ? "accepted" : kubeconfig.error();
}

/// Bytes that do not compress, so that the size and not the ratio is what is refused.
std::string noise(std::size_t size) {
  std::string text;
  unsigned state = 1;
  while (text.size() < size) {
    state = state * 1664525u + 1013904223u;
    text += static_cast<char>('!' + (state >> 24) % 90);
  }
  return text;
}

TEST(KubeconfigArchive, TakesTheFileOfAnUnclosedTar) {
  const Member member;
  const auto kubeconfig = kubeconfig_from_archive(gzip(unclosed(member)));
  ASSERT_TRUE(kubeconfig) << kubeconfig.error();
  EXPECT_EQ(kubeconfig->reveal(), member.content);
}

TEST(KubeconfigArchive, TakesTheFileOfAClosedTar) {
  const Member member;
  const auto kubeconfig = kubeconfig_from_archive(gzip(closed(member)));
  ASSERT_TRUE(kubeconfig) << kubeconfig.error();
  EXPECT_EQ(kubeconfig->reveal(), member.content);
}

TEST(KubeconfigArchive, RefusesAShortFile) {
  std::string tar = unclosed({});
  tar.pop_back();
  EXPECT_EQ(why_refused(gzip(tar)), "kubeconfig archive: 27 bytes of 28");
}

TEST(KubeconfigArchive, RefusesASecondMember) {
  EXPECT_EQ(why_refused(gzip(closed({}) + closed({}))), "kubeconfig archive: more than one member");
}

TEST(KubeconfigArchive, RefusesOtherNamesAndPaths) {
  for (const char* name : {"../kubeconfig", "/etc/passwd", "kubeconfig2", "./kubeconfig", ""}) {
    Member member;
    member.name = name;
    EXPECT_EQ(why_refused(gzip(unclosed(member))), "kubeconfig archive: not named kubeconfig");
  }
  Member hidden;
  hidden.name = std::string("kubeconfig\0/../x", 16);
  EXPECT_EQ(why_refused(gzip(unclosed(hidden))), "kubeconfig archive: not named kubeconfig");
  Member prefixed;
  prefixed.prefix = "/etc";
  EXPECT_EQ(why_refused(gzip(unclosed(prefixed))), "kubeconfig archive: a path");
}

TEST(KubeconfigArchive, RefusesWhatIsNotARegularFile) {
  // Hard link, symbolic link, devices, directory, FIFO, PAX headers, GNU long names, sparse.
  for (const char type : std::string("1234567xgLKS")) {
    Member member;
    member.type = type;
    EXPECT_EQ(why_refused(gzip(unclosed(member))), "kubeconfig archive: not a regular file");
  }
  Member link;
  link.link = "/etc/shadow";
  EXPECT_EQ(why_refused(gzip(unclosed(link))), "kubeconfig archive: a link");
}

TEST(KubeconfigArchive, RefusesSizesThatLie) {
  for (const std::string& size :
       {std::string("\x80\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x1c", 12),
        std::string("77777777777"), std::string("-1"), std::string("00000004000001")}) {
    Member member;
    member.size_field = size.substr(0, 12);
    EXPECT_NE(why_refused(gzip(unclosed(member))), "accepted");
  }
}

TEST(KubeconfigArchive, RefusesMoreThanOneMebibyte) {
  Member member;
  member.content = noise((1 << 20) + 1);
  EXPECT_EQ(why_refused(gzip(unclosed(member))), "kubeconfig archive: larger than 1 MiB");
  member.content = noise(1 << 20);
  EXPECT_EQ(why_refused(gzip(unclosed(member))), "accepted");
}

TEST(KubeconfigArchive, RefusesABomb) {
  Member member;
  member.content = std::string(1 << 20, 'a');
  EXPECT_EQ(why_refused(gzip(unclosed(member))),
            "kubeconfig archive: unpacks to more than is allowed");
  EXPECT_EQ(why_refused(gzip(std::string(64 << 20, '\0'))),
            "kubeconfig archive: unpacks to more than is allowed");
}

TEST(KubeconfigArchive, RefusesDamage) {
  const std::string good = gzip(unclosed({}));
  EXPECT_EQ(why_refused(""), "kubeconfig archive: not a whole gzip stream");
  EXPECT_EQ(why_refused("no gzip"), "kubeconfig archive: not a whole gzip stream");
  EXPECT_EQ(why_refused(good.substr(0, good.size() - 1)),
            "kubeconfig archive: not a whole gzip stream");
  EXPECT_EQ(why_refused(good + "x"), "kubeconfig archive: bytes after the gzip stream");
  EXPECT_EQ(why_refused(gzip("short")), "kubeconfig archive: no header");
  std::string tar = unclosed({});
  tar[3] = 'X';
  EXPECT_EQ(why_refused(gzip(tar)), "kubeconfig archive: damaged header");
}

TEST(KubeconfigArchive, RefusesWhatIsNotText) {
  Member nul;
  nul.content = std::string("a\0b", 3);
  EXPECT_EQ(why_refused(gzip(unclosed(nul))), "kubeconfig archive: not text");
  Member latin;
  latin.content = "caf\xe9";
  EXPECT_EQ(why_refused(gzip(unclosed(latin))), "kubeconfig archive: not text");
  Member empty;
  empty.content = "";
  EXPECT_EQ(why_refused(gzip(unclosed(empty))), "kubeconfig archive: empty");
}

}  // namespace
}  // namespace ichor
