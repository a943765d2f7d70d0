#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/ids.h"

namespace ichor::lab {

/// Loopback addresses that one lab has for itself: consecutive /24 networks below 127/8. A socket
/// bound in each of them tells other labs that they are taken, also while none of the nodes
/// listens.
class AddressBlock {
 public:
  /// At least `count` addresses. With `first` that block and no other; else a free one, where
  /// looking begins at a place that depends on `name`.
  static Result<AddressBlock> claim(const std::string& first, const std::string& name,
                                    std::size_t count);
  ~AddressBlock();
  AddressBlock(AddressBlock&& other) noexcept;
  AddressBlock& operator=(AddressBlock&&) = delete;

  std::string first() const;
  /// The address with this number, from 0.
  IpAddress at(std::size_t index) const;

 private:
  AddressBlock(std::uint32_t base, int host) : base_(base), host_(host) {}
  bool reserve(std::size_t networks);

  std::uint32_t base_;  // of the first network
  int host_;            // of the first address in it
  std::vector<int> sockets_;
};

}  // namespace ichor::lab
