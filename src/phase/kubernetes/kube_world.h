#pragma once

#include <string>

#include "async/clock.h"
#include "phase/ledger.h"
#include "port/artifacts.h"
#include "port/events.h"
#include "port/kube_client.h"
#include "port/pod_ports.h"
#include "port/process.h"
#include "port/random.h"
#include "port/talos_api.h"
#include "port/web_client.h"

namespace ichor {

/// Everything outside that the Kubernetes phases work with, handed in.
struct KubeWorld {
  Clock& clock;
  Random& random;
  KubeClient& kube;
  Processes& processes;
  WebClient& web;
  Ledger& ledger;
  Artifacts& files;
  EventSink& events;
  TalosApi* talos{nullptr};  // null: Talos cannot be asked
  std::string state_path;    // where `files` are, for other programs
  PodPorts* pods{nullptr};   // null: pods cannot be asked
};

}  // namespace ichor
