#include <fmt/format.h>

#include "machineconfig/go_url.h"
#include "machineconfig/rules.h"
#include "machineconfig/validate/named.h"
#include "machineconfig/validate/pem.h"
#include "machineconfig/validate/subject.h"
#include "secrets/certificate.h"
#include "secrets/key.h"

namespace ichor::validate {

namespace {

void check_mirror(const View& document, Report& report) {
  require_name(document, report);
  for (const View& endpoint : document["endpoints"].items()) {
    const View value = endpoint["url"];
    const auto url = parse_go_url(value.text());
    if (value.empty() || !url) {
      report.error(endpoint, "an endpoint has no url", "write `url: https://HOST`");
    } else if (url->scheme != "http" && url->scheme != "https") {
      report.error(value, fmt::format("a mirror cannot be reached by `{}`", url->scheme),
                   "write https://HOST");
    }
  }
}

void check_auth(const View& document, Report& report) {
  require_name(document, report);
  const int ways = (document["username"].empty() ? 0 : 1) + (document["auth"].empty() ? 0 : 1) +
                   (document["identityToken"].empty() ? 0 : 1);
  if (ways > 1) {
    report.error(document, "there is more than one way to log in",
                 "keep username and password, auth, or identityToken");
  }
}

/// Whether the text holds a private key as PKCS#8, whatever its label says.
bool is_private_key(const std::string& pem) {
  constexpr std::string_view begin = "-----BEGIN ";
  const std::size_t from = pem.find(begin);
  if (from == std::string::npos) return false;
  const std::size_t label_end = pem.find("-----", from + begin.size());
  if (label_end == std::string::npos) return false;
  const std::string label = pem.substr(from + begin.size(), label_end - from - begin.size());
  const std::string end = "-----END " + label + "-----";
  const std::size_t to = pem.find(end, label_end);
  if (to == std::string::npos) return false;
  const std::string body = pem.substr(label_end, to - label_end);
  return pki::PrivateKey::from_pem(
             SecretString("-----BEGIN PRIVATE KEY" + body + "-----END PRIVATE KEY-----\n"))
      .has_value();
}

void check_tls(const View& document, Report& report) {
  require_name(document, report);
  const View ca = document["ca"];
  if (!ca.empty() && !pki::inspect(ca.text())) {
    report.error(ca, "ca holds no certificate in PEM form", "paste the CA's certificate");
  }
  const View identity = document["clientIdentity"];
  if (!identity) return;
  if (!rules_of(report.minor()).reads_client_identity) {
    for (const char* const key : {"cert", "key"}) {
      const View part = identity[key];
      const bool is_cert = std::string_view(key) == "cert";
      const bool fits =
          is_cert ? certificates_trouble(part.text()).empty() : !pem_labels(part.text()).empty();
      if (fits) continue;
      report.error(identity, fmt::format("clientIdentity.{} is no PEM", key),
                   is_cert ? "paste the client's certificate" : "paste the client's key");
    }
    return;
  }
  if (!pki::inspect(identity["cert"].text())) {
    report.error(identity, "clientIdentity.cert holds no certificate in PEM form",
                 "paste the client's certificate");
  }
  if (!is_private_key(identity["key"].text())) {
    report.error(identity, "clientIdentity.key holds no private key in PEM form as PKCS#8",
                 "convert it with `openssl pkcs8 -topk8 -nodes`");
  }
}

}  // namespace

std::span<const DocumentRule> registry_document_rules() {
  static constexpr DocumentRule list[] = {
      {"RegistryAuthConfig", check_auth},
      {"RegistryMirrorConfig", check_mirror},
      {"RegistryTLSConfig", check_tls},
  };
  return list;
}

}  // namespace ichor::validate
