#include "machineconfig/validate/pem.h"

#include <algorithm>

#include "secrets/base64.h"
#include "secrets/certificate.h"
#include "secrets/key.h"

namespace ichor::validate {

namespace {

constexpr std::string_view kBegin = "-----BEGIN ";
constexpr std::string_view kDashes = "-----";

/// What stands between the lines of a block, without the headers that may come first.
bool is_body(std::string_view body) {
  const std::size_t headers = body.find("\n\n");
  if (headers != std::string_view::npos && body.substr(0, headers).find(':') != body.npos) {
    body.remove_prefix(headers + 2);
  }
  std::string bare(body);
  std::erase_if(bare, [](char c) { return c == '\n' || c == '\r' || c == ' ' || c == '\t'; });
  return pki::from_base64(bare).has_value();
}

struct Block {
  std::string label;
  std::string text;
};

std::vector<Block> blocks_of(const std::string& text) {
  std::vector<Block> blocks;
  std::size_t from = 0;
  while ((from = text.find(kBegin, from)) != std::string::npos) {
    const std::size_t start = from;
    from += kBegin.size();
    if (start != 0 && text[start - 1] != '\n') continue;
    const std::size_t line_end = std::min(text.find('\n', from), text.size());
    std::string_view head = std::string_view(text).substr(from, line_end - from);
    while (head.ends_with(' ') || head.ends_with('\r') || head.ends_with('\t')) {
      head.remove_suffix(1);
    }
    if (!head.ends_with(kDashes)) continue;
    head.remove_suffix(kDashes.size());
    const std::string end = "-----END " + std::string(head) + std::string(kDashes);
    const std::size_t to = text.find(end, line_end);
    const std::size_t next = text.find(kBegin, line_end);
    if (to == std::string::npos || next < to) continue;
    if (!is_body(std::string_view(text).substr(line_end, to - line_end))) continue;
    from = to + end.size();
    blocks.push_back({std::string(head), text.substr(start, from - start) + "\n"});
  }
  return blocks;
}

}  // namespace

std::vector<std::string> pem_labels(const std::string& text) {
  std::vector<std::string> labels;
  for (Block& block : blocks_of(text)) labels.push_back(std::move(block.label));
  return labels;
}

std::string certificates_trouble(const std::string& text) {
  const std::vector<std::string> labels = pem_labels(text);
  if (labels.empty()) return "is no PEM";
  const bool fits = std::all_of(labels.begin(), labels.end(),
                                [](const std::string& label) { return label == "CERTIFICATE"; });
  return fits ? "" : "holds something else than certificates";
}

bool is_certificate(const std::string& text) {
  const std::vector<Block> blocks = blocks_of(text);
  return !blocks.empty() && pki::inspect(blocks.front().text).has_value();
}

bool is_key(const std::string& text) {
  const std::vector<Block> blocks = blocks_of(text);
  return !blocks.empty() &&
         pki::PrivateKey::from_pem(SecretString(blocks.front().text)).has_value();
}

}  // namespace ichor::validate
