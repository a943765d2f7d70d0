#include "command/cluster_book.h"

#include <algorithm>
#include <fmt/format.h>

#include "cluster/cluster_list.h"
#include "run/certificate_list.h"

namespace ichor {

namespace {

constexpr Duration kLookEvery = std::chrono::milliseconds(500);
/// Of the time that passes, a tenth at most goes into reading.
constexpr int kRestPerWork = 9;
/// Reading a profile opens its encrypted patches, and a program that does so may ask for a key.
constexpr Duration kProfileEvery = std::chrono::minutes(5);
constexpr Duration kCertificatesEvery = std::chrono::minutes(1);

std::string text_of(const RunResult& result) {
  std::string text = result.verdict;
  if (!result.findings.empty()) {
    const Finding& first = result.findings.front();
    text += fmt::format("; {}: {}", first.where, first.what);
  }
  return text;
}

}  // namespace

OrEnd<ClusterBook> ClusterBook::open(const CommonOptions& common, Host& host) {
  ClusterBook book(host);
  if (host.files.has_file(common.profile) || common.profile != CommonOptions{}.profile) {
    auto input = read_profile_input(common, {}, host);
    if (!input) return forward_error(input);
    book.add(common, input->profile.name);
    return book;
  }
  const auto list = list_clusters(host.files);
  const auto chosen = list ? select_clusters(*list, {}) : list;
  if (!chosen) return end_with(Exit::usage, chosen.error().message);
  for (const ListedCluster& listed : *chosen) {
    CommonOptions one = common;
    one.profile = listed.profile;
    one.cluster = listed.name;
    if (!one.state_dir.empty()) one.state_dir += "/" + listed.name;
    if (!one.lab_state.empty()) one.lab_state += "/" + listed.name;
    book.add(one, listed.name);
  }
  return book;
}

void ClusterBook::add(const CommonOptions& common, const std::string& name) {
  sources_.push_back({common, {}, {}, {}});
  // Findings for people quote lines of the profile.
  sources_.back().common.output = OutputFormat::json;
  ServedCluster cluster;
  cluster.name = name;
  cluster.profile = common.profile;
  clusters_.push_back(std::move(cluster));
}

Task<void> ClusterBook::refresh(Context context) {
  while (reads_) {
    if (co_await read_->wait(context) == Wake::cancelled) co_return;
    if (!reads_) co_return;
  }
  const MonoTime now = context.now();
  if (now < next_at_) co_return;
  reads_ = true;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    read_profile(sources_[i], clusters_[i]);
    if (sources_[i].input) co_await read_state(context, sources_[i], clusters_[i]);
    // Runs of a cluster whose profile broke are shown, and that it broke is, too.
    if (sources_[i].trouble.empty()) continue;
    clusters_[i].trouble = sources_[i].trouble;
    clusters_[i].readable = false;
  }
  reads_ = false;
  next_at_ = context.now() + std::max(kLookEvery, (context.now() - now) * kRestPerWork);
  read_->notify_all();
}

/// A profile that was read once keeps its place in the file system, so only its nodes can be new.
void ClusterBook::read_profile(Source& source, ServedCluster& cluster) {
  const MonoTime now = host_->loop.clock().now();
  if (source.profile_at != MonoTime{} && now - source.profile_at < kProfileEvery) return;
  source.profile_at = now;
  auto input = read_profile_input(source.common, {}, *host_);
  source.trouble = input ? "" : text_of(input.error());
  if (!input) return;
  cluster.nodes.clear();
  for (const NodePlan& node : input->everybody) cluster.nodes.push_back(node.name.value());
  source.input.emplace(*std::move(input));
}

Task<void> ClusterBook::read_state(Context context, Source& source, ServedCluster& cluster) {
  const std::string path = state_path(source.common, *source.input);
  // Opened each time: a folder that was removed and made again is another one.
  auto state = host_->states.open_state(path, ClusterStates::Missing::refuse);
  Result<void> read;
  if (state) {
    read = co_await read_journal(context, **state, cluster);
  } else {
    read = forward_error(state);
  }
  if (!read && read.error().code == Errc::cancelled) co_return;
  cluster.readable = read || read.error().code == Errc::invalid;
  if (!read) {
    cluster.records.clear();
    cluster.held = false;
    cluster.trouble =
        cluster.readable ? "no run has worked on " + cluster.name + " yet" : read.error().message;
    co_return;
  }
  cluster.trouble.clear();
  const MonoTime now = context.now();
  const bool fresh =
      source.certificates_at != MonoTime{} && now - source.certificates_at < kCertificatesEvery;
  if (fresh) co_return;
  source.certificates_at = now;
  cluster.certificates.clear();
  for (const CertificateRow& row : state_certificates(source.input->profile.name, **state)) {
    cluster.certificates.push_back({row.name, row.expires.unix_ms});
  }
}

Task<Result<void>> ClusterBook::read_journal(Context context, ClusterState& state,
                                             ServedCluster& cluster) {
  // Before the records: a run that has given its lock back has written its end already.
  const auto holder = co_await state.journal().holder(context);
  auto records = co_await state.journal().read(context);
  if (!records) co_return forward_error(records);
  const std::string machine = host_->environment.owner().host;
  // A process on another machine cannot be asked.
  cluster.held =
      holder && holder->has_value() && ((*holder)->runs_here || (*holder)->owner.host != machine);
  cluster.records = *std::move(records);
  co_return Result<void>();
}

}  // namespace ichor
