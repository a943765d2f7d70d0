#include "cluster/credential_listing.h"

#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "secrets/base64.h"
#include "secrets/certificate.h"
#include "secrets/talosconfig.h"
#include "yaml/document.h"

namespace ichor {

namespace {

std::string date_of(WallTime time) {
  const auto seconds = static_cast<std::time_t>(time.unix_ms / 1000);
  std::tm parts{};
  if (!gmtime_r(&seconds, &parts)) return "?";
  return fmt::format("{:%Y-%m-%d}", parts);
}

void add_row(const std::string& file, const std::string& certificate, WallTime now,
             Listing& listing) {
  const auto facts = pki::inspect(certificate);
  if (!facts) return;
  constexpr std::int64_t kDayMs = 24LL * 3600 * 1000;
  nlohmann::ordered_json row;
  row["credential"] = file;
  row["expires"] = date_of(facts->not_after);
  row["days"] = (facts->not_after.unix_ms - now.unix_ms) / kDayMs;
  listing.rows.push_back(std::move(row));
}

}  // namespace

std::string client_of_kubeconfig(const SecretString& kubeconfig) {
  auto document = yaml::parse_single(kubeconfig.reveal(), "kubeconfig");
  if (!document) return {};
  std::string pem;
  const yaml::Node* users = document->root.find("users");
  if (users && users->is_sequence() && !users->items.empty()) {
    const yaml::Node* data = users->items.front().find_path({"user", "client-certificate-data"});
    const std::string text(data ? data->as_text().value_or("") : "");
    pem = pki::from_base64(text).value_or("");
  }
  yaml::wipe(document->root);
  return pem;
}

Listing credential_listing(const std::string& cluster, ClusterState* state, WallTime now) {
  Listing listing{
      "credential", {{"credential", "CREDENTIAL"}, {"expires", "EXPIRES"}, {"days", "DAYS"}}, {}};
  if (!state) return listing;
  const auto talosconfig = state->load("talosconfig");
  if (talosconfig && *talosconfig) {
    const auto parsed = pki::read_talosconfig((*talosconfig)->reveal(), "talosconfig");
    const pki::TalosContext* context = parsed ? parsed->find(cluster) : nullptr;
    if (context) add_row("talosconfig", context->client.certificate, now, listing);
  }
  const auto kubeconfig = state->load("kubeconfig");
  if (kubeconfig && *kubeconfig)
    add_row("kubeconfig", client_of_kubeconfig(**kubeconfig), now, listing);
  return listing;
}

}  // namespace ichor
