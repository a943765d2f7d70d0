#include "profile/repository.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "port/test_host.h"

namespace ichor {
namespace {

using ::testing::HasSubstr;

TEST(Repository, IsTheWorkTreeOfTheProfile) {
  FakeHost host;
  host.inputs = {{"home/repo/.git/config", ""},
                 {"home/repo/patches/a.yaml", "a"},
                 {"home/repo/clusters/one/ichor.yaml", ""},
                 {"home/secret.yaml", "canary"}};
  const Repository repository("home/repo/clusters/one/", host.files);
  EXPECT_EQ(repository.root(), "home/repo");
  EXPECT_EQ(repository.read("home/repo/clusters/one/../../patches/a.yaml").value_or(""), "a");
  for (const char* path : {"home/repo/../secret.yaml", "home/secret.yaml", "/etc/shadow"}) {
    const auto text = repository.read(path);
    ASSERT_FALSE(text) << path;
    EXPECT_EQ(text.error().code, Errc::unsafe);
    EXPECT_THAT(text.error().message, HasSubstr("outside of the repository"));
  }
  EXPECT_EQ(repository.read("home/repo/patches/b.yaml").error().code, Errc::invalid);
}

TEST(Repository, IsTheFolderOfTheProfileWhereThereIsNoGit) {
  FakeHost host;
  host.inputs = {{"one/ichor.yaml", ""}, {"one/a.yaml", "a"}, {"two/b.yaml", "b"}, {"c.yaml", "c"}};
  EXPECT_EQ(Repository("one/", host.files).read("one/a.yaml").value_or(""), "a");
  EXPECT_FALSE(Repository("one/", host.files).read("one/../two/b.yaml"));
  EXPECT_EQ(Repository("", host.files).read("c.yaml").value_or(""), "c");
}

}  // namespace
}  // namespace ichor
