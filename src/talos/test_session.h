#pragma once

#include <gtest/gtest.h>
#include <memory>

#include "talos/fake_node.h"
#include "talos/session.h"
#include "talos/test_loop.h"

namespace ichor {

/// A configured node and an open session with it.
class OneSession : public testing::Test {
 protected:
  LoopClock clock;
  TestCertificate ca{make_ca("talos")};
  std::unique_ptr<FakeNode> node{
      FakeNode::configured(clock.io(), make_server_certificate(ca, "127.0.0.1"), ca)};
  TestLoop loop{clock, node->port(), make_credentials(ca)};

  TalosSession& session() {
    if (!session_) session_ = *loop.open();
    return *session_;
  }
  Context context() { return loop.within(std::chrono::seconds(20)); }

  std::unique_ptr<TalosSession> session_;
};

}  // namespace ichor
