#pragma once

#include "cli/command_line.h"
#include "model/run_result.h"
#include "port/host.h"

namespace ichor {

/// Does what was asked for. One file of this folder for each kind of request.
Exit run_command(const Invocation& invocation, Host& host);

Exit run(const UpRequest& request, const CommonOptions& common, Host& host);
Exit run(const PlanRequest& request, const CommonOptions& common, Host& host);
Exit run(const LintRequest& request, const CommonOptions& common, Host& host);
Exit run(const PreflightRequest& request, const CommonOptions& common, Host& host);
Exit run(const DiscoverRequest& request, const CommonOptions& common, Host& host);
Exit run(const ApplyOptions& request, const CommonOptions& common, Host& host);
Exit run(const BootstrapOptions& request, const CommonOptions& common, Host& host);
Exit run(const VerifyRequest& request, const CommonOptions& common, Host& host);
Exit run(const ResetOptions& request, const CommonOptions& common, Host& host);
Exit run(const DriftRequest& request, const CommonOptions& common, Host& host);
Exit run(const CertsStatusRequest& request, const CommonOptions& common, Host& host);
Exit run(const CertsRenewRequest& request, const CommonOptions& common, Host& host);
Exit run(const NodeRequest& request, const CommonOptions& common, Host& host);
Exit run(const EtcdStatusRequest& request, const CommonOptions& common, Host& host);
Exit run(const EtcdSnapshotRequest& request, const CommonOptions& common, Host& host);
Exit run(const EtcdRestoreRequest& request, const CommonOptions& common, Host& host);
Exit run(const EtcdDefragRequest& request, const CommonOptions& common, Host& host);
Exit run(const UpgradeOptions& request, const CommonOptions& common, Host& host);
Exit run(const UpgradeK8sOptions& request, const CommonOptions& common, Host& host);
Exit run(const KubeconfigRequest& request, const CommonOptions& common, Host& host);
Exit run(const PhaseRequest& request, const CommonOptions& common, Host& host);
Exit run(const WaitRequest& request, const CommonOptions& common, Host& host);
Exit run(const HealthRequest& request, const CommonOptions& common, Host& host);
Exit run(const StatusRequest& request, const CommonOptions& common, Host& host);
Exit run(const DoctorRequest& request, const CommonOptions& common, Host& host);
Exit run(const ReportRequest& request, const CommonOptions& common, Host& host);
Exit run(const HistoryRequest& request, const CommonOptions& common, Host& host);
Exit run(const HistoryDiffRequest& request, const CommonOptions& common, Host& host);
Exit run(const WatchRequest& request, const CommonOptions& common, Host& host);
Exit run(const ServeRequest& request, const CommonOptions& common, Host& host);
Exit run(const ExplainRequest& request, const CommonOptions& common, Host& host);
Exit run(const UnlockRequest& request, const CommonOptions& common, Host& host);
Exit run(const ProxmoxRequest& request, const CommonOptions& common, Host& host);
Exit run(const GenSecretsRequest& request, const CommonOptions& common, Host& host);
Exit run(const GenConfigRequest& request, const CommonOptions& common, Host& host);
Exit run(const GenTalosconfigRequest& request, const CommonOptions& common, Host& host);
Exit run(const MachineconfigPatchRequest& request, const CommonOptions& common, Host& host);
Exit run(const MachineconfigDiffRequest& request, const CommonOptions& common, Host& host);
Exit run(const LabStartRequest& request, const CommonOptions& common, Host& host);
Exit run(const LabStatusRequest& request, const CommonOptions& common, Host& host);
Exit run(const LabInjectRequest& request, const CommonOptions& common, Host& host);
Exit run(const LabStopRequest& request, const CommonOptions& common, Host& host);
Exit run(const LabListRequest& request, const CommonOptions& common, Host& host);
Exit run(const LabRmRequest& request, const CommonOptions& common, Host& host);
Exit run(const SimulateRequest& request, const CommonOptions& common, Host& host);
Exit run(const RehearseRequest& request, const CommonOptions& common, Host& host);
Exit run(const RenderRequest& request, const CommonOptions& common, Host& host);
Exit run(const SchematicIdRequest& request, const CommonOptions& common, Host& host);
Exit run(const SchematicShowRequest& request, const CommonOptions& common, Host& host);
Exit run(const SchematicDiffRequest& request, const CommonOptions& common, Host& host);
Exit run(const SchematicUploadRequest& request, const CommonOptions& common, Host& host);
Exit run(const SecretsEncryptRequest& request, const CommonOptions& common, Host& host);
Exit run(const SecretsDecryptRequest& request, const CommonOptions& common, Host& host);
Exit run(const MigrateRequest& request, const CommonOptions& common, Host& host);
Exit run(const ValidateRequest& request, const CommonOptions& common, Host& host);
Exit run(const CompletionRequest& request, const CommonOptions& common, Host& host);
Exit run(const InitRequest& request, const CommonOptions& common, Host& host);
Exit run(const SchemaRequest& request, const CommonOptions& common, Host& host);
Exit run(const VersionRequest& request, const CommonOptions& common, Host& host);

}  // namespace ichor
