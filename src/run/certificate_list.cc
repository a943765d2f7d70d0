#include "run/certificate_list.h"

#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "cluster/credential_listing.h"
#include "secrets/talosconfig.h"

namespace ichor {

namespace {

using Kind = CertificateRow::Kind;

constexpr std::int64_t kDayMs = 24LL * 3600 * 1000;
constexpr std::int64_t kClientDays = 30, kAuthorityDays = 365;

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::authority: return "CA";
    case Kind::client: return "client";
    case Kind::node: return "node";
  }
  return "?";
}

std::string time_text(WallTime time) {
  const auto seconds = static_cast<std::time_t>(time.unix_ms / 1000);
  std::tm parts{};
  if (!gmtime_r(&seconds, &parts)) return "?";
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", parts);
}

std::int64_t days_left(WallTime expires, WallTime now) {
  const std::int64_t left = expires.unix_ms - now.unix_ms;
  // Whole days, rounded down also below zero.
  return left >= 0 ? left / kDayMs : -((kDayMs - 1 - left) / kDayMs);
}

void add(Kind kind, std::string name, std::string where, const std::string& pem,
         std::vector<CertificateRow>& rows) {
  const auto facts = pki::inspect(pem);
  if (!facts) return;
  rows.push_back({kind, std::move(name), std::move(where), facts->issuer, facts->not_after});
}

void add_kubeconfig(const std::string& where, const SecretString& text,
                    std::vector<CertificateRow>& rows) {
  add(Kind::client, "kubeconfig", where, client_of_kubeconfig(text), rows);
}

Finding finding_of(const CertificateRow& row, std::int64_t days) {
  const bool expired = days < 0;
  std::string fix;
  switch (row.kind) {
    case Kind::authority:
      fix = "plan a rotation of the CA: `talosctl rotate-ca`, or new secrets for a new cluster";
      break;
    case Kind::client: fix = "`ichor certs renew`"; break;
    case Kind::node:
      fix = "Talos renews it by itself: check the clock of the node, and this computer's";
      break;
  }
  return {expired ? Severity::error : Severity::warning,
          "T6",
          row.node,
          "certificates",
          expired ? fmt::format("{} ({}) expired {} days ago", row.name, row.where, -days)
                  : fmt::format("{} ({}) expires in {} days", row.name, row.where, days),
          std::move(fix)};
}

}  // namespace

std::vector<CertificateRow> state_certificates(const std::string& cluster, ClusterState& state) {
  std::vector<CertificateRow> rows;
  const auto talosconfig = state.load("talosconfig");
  if (talosconfig && *talosconfig) {
    const std::string where = state.path() + "/talosconfig";
    const auto parsed = pki::read_talosconfig((*talosconfig)->reveal(), "talosconfig");
    const pki::TalosContext* context = parsed ? parsed->find(cluster) : nullptr;
    if (context) {
      add(Kind::client, "talosconfig", where, context->client.certificate, rows);
      add(Kind::authority, "Talos CA", where, context->ca, rows);
    }
  }
  const auto kubeconfig = state.load("kubeconfig");
  if (kubeconfig && *kubeconfig) {
    add_kubeconfig(state.path() + "/kubeconfig", **kubeconfig, rows);
  }
  return rows;
}

std::vector<CertificateRow> list_certificates(const std::string& cluster, const Workspace& space,
                                              const std::vector<LiveNode>& nodes,
                                              const std::string& kubeconfig_path, Files& files) {
  std::vector<CertificateRow> rows;
  add(Kind::authority, "Talos CA", "secrets", space.secrets.os.certificate, rows);
  add(Kind::authority, "Kubernetes CA", "secrets", space.secrets.k8s.certificate, rows);
  add(Kind::authority, "Kubernetes aggregator CA", "secrets",
      space.secrets.k8s_aggregator.certificate, rows);
  add(Kind::authority, "etcd CA", "secrets", space.secrets.etcd.certificate, rows);
  if (space.state) {
    for (CertificateRow& row : state_certificates(cluster, *space.state)) {
      // Of the secrets already.
      if (row.kind == Kind::client) rows.push_back(std::move(row));
    }
  }
  if (files.has_file(kubeconfig_path)) {
    const auto text = files.read_secret(kubeconfig_path);
    if (text) add_kubeconfig(kubeconfig_path, *text, rows);
  }
  for (const LiveNode& node : nodes) {
    if (node.certificate_expires.unix_ms == 0) continue;
    const bool ours = node.view.presence == Presence::configured;
    rows.push_back({Kind::node, "API of " + node.view.node.value(), node.view.address.value(),
                    ours ? "Talos CA" : "itself", node.certificate_expires, node.view.node});
  }
  return rows;
}

Listing certificate_listing(const std::vector<CertificateRow>& rows, WallTime now) {
  Listing listing{"certificate",
                  {{"certificate", "CERTIFICATE"},
                   {"kind", "KIND"},
                   {"expires", "EXPIRES"},
                   {"days", "DAYS"},
                   {"where", "WHERE"},
                   {"issuer", "ISSUER", true}},
                  {}};
  for (const CertificateRow& one : rows) {
    nlohmann::ordered_json row;
    row["certificate"] = one.name;
    row["kind"] = name_of(one.kind);
    row["expires"] = time_text(one.expires);
    row["days"] = days_left(one.expires, now);
    row["where"] = one.where;
    row["issuer"] = one.issuer;
    row["node"] = one.node.value();
    listing.rows.push_back(std::move(row));
  }
  return listing;
}

std::vector<Finding> certificate_findings(const std::vector<CertificateRow>& rows, WallTime now) {
  std::vector<Finding> found;
  for (const CertificateRow& row : rows) {
    const std::int64_t days = days_left(row.expires, now);
    const std::int64_t limit = row.kind == Kind::authority ? kAuthorityDays
                               : row.kind == Kind::client  ? kClientDays
                                                           : 0;
    if (days < limit) found.push_back(finding_of(row, days));
  }
  return found;
}

}  // namespace ichor
