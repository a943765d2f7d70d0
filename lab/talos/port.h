#pragma once

#include <memory>
#include <string>

#include "lab/net/gate.h"
#include "lab/site.h"

namespace ichor::lab {

/// Port 50000 of a machine: open with the right certificate when the node says so, at the address
/// that it has now.
class TalosPort {
 public:
  /// `maintenance` says which of its two faces the connection saw.
  using Handover = std::function<std::unique_ptr<Inside>(
      Machine& machine, const std::shared_ptr<Tunnel>& tunnel, const Peer& peer, bool maintenance)>;
  /// Called before a face goes away: connections that came through it serve no further calls.
  using FaceGone = std::function<void(Machine& machine)>;

  TalosPort(Site& site, Machine& machine, std::uint16_t port, Handover handover,
            FaceGone face_gone);

  /// Makes the port what the node's state asks for.
  Result<void> refresh();
  void apply_faults();

  /// Of the certificate that is shown now; empty while the port is closed.
  const std::string& fingerprint() const { return fingerprint_; }
  /// Of the same: how the node model names it.
  Machine& machine() { return machine_; }
  void cut_all();
  void hush_all();

 private:
  enum class Face { closed, maintenance, apid };
  struct Look {
    Face face{Face::closed};
    std::string address;  // loopback
    std::string key;      // changes when the certificate must
    bool up{false};       // else not even the kernel answers, where addresses are real
    bool operator==(const Look&) const = default;
  };
  Look wanted() const;
  /// A machine that is up has its address, and one that is off has none.
  Result<void> settle_lease(const std::string& address, bool up);
  Result<std::shared_ptr<const TlsContext>> make_context(const Look& look);
  Result<pki::CertificateAndKey> maintenance_certificate() const;
  Result<pki::CertificateAndKey> apid_certificate(const ConfigView& config) const;
  Result<pki::CertificateAndKey> apid_authority(const ConfigView& config) const;
  void leave_face();

  Site& site_;
  Machine& machine_;
  std::uint16_t port_;
  Handover handover_;
  FaceGone face_gone_;
  Look look_;
  std::string fingerprint_;
  RealAddresses::Lease lease_;  // of the gate's address, while the machine is up
  std::unique_ptr<Gate> gate_;
};

/// The authority of a config with its key, which a worker does not have: then a control plane's
/// with the same certificate. Errc::invalid if no machine has it.
Result<pki::CertificateAndKey> signing_authority(Site& site, const ConfigView& config);

}  // namespace ichor::lab
