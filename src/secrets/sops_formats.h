#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secret.h"
#include "secrets/sops_tree.h"

namespace ichor::sops {

/// How a file is written. `binary` is any file: encrypted, it is JSON with one value.
enum class Format { yaml, json, dotenv, binary };

std::string_view name_of(Format format);
/// By the ending of the name; what has none that is known is binary. INI files are refused.
Result<Format> format_of(const std::string& file);

/// One reader and one writer for each. A reader refuses what it cannot hand on whole (a key that is
/// there twice, a number beyond 64 bits) with the place; a writer what its format cannot hold.
Result<Tree> read_yaml(std::string_view text, const std::string& file);
Result<SecretString> write_yaml(const Tree& tree);
Result<Tree> read_json(std::string_view text, const std::string& file);
Result<SecretString> write_json(const Tree& tree);
Result<Tree> read_dotenv(std::string_view text, const std::string& file);
Result<SecretString> write_dotenv(const Tree& tree);

/// A file as it is before encryption, and a tree as it is after decryption.
Result<Tree> read_plain(std::string_view text, const std::string& file, Format format);
Result<SecretString> write_plain(const Tree& tree, Format format);
/// The same for encrypted ones: they differ for binary files.
Result<Tree> read_sealed(std::string_view text, const std::string& file, Format format);
Result<SecretString> write_sealed(const Tree& tree, Format format);

bool is_utf8(std::string_view text);

}  // namespace ichor::sops
