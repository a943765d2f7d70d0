#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "machineconfig/typed_config.h"
#include "machineconfig/validate/report.h"
#include "machineconfig/validate/validate.h"
#include "machineconfig/validate/view.h"

namespace ichor::validate {

enum class MachineType { control_plane, worker, unknown };

/// The v1alpha1 document of a config.
struct Subject {
  View root;
  RuntimeMode mode{RuntimeMode::metal};
  int minor{schema::Schema::kUsualMinor};

  View machine() const { return root["machine"]; }
  View cluster() const { return root["cluster"]; }
  /// Worker, if nothing is said.
  MachineType type() const;
};

/// One group of rules about the v1alpha1 document. They expect that `machine` is there.
using Check = void (*)(const Subject& subject, Report& report);

/// Whether cluster.controlPlane.endpoint must be there; without it Talos looks no further.
bool needs_endpoint(const Subject& subject);

// One file for each.
void check_machine(const Subject& subject, Report& report);
void check_install(const Subject& subject, Report& report);
void check_machine_network(const Subject& subject, Report& report);
void check_kubespan(const Subject& subject, Report& report);
void check_disks(const Subject& subject, Report& report);
void check_kubelet(const Subject& subject, Report& report);
void check_features(const Subject& subject, Report& report);
void check_runtime_spec(const Subject& subject, Report& report);
void check_cluster(const Subject& subject, Report& report);
void check_control_plane(const Subject& subject, Report& report);

/// The types in a part of the runtime's specification; `place` is for messages.
void check_runtime_overrides(const View& overrides, std::string_view place, Report& report);

/// Rules about one kind of typed documents.
using DocumentCheck = void (*)(const View& document, Report& report);
struct DocumentRule {
  const char* kind;
  DocumentCheck check;
};

// One file for each.
std::span<const DocumentRule> link_document_rules();
std::span<const DocumentRule> network_document_rules();
std::span<const DocumentRule> volume_document_rules();
std::span<const DocumentRule> runtime_document_rules();
std::span<const DocumentRule> registry_document_rules();
std::span<const DocumentRule> cluster_document_rules();
std::span<const DocumentRule> kubernetes_document_rules();
std::span<const DocumentRule> container_document_rules();
std::span<const DocumentRule> storage_document_rules();

/// What a typed document and the v1alpha1 document must not say both.
void check_old_and_new(const View& v1alpha1, const ConfigDocument& document, Report& report);

/// What only all documents together can tell, where the rules let typed documents complete a
/// config.
void check_whole_config(const ConfigDocuments& documents, RuntimeMode mode, Report& report);

/// Empty places in lists, at which Talos ends with a crash instead of an answer.
void check_empty_items(const yaml::Node& v1alpha1, Report& report);

}  // namespace ichor::validate
