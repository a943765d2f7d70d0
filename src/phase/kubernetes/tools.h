#pragma once

#include <string>
#include <vector>

#include "async/context.h"
#include "async/task.h"
#include "model/finding.h"
#include "phase/kubernetes/kube_world.h"
#include "phase/kubernetes/material.h"
#include "port/process.h"

namespace ichor {

/// A program that a phase runs, and what for.
struct NeededTool {
  std::string name;
  std::string why;  // "to install the releases of phase 2"
};

/// What the phases from `first` to `last` need, by the plan.
std::vector<NeededTool> tools_needed(const KubernetesPlan& plan, int first, int last);

/// A finding for each of them that is not installed.
std::vector<Finding> missing_tools(const KubernetesPlan& plan, Processes& processes,
                                   const std::vector<NeededTool>& needed);

/// A finding for each program that is missing, or that is of a version we cannot work with. Asked
/// before anything is changed.
Task<std::vector<Finding>> check_tools(Context context, KubeWorld& world,
                                       const KubernetesMaterial& material,
                                       std::vector<NeededTool> needed);

/// Whether a program is installed.
bool has_tool(const KubernetesPlan& plan, Processes& processes, const std::string& name);

/// All that a call of a program needs.
struct ToolPlace {
  Processes& processes;
  std::string state_path;
  const KubernetesMaterial& material;
};

/// A call of a program, with the environment that it may see. The program must be there.
ProcessCall tool_call(const ToolPlace& place, const std::string& name,
                      std::vector<std::string> arguments);
ProcessCall tool_call(const KubeWorld& world, const KubernetesMaterial& material,
                      const std::string& name, std::vector<std::string> arguments);

/// The name under which the kubeconfig for other programs is kept in the state folder.
inline constexpr const char* kToolsKubeconfig = "kubeconfig.tools";

/// Runs it within the context and gives its output, or what it said on standard error.
Task<Result<SecretString>> tool_output(Context context, Processes& processes, ProcessCall call);
Task<Result<SecretString>> tool_output(Context context, KubeWorld& world, ProcessCall call);

}  // namespace ichor
