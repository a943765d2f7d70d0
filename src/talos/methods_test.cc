#include "talos/methods.h"

#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

namespace ichor {
namespace {

/// What proto/ says about the method at a path, or null.
const google::protobuf::MethodDescriptor* declared(std::string_view path) {
  std::string name(path.substr(1));
  name[name.find('/')] = '.';
  return google::protobuf::DescriptorPool::generated_pool()->FindMethodByName(name);
}

template <class Method>
void expect_declared(const Method& method, bool streams) {
  const auto* found = declared(method.path);
  ASSERT_NE(found, nullptr) << method.path;
  EXPECT_EQ(found->input_type(), Method::Request::descriptor()) << method.path;
  EXPECT_EQ(found->output_type(), Method::Reply::descriptor()) << method.path;
  EXPECT_EQ(found->server_streaming(), streams) << method.path;
  EXPECT_FALSE(found->client_streaming()) << method.path;
}

template <class Request, class Reply>
void expect_declared(const UnaryMethod<Request, Reply>& method) {
  expect_declared(method, false);
}
template <class Request, class Reply>
void expect_declared(const StreamMethod<Request, Reply>& method) {
  expect_declared(method, true);
}

TEST(Methods, TheTableIsWhatTheServicesSay) {
  using namespace method;
  expect_declared(kApplyConfiguration);
  expect_declared(kBootstrap);
  expect_declared(kReset);
  expect_declared(kVersion);
  expect_declared(kMemory);
  expect_declared(kServiceList);
  expect_declared(kEtcdMemberList);
  expect_declared(kEtcdStatus);
  expect_declared(kEtcdAlarmList);
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
