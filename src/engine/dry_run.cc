#include "engine/dry_run.h"

namespace ichor {

namespace {

class DryRunSession final : public TalosSession {
 public:
  DryRunSession(std::unique_ptr<TalosSession> inner, IpAddress address,
                std::shared_ptr<std::vector<DryRunTalos::Attempt>> attempts)
      : inner_(std::move(inner)), address_(std::move(address)), attempts_(std::move(attempts)) {}

  const Peer& peer() const override { return inner_->peer(); }
  Task<CallResult<TalosVersion>> version(Context context) override {
    return inner_->version(context);
  }
  Task<CallResult<MachineStatus>> machine_status(Context context) override {
    return inner_->machine_status(context);
  }
  Task<CallResult<Identity>> identity(Context context) override {
    return inner_->identity(context);
  }
  Task<CallResult<std::vector<Disk>>> disks(Context context) override {
    return inner_->disks(context);
  }
  Task<CallResult<std::vector<ServiceStatus>>> services(Context context) override {
    return inner_->services(context);
  }
  Task<CallResult<bool>> time_synced(Context context) override {
    return inner_->time_synced(context);
  }
  Task<CallResult<std::optional<Digest>>> config_digest(Context context) override {
    return inner_->config_digest(context);
  }
  Task<CallResult<bool>> etcd_has_data(Context context) override {
    return inner_->etcd_has_data(context);
  }
  Task<CallResult<std::vector<EtcdMember>>> etcd_members(Context context) override {
    return inner_->etcd_members(context);
  }
  Task<CallResult<EtcdStatus>> etcd_status(Context context) override {
    return inner_->etcd_status(context);
  }
  Task<CallResult<std::vector<EtcdAlarm>>> etcd_alarms(Context context) override {
    return inner_->etcd_alarms(context);
  }
  Task<CallResult<void>> etcd_snapshot(Context context, ByteSink& sink) override {
    return inner_->etcd_snapshot(context, sink);
  }
  Task<CallResult<std::optional<SecretString>>> machine_config(Context context) override {
    return inner_->machine_config(context);
  }
  Task<CallResult<SecretString>> kubeconfig(Context context) override {
    return inner_->kubeconfig(context);
  }
  Task<CallResult<Hardware>> hardware(Context context) override {
    return inner_->hardware(context);
  }
  Task<CallResult<std::vector<std::string>>> dmesg(Context context, int lines) override {
    return inner_->dmesg(context, lines);
  }
  Task<CallResult<std::vector<std::string>>> events(Context context, int count) override {
    return inner_->events(context, count);
  }
  Task<CallResult<std::unique_ptr<Watch>>> watch(Context context, Bell& changed) override {
    return inner_->watch(context, changed);
  }

  Task<Outcome> apply_configuration(Context, ApplyRequest) override {
    return recorded(Call::apply_configuration);
  }
  Task<Outcome> bootstrap(Context, BootstrapRequest) override { return recorded(Call::bootstrap); }
  Task<Outcome> reset(Context, ResetRequest) override { return recorded(Call::reset); }
  Task<Outcome> change_etcd(Context, EtcdChange change) override { return recorded(change.call); }
  Task<Outcome> etcd_recover(Context, const ByteSource&) override {
    return recorded(Call::etcd_recover);
  }
  Task<CallResult<UpgradeView>> upgrade_state(Context context) override {
    return inner_->upgrade_state(context);
  }
  Task<Outcome> pull_image(Context, UpgradeRequest) override { return recorded(Call::pull_image); }
  Task<Outcome> upgrade(Context, UpgradeRequest) override { return recorded(Call::upgrade); }
  Task<Outcome> reboot(Context) override { return recorded(Call::reboot); }

 private:
  Task<Outcome> recorded(Call call) {
    attempts_->push_back({address_, call});
    CallError error;
    error.call = call;
    error.progress = Progress::not_sent;
    error.code = Code::failed_precondition;
    error.text = "nothing is changed in a dry run";
    co_return Outcome::failed(std::move(error));
  }

  std::unique_ptr<TalosSession> inner_;
  IpAddress address_;
  std::shared_ptr<std::vector<DryRunTalos::Attempt>> attempts_;
};

}  // namespace

DryRunTalos::DryRunTalos(TalosApi& inner)
    : inner_(inner), attempts_(std::make_shared<std::vector<Attempt>>()) {}

Task<CallResult<std::unique_ptr<TalosSession>>> DryRunTalos::open(Context context,
                                                                  IpAddress address,
                                                                  PeerDemand demand) {
  auto opened = co_await inner_.open(context, address, std::move(demand));
  if (!opened) co_return opened;
  std::unique_ptr<TalosSession> guarded =
      std::make_unique<DryRunSession>(*std::move(opened), std::move(address), attempts_);
  co_return guarded;
}

}  // namespace ichor
