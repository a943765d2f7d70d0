#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/node/config_judge.h"
#include "sim/node/config_loader.h"

namespace ichor::sim {

/// Reads real machine configs: the v1alpha1 document and the documents of 1.12 and 1.13. Says what
/// Talos' loader and validation say. Each config is parsed once for each personality; what depends
/// on the node besides is remembered for each kind of node.
class YamlJudge final : public ConfigJudge {
 public:
  const ConfigJudgement& judge(const std::string& config, const NodeSpec& node,
                               bool in_maintenance) override;

 private:
  struct Known {
    tl::expected<LoadedConfig, std::string> loaded;
    bool selects_disk{false};  // the verdict depends on the node's disks too
    std::unordered_map<std::uint64_t, std::unique_ptr<ConfigJudgement>>
        judgements;  // by node's kind
  };
  struct HashOfDigest {
    std::size_t operator()(const Digest& digest) const;
  };

  std::unordered_map<Digest, Known, HashOfDigest> known_;  // by SHA-256 of personality and content
};

}  // namespace ichor::sim
