#pragma once

namespace ichor {

/// How one minor version of Talos reads, patches and checks a config, as data, where versions
/// differ. Keys and kinds of a version are in the schema, what it generates is in the contract.
struct Rules {
  int minor{0};  // of Talos 1.x
  /// An empty item of a list or mapping of objects is refused instead of left out.
  bool refuses_empty_items{false};
  /// A date without quotes is no text.
  bool refuses_dates{false};
  /// An argument may be a list. A patch replaces it, even by nothing, and nothing is written as
  /// null.
  bool lists_arguments{false};
  /// One patch may hold a document several times.
  bool repeats_documents{false};
  /// Deleting what is not there is no error, if it is a whole document or in an absent one.
  bool ignores_absent_documents{false};
  /// Typed documents can say what `cluster`, the endpoint, installation and DNS of the host must.
  bool complete_without_v1alpha1{false};
  /// ETCD, CRI, KUBELET and LOG are system volumes that can have a partition of their own.
  bool splits_ephemeral{false};
  /// A volume that is a directory can say that it is mounted securely.
  bool secures_directories{false};
  /// A user volume can have the filesystem btrfs.
  bool btrfs_volumes{false};
  /// Certificate and key of a registry's client are read, not only found to be PEM.
  bool reads_client_identity{false};
  /// There are no installer images but those of the Image Factory, and they name the platform.
  bool installs_from_factory{false};
};

/// The rules of Talos 1.`minor`; those of the nearest version that is known, for another one.
const Rules& rules_of(int minor);

}  // namespace ichor
