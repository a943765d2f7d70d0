#include "sim/faults/catalogue.h"
#include "sim/provider/request.h"
#include "sim/world.h"

namespace ichor::sim {

namespace {

using Kind = ProviderError::Kind;
using std::chrono::seconds;

/// The change is carried out, and ichor waits for the answer in vain.
class ProviderLostReply final : public Fault {
 public:
  using Fault::Fault;
  void on_provider_passage(SimWorld&, ProviderPassage& passage) override {
    if (!passage.change || !random().chance(0.3)) return;
    passage.lose_reply = true;
    fire();
  }
};

/// Something is wrong with all calls, or with some of them, from one moment to another. It begins
/// while machines are made, which takes a minute.
class ProviderWindow : public Fault {
 public:
  using Fault::Fault;
  void arm(SimWorld&) override {
    const bool at_once = random().chance(0.5);
    begin_ = at_once ? MonoTime{} : MonoTime(random().between(Duration{}, seconds(20)));
    end_ = begin_ + random().between(seconds(2), seconds(90));
  }
  void on_provider_passage(SimWorld& world, ProviderPassage& passage) override {
    const MonoTime now = world.clock().now();
    if (now < begin_ || now >= end_ || !strike(passage)) return;
    fire();
  }

 protected:
  virtual bool strike(ProviderPassage& passage) = 0;

  MonoTime begin_{};
  MonoTime end_{};
};

class ProviderSilent final : public ProviderWindow {
 public:
  using ProviderWindow::ProviderWindow;

 protected:
  bool strike(ProviderPassage& passage) override {
    // A proxy that gives up, or no word at all: before or after the change was made.
    if (!passage.change && random().chance(0.7)) {
      passage.answer = {Kind::unreachable, Progress::answered, "call", "503 Service Unavailable"};
    } else if (random().chance(0.5)) {
      passage.lose_request = true;
    } else {
      passage.lose_reply = true;
    }
    return true;
  }
};

class ProviderQuota final : public ProviderWindow {
 public:
  using ProviderWindow::ProviderWindow;

 protected:
  bool strike(ProviderPassage& passage) override {
    if (!passage.change || passage.change->deed != VmDeed::create) return false;
    passage.answer = {Kind::exhausted, Progress::answered, "POST /nodes/pve1/qemu",
                      "quota exceeded"};
    return true;
  }
};

class ProviderTokenExpires final : public ProviderWindow {
 public:
  using ProviderWindow::ProviderWindow;

 protected:
  bool strike(ProviderPassage& passage) override {
    passage.answer = {Kind::unauthorized, Progress::answered, "call", "invalid token value!"};
    return true;
  }
};

class ProviderPrivilegeLost final : public ProviderWindow {
 public:
  using ProviderWindow::ProviderWindow;

 protected:
  bool strike(ProviderPassage& passage) override {
    if (!passage.change) return false;
    passage.answer = {Kind::forbidden, Progress::answered, "POST /nodes/pve1/qemu",
                      "Permission check failed (/vms/801, VM.Allocate)"};
    return true;
  }
};

class ProviderCertificateExpires final : public ProviderWindow {
 public:
  using ProviderWindow::ProviderWindow;

 protected:
  bool strike(ProviderPassage& passage) override {
    passage.answer = {Kind::expired, Progress::not_sent, "call", "certificate has expired"};
    return true;
  }
};

/// kill -9 on one side of a call to the provider, or of a record about it.
class ProviderCrash final : public Fault {
 public:
  using Fault::Fault;
  void arm(SimWorld&) override {
    for (int i = 0; i < 3; ++i) passes_left_.push_back(random().between(std::uint64_t{1}, 60));
  }
  bool crash_at(SimWorld&, const CrashPoint& point) override {
    const bool here = point.what.starts_with("provider") || point.what.ends_with(" VM");
    if (!here || passes_left_.empty() || --passes_left_.back() > 0) return false;
    passes_left_.pop_back();
    fire();
    return true;
  }

 private:
  std::vector<std::uint64_t> passes_left_;
};

}  // namespace

std::unique_ptr<Fault> make_provider_lost_reply(SeededRandom random) {
  return std::make_unique<ProviderLostReply>(random);
}
std::unique_ptr<Fault> make_provider_silent(SeededRandom random) {
  return std::make_unique<ProviderSilent>(random);
}
std::unique_ptr<Fault> make_provider_quota(SeededRandom random) {
  return std::make_unique<ProviderQuota>(random);
}
std::unique_ptr<Fault> make_provider_token_expires(SeededRandom random) {
  return std::make_unique<ProviderTokenExpires>(random);
}
std::unique_ptr<Fault> make_provider_privilege_lost(SeededRandom random) {
  return std::make_unique<ProviderPrivilegeLost>(random);
}
std::unique_ptr<Fault> make_provider_certificate_expires(SeededRandom random) {
  return std::make_unique<ProviderCertificateExpires>(random);
}
std::unique_ptr<Fault> make_provider_crash(SeededRandom random) {
  return std::make_unique<ProviderCrash>(random);
}

}  // namespace ichor::sim
