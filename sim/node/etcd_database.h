#pragma once

#include <cstdint>
#include <string>

#include "sim/node/fabric.h"

namespace ichor::sim {

/// What etcd streams as a snapshot: a bbolt database with the buckets that etcd restores from, and
/// its SHA-256 behind it. The real etcdutl takes it (tests/lab/etcd_test.py); what is in it besides
/// the members are a few keys as Kubernetes writes them.
std::string etcd_snapshot(const EtcdCluster& cluster);

/// The revision of etcd's key-value store, which grows with everything that happens to the cluster.
std::uint64_t store_revision(const EtcdCluster& cluster);

}  // namespace ichor::sim
