#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/result.h"

namespace ichor::lab {

/// Addresses of machines on a network device, as if each machine were a host of its own: while it
/// is up its address answers, and when it is off no machine does. Only in a network namespace that
/// was made for a lab: elsewhere the addresses of a profile may be those of real machines.
class RealAddresses {
 public:
  /// Errc::unsafe unless the only devices of this namespace are the loopback one and those named
  /// ichor-lab…, and `device` is one of these. Never in the namespace of the first process, as far
  /// as that is known.
  static Result<std::unique_ptr<RealAddresses>> on(const std::string& device);
  ~RealAddresses();
  RealAddresses(const RealAddresses&) = delete;
  RealAddresses& operator=(const RealAddresses&) = delete;

  /// An address is there as long as a lease exists.
  class Lease {
   public:
    Lease() = default;
    Lease(RealAddresses* from, std::string address) : from_(from), address_(std::move(address)) {}
    Lease(Lease&& other) noexcept;
    Lease& operator=(Lease&& other) noexcept;
    ~Lease() { release(); }
    const std::string& address() const { return address_; }
    void release();

   private:
    RealAddresses* from_{nullptr};
    std::string address_;
  };
  Result<Lease> take(const std::string& address);

 private:
  explicit RealAddresses(int index) : index_(index) {}
  Result<void> change(const std::string& address, bool add) const;
  void leave(const std::string& address);

  int index_;
  std::map<std::string, int> holders_;
};

}  // namespace ichor::lab
