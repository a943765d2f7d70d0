#include "talos/verdict.h"

#include <fmt/format.h>
#include <openssl/ssl3.h>
#include <openssl/tls1.h>

namespace ichor {

namespace {

tl::unexpected<CallError> refuse(TlsVerdict tls, std::string text) {
  return tl::unexpected(
      CallError{Call::open, Progress::not_sent, tls, Code::unavailable, std::move(text)});
}

std::string pins_text(const PeerDemand& demand) {
  std::string text;
  for (const Fingerprint& pin : demand.maintenance_pins) {
    text += (text.empty() ? "" : " or ") + pin.value();
  }
  return text;
}

/// A configured node that was shown our certificate.
CallResult<Peer> judge_answer(const HandshakeReport& report, Peer peer) {
  if (report.client_accepted) return peer;
  switch (report.alert) {
    case TLS1_AD_UNKNOWN_CA:
    case SSL3_AD_BAD_CERTIFICATE:
    case SSL3_AD_UNSUPPORTED_CERTIFICATE:
    case SSL3_AD_CERTIFICATE_REVOKED:
    case SSL3_AD_CERTIFICATE_UNKNOWN:
    case TLS1_AD_ACCESS_DENIED:
    case TLS1_AD_DECRYPT_ERROR:
      return refuse(
          TlsVerdict::client_rejected,
          fmt::format("the node refuses our client certificate (TLS alert {})", report.alert));
    case SSL3_AD_CERTIFICATE_EXPIRED:
      return refuse(TlsVerdict::expired, "the node says that our client certificate is expired");
    default:
      return refuse(TlsVerdict::fine,
                    fmt::format("the node closed the connection (TLS alert {})", report.alert));
  }
}

/// Talos' certificates are renewed every few hours, so one that is out of its time is a clock's.
std::string out_of_time(std::int64_t seconds_outside) {
  const std::string what = "the node's certificate is expired or not yet valid";
  if (seconds_outside == 0) return what;
  const std::string when = seconds_outside > 0 ? fmt::format("ended {} s ago", seconds_outside)
                                               : fmt::format("begins in {} s", -seconds_outside);
  return fmt::format("{}: by the clock here it {}, so the two clocks may be that far apart", what,
                     when);
}

}  // namespace

CallResult<Peer> judge_handshake(const HandshakeReport& report, const PeerDemand& demand) {
  if (!report.wants_client) {
    if (!demand.allows(report.fingerprint)) {
      auto refused =
          refuse(TlsVerdict::wrong_pin, fmt::format("the node's fingerprint is {}, pinned is {}",
                                                    report.fingerprint.value(), pins_text(demand)));
      refused.value().shown = report.fingerprint;
      return refused;
    }
    return Peer{PeerMode::maintenance, report.fingerprint, report.expires};
  }
  switch (report.chain) {
    case ChainFault::foreign_ca:
      return refuse(TlsVerdict::foreign_ca,
                    fmt::format("the node's certificate was issued by \"{}\", which is not our CA",
                                report.issuer));
    case ChainFault::expired:
      return refuse(TlsVerdict::expired, out_of_time(report.seconds_outside));
    case ChainFault::wrong_name:
      // Right after a node took its address its certificate may not name it yet; and another node
      // of the same cluster may answer there. Neither is for ever.
      return refuse(TlsVerdict::fine, "the node's certificate does not name this address");
    case ChainFault::none: break;
  }
  if (!report.client_offered) {
    return refuse(TlsVerdict::wants_client,
                  "the node is configured and wants a client certificate");
  }
  return judge_answer(report, Peer{PeerMode::configured, report.fingerprint, report.expires});
}

PeerKind kind_of(const HandshakeReport& report) {
  switch (report.contact) {
    case Contact::none: return PeerKind::nothing;
    case Contact::refused: return PeerKind::refused;
    case Contact::connected:
    case Contact::not_tls: return PeerKind::other;
    case Contact::shaken: break;
  }
  if (!report.speaks_h2) return PeerKind::other;
  if (!report.wants_client) {
    const bool maintenance = report.common_name == "maintenance-service.talos.dev";
    return maintenance ? PeerKind::maintenance : PeerKind::other;
  }
  if (report.chain_judged && report.chain != ChainFault::foreign_ca) return PeerKind::ours;
  return report.issuer_organization == "talos" ? PeerKind::foreign : PeerKind::other;
}

std::string detail_of(const HandshakeReport& report) {
  if (report.contact == Contact::connected) return "it accepts connections and does not speak TLS";
  if (report.contact == Contact::not_tls) return "no TLS 1.3: " + report.why_not;
  switch (kind_of(report)) {
    case PeerKind::other:
      return fmt::format("a TLS server that is not Talos, its certificate is \"{}\" by \"{}\"",
                         report.common_name, report.issuer);
    case PeerKind::foreign:
      return fmt::format("its certificate was issued by \"{}\", which is {}", report.issuer,
                         report.chain_judged ? "not our CA" : "not known here");
    case PeerKind::ours:
      if (report.chain == ChainFault::expired) return out_of_time(report.seconds_outside);
      if (report.chain == ChainFault::wrong_name) {
        return "its certificate does not name this address";
      }
      return {};
    default: return {};
  }
}

}  // namespace ichor
