#pragma once

#include <string>
#include <vector>

namespace ichor::validate {

/// The labels of the PEM blocks in a text, such as "CERTIFICATE"; what is around them and what is
/// broken does not count.
std::vector<std::string> pem_labels(const std::string& text);

/// What is wrong with a list of certificates in PEM form, which are not looked into; empty if
/// nothing is.
std::string certificates_trouble(const std::string& text);

/// Whether the first block is a certificate that can be read.
bool is_certificate(const std::string& text);

/// Whether the first block is a private key that can be read.
bool is_key(const std::string& text);

}  // namespace ichor::validate
