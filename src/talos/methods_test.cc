#include "talos/methods.h"

#include <gtest/gtest.h>

#include "talos/test_declarations.h"

namespace ichor {
namespace {

template <class Method>
void expect_declared(const Method& method, bool streams, bool uploads = false) {
  std::string name(method.path.substr(1));
  name[name.find('/')] = '.';
  const auto found = declarations().methods.find(name);
  ASSERT_NE(found, declarations().methods.end()) << name;
  EXPECT_EQ(found->second.input_type(), "." + typename Method::Request().GetTypeName()) << name;
  EXPECT_EQ(found->second.output_type(), "." + typename Method::Reply().GetTypeName()) << name;
  EXPECT_EQ(found->second.server_streaming(), streams) << name;
  EXPECT_EQ(found->second.client_streaming(), uploads) << name;
}

template <class Request, class Reply>
void expect_declared(const UnaryMethod<Request, Reply>& method) {
  expect_declared(method, false);
}
template <class Request, class Reply>
void expect_declared(const StreamMethod<Request, Reply>& method) {
  expect_declared(method, true);
}

template <class Request, class Reply>
void expect_declared(const UploadMethod<Request, Reply>& method) {
  expect_declared(method, false, true);
}

TEST(Methods, TheTableIsWhatTheServicesSay) {
  using namespace method;
  expect_declared(kApplyConfiguration);
  expect_declared(kBootstrap);
  expect_declared(kReset);
  expect_declared(kReboot);
  expect_declared(kUpgrade);
  expect_declared(kImagePull);
  expect_declared(kLifecycleUpgrade);
  expect_declared(kImageServicePull);
  expect_declared(kVersion);
  expect_declared(kMemory);
  expect_declared(kServiceList);
  expect_declared(kEtcdMemberList);
  expect_declared(kEtcdStatus);
  expect_declared(kEtcdAlarmList);
  expect_declared(kEtcdDefragment);
  expect_declared(kEtcdLeaveCluster);
  expect_declared(kEtcdForfeitLeadership);
  expect_declared(kEtcdRemoveMember);
  expect_declared(kEtcdSnapshot);
  expect_declared(kEtcdRecover);
  expect_declared(kGet);
  expect_declared(kRead);
  expect_declared(kList);
  expect_declared(kKubeconfig);
  expect_declared(kDmesg);
  expect_declared(kEvents);
  expect_declared(kListResources);
  expect_declared(kWatch);
}

}  // namespace
}  // namespace ichor
