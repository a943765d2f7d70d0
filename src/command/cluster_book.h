#pragma once

#include <optional>
#include <string>
#include <vector>

#include "async/signal.h"
#include "cluster/profile_input.h"
#include "model/or_end.h"
#include "port/host.h"
#include "serve/served_cluster.h"

namespace ichor {

/// The clusters that `ichor serve` shows, read again when a client asks: profile, journal, lock and
/// state folder. No node is asked and no lock is taken.
class ClusterBook {
 public:
  /// The cluster of the profile, or without one every cluster of the repository.
  static OrEnd<ClusterBook> open(const CommonOptions& common, Host& host);

  /// Reads what may have changed; a journal that takes long is read less often. All who ask at the
  /// same time get the same reading.
  Task<void> refresh(Context context);

  const std::vector<ServedCluster>& clusters() const { return clusters_; }

 private:
  /// How a cluster is found again.
  struct Source {
    CommonOptions common;
    std::optional<ProfileInput> input;
    std::string trouble;         // with the profile as it is now; `input` may be what it was
    MonoTime profile_at{};       // when it was read
    MonoTime certificates_at{};  // of the state folder
  };

  explicit ClusterBook(Host& host) : host_(&host) {}
  void add(const CommonOptions& common, const std::string& name);
  void read_profile(Source& source, ServedCluster& cluster);
  Task<void> read_state(Context context, Source& source, ServedCluster& cluster);
  Task<Result<void>> read_journal(Context context, ClusterState& state, ServedCluster& cluster);

  Host* host_;
  std::vector<Source> sources_;
  std::vector<ServedCluster> clusters_;
  bool reads_{false};
  MonoTime next_at_{};
  std::unique_ptr<Signal> read_{std::make_unique<Signal>()};
};

}  // namespace ichor
