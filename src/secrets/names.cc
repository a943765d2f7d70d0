#include "secrets/names.h"

#include <arpa/inet.h>

namespace ichor::pki {

namespace {

std::string ip_text(const ASN1_OCTET_STRING* address) {
  const int size = ASN1_STRING_length(address);
  const unsigned char* bytes = ASN1_STRING_get0_data(address);
  char text[INET6_ADDRSTRLEN] = {};
  const int family = size == 4 ? AF_INET : AF_INET6;
  if (size != 4 && size != 16) return {};
  return inet_ntop(family, bytes, text, sizeof text) == nullptr ? "" : text;
}

}  // namespace

std::vector<std::string> entries_of(const X509_NAME* name, int nid) {
  std::vector<std::string> values;
  for (int at = -1; (at = X509_NAME_get_index_by_NID(name, nid, at)) >= 0;) {
    const ASN1_STRING* text = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at));
    unsigned char* utf8 = nullptr;
    const int size = ASN1_STRING_to_UTF8(&utf8, text);
    if (size < 0) continue;
    values.emplace_back(reinterpret_cast<char*>(utf8), static_cast<std::size_t>(size));
    OPENSSL_free(utf8);
  }
  return values;
}

AlternativeNames take_names(GENERAL_NAMES* names) {
  AlternativeNames found;
  for (int i = 0; i < sk_GENERAL_NAME_num(names); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names, i);
    int type = 0;
    const void* value = GENERAL_NAME_get0_value(name, &type);
    if (type == GEN_DNS) {
      const auto* text = static_cast<const ASN1_STRING*>(value);
      found.dns_names.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                                   static_cast<std::size_t>(ASN1_STRING_length(text)));
    } else if (type == GEN_IPADD) {
      found.ip_addresses.push_back(ip_text(static_cast<const ASN1_OCTET_STRING*>(value)));
    } else {
      ++found.others;
    }
  }
  GENERAL_NAMES_free(names);
  return found;
}

}  // namespace ichor::pki
