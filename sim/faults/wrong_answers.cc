#include "sim/faults/catalogue.h"
#include "sim/faults/windows.h"

namespace ichor::sim {

namespace {

/// A node answers reads with this error for a while.
class WrongAnswer final : public WindowFault {
 public:
  WrongAnswer(SeededRandom random, Refusal answer)
      : WindowFault(random), answer_(std::move(answer)) {}
  void on_passage(SimWorld& world, Passage& passage) override {
    if (passage.call == Call::open || mutates(passage.call)) return;
    if (!active(passage.node, world.clock().now()) || !random().chance(0.5)) return;
    passage.answer = answer_;
    fire();
  }

 private:
  Refusal answer_;
};

/// A proxy between ichor and a node breaks TLS open, with its own certificate.
class Middlebox final : public WindowFault {
 public:
  using WindowFault::WindowFault;
  void on_passage(SimWorld& world, Passage& passage) override {
    if (passage.call != Call::open || !active(passage.node, world.clock().now())) return;
    passage.tls = CallError{Call::open, Progress::not_sent, TlsVerdict::foreign_ca,
                            Code::unavailable, "x509: certificate signed by unknown authority"};
    fire();
  }
};

/// A web proxy in the way answers CONNECT, and refuses it.
class WebProxy final : public WindowFault {
 public:
  using WindowFault::WindowFault;
  void on_passage(SimWorld& world, Passage& passage) override {
    if (passage.call != Call::open || !active(passage.node, world.clock().now())) return;
    passage.tls = CallError{Call::open, Progress::not_sent, TlsVerdict::fine, Code::unavailable,
                            "HTTP proxy returned response code 403"};
    fire();
  }
};

/// The stream with the kubeconfig ends before its archive does.
class ShortKubeconfig final : public Fault {
 public:
  using Fault::Fault;
  void on_passage(SimWorld&, Passage& passage) override {
    if (passage.call != Call::kubeconfig || !random().chance(0.6)) return;
    passage.answer = Refusal{Code::internal, "kubeconfig archive: 512 bytes of 2210", "A8"};
    fire();
  }
};

/// A node never takes its config: no version of it would.
class ConfigRefused final : public Fault {
 public:
  using Fault::Fault;
  void arm(SimWorld& world) override {
    node_ = world.nodes()[random().below(world.nodes().size())].get();
  }
  void on_passage(SimWorld&, Passage& passage) override {
    if (passage.call != Call::apply_configuration || passage.node != node_) return;
    passage.answer = Refusal{Code::invalid_argument,
                             "configuration validation failed: 1 error occurred:\n\t* install disk "
                             "or diskSelector should be defined"};
    const bool unheard =
        passage.refuse || passage.lose_request || passage.lose_reply || passage.break_after;
    if (!unheard) fire();
  }
  /// Whoever else configures the node makes up for the refusal.
  void on_node_changed(SimWorld&, Node& node) override {
    if (&node == node_ && !node.disk().config.empty()) withdraw();
  }

 private:
  const Node* node_{nullptr};
};

/// Our client certificate has a role that may read nothing, on one control plane.
class RoleTooLow final : public Fault {
 public:
  using Fault::Fault;
  void on_passage(SimWorld& world, Passage& passage) override {
    const bool mine = passage.node == world.nodes().front().get();
    if (!mine || passage.maintenance || passage.call == Call::open) return;
    passage.answer = Refusal{Code::permission_denied, "not authorized"};
    fire();
  }
};

}  // namespace

std::unique_ptr<Fault> make_proxy_error(SeededRandom random) {
  return std::make_unique<WrongAnswer>(
      random, Refusal{Code::unavailable, "error in the metadata of a proxied answer"});
}
std::unique_ptr<Fault> make_oversized_reply(SeededRandom random) {
  return std::make_unique<WrongAnswer>(
      random, Refusal{Code::resource_exhausted, "received message larger than max"});
}
std::unique_ptr<Fault> make_middlebox(SeededRandom random) {
  return std::make_unique<Middlebox>(random);
}
std::unique_ptr<Fault> make_web_proxy(SeededRandom random) {
  return std::make_unique<WebProxy>(random);
}
std::unique_ptr<Fault> make_short_kubeconfig(SeededRandom random) {
  return std::make_unique<ShortKubeconfig>(random);
}
std::unique_ptr<Fault> make_config_refused(SeededRandom random) {
  return std::make_unique<ConfigRefused>(random);
}
std::unique_ptr<Fault> make_role_too_low(SeededRandom random) {
  return std::make_unique<RoleTooLow>(random);
}

}  // namespace ichor::sim
