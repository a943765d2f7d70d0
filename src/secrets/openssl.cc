#include "secrets/openssl.h"

#include <openssl/err.h>
#include <openssl/pem.h>

#include "base/check.h"

namespace ichor::pki {

Bio read_bio(std::string_view bytes) {
  Bio bio(BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size())));
  check(bio != nullptr, "no memory for a BIO");
  return bio;
}

Bio write_bio() {
  Bio bio(BIO_new(BIO_s_mem()));
  check(bio != nullptr, "no memory for a BIO");
  return bio;
}

std::string contents(const Bio& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  check(size >= 0, "a BIO without contents");
  return {data, static_cast<std::size_t>(size)};
}

int no_password(char*, int, int, void*) { return -1; }

X509Handle read_certificate(std::string_view pem) {
  const Bio bio = read_bio(pem);
  X509Handle certificate(PEM_read_bio_X509(bio.get(), nullptr, no_password, nullptr));
  if (certificate == nullptr) ERR_clear_error();
  return certificate;
}

}  // namespace ichor::pki
