# From machines to a cluster that Flux reconciles, in nine stages. Each stage is one call of ichor, and
# each gate is `ichor wait`, so the next stage starts because the last one works and not because it
# was created. Only built-in resources are used: terraform_data and local-exec.
#
#     tofu init && tofu apply -var profile=../gitops/ichor.yaml
#
# A second apply runs nothing. `tofu apply -replace terraform_data.machines` runs the line again:
# ichor looks first, and changes only what is missing.

terraform {
  required_version = ">= 1.6"
}

variable "ichor" {
  description = "The program."
  type        = string
  default     = "ichor"
}

variable "profile" {
  description = "The cluster profile."
  type        = string
  default     = "ichor.yaml"
}

variable "flags" {
  description = "Flags for every call, such as `--lab-state DIR` to try it on a lab."
  type        = string
  default     = ""
}

variable "provision" {
  description = "Whether ichor creates and starts the machines on Proxmox (providers.proxmox)."
  type        = bool
  default     = false
}

variable "gates" {
  description = "How long a gate of a later stage may take."
  type        = string
  default     = "10m"
}

locals {
  call = "\"${var.ichor}\""
  with = "-p \"${var.profile}\" ${var.flags}"
  wait = "--timeout ${var.gates} ${local.with}"
}

# 1. The profile holds, and the provider lets us in.
resource "terraform_data" "provider" {
  triggers_replace = [filesha256(var.profile)]

  provisioner "local-exec" {
    command = "${local.call} lint -p \"${var.profile}\""
  }
  provisioner "local-exec" {
    command = var.provision ? "${local.call} proxmox verify ${local.with}" : "true"
  }
}

# 2. The machines run and answer in maintenance mode, each on the disk that the profile names.
resource "terraform_data" "machines" {
  triggers_replace = [terraform_data.provider.id]

  provisioner "local-exec" {
    command = var.provision ? "${local.call} proxmox create ${local.with}" : "true"
  }
  provisioner "local-exec" {
    command = var.provision ? "${local.call} proxmox start ${local.with}" : "true"
  }
  # VMs need half a minute from power to their API.
  provisioner "local-exec" {
    command = "${local.call} discover --watch ${local.with}"
  }
  provisioner "local-exec" {
    command = "${local.call} preflight ${local.with}"
  }
}

# 3. Talos is installed and etcd bootstrapped, once. The gates: every control plane is a healthy
#    voter of one etcd, and kubelet and the other Talos services run on every node.
resource "terraform_data" "talos" {
  triggers_replace = [terraform_data.machines.id]

  provisioner "local-exec" {
    command = "${local.call} up --only talos ${local.with}"
  }
  provisioner "local-exec" {
    command = "${local.call} wait etcd ${local.wait}"
  }
  provisioner "local-exec" {
    command = "${local.call} wait talos-services ${local.wait}"
  }
}

# 4. The kubeconfig, in the file that ichor names.
resource "terraform_data" "kubeconfig" {
  triggers_replace = [terraform_data.talos.id]

  provisioner "local-exec" {
    command = "${local.call} kubeconfig ${local.with}"
  }
}

# 5. The API answers. Nodes are not Ready yet where a later stage brings the CNI, so this gate asks
#    for no more than clients need.
resource "terraform_data" "api" {
  triggers_replace = [terraform_data.kubeconfig.id]

  provisioner "local-exec" {
    command = "${local.call} wait api ${local.wait}"
  }
}

# 6. Namespaces and Secrets, CRDs, then the core releases in their order. The gate is the CNI on ALL
#    nodes and every node Ready, not that helm returned.
# 7. The sealed-secrets key pair is part of the core phase: ichor sends it when all nodes are Ready.
resource "terraform_data" "core" {
  triggers_replace = [terraform_data.api.id]

  provisioner "local-exec" {
    command = "${local.call} phase secrets ${local.with}"
  }
  provisioner "local-exec" {
    command = "${local.call} phase crds ${local.with}"
  }
  provisioner "local-exec" {
    command = "${local.call} phase core ${local.with}"
  }
  provisioner "local-exec" {
    command = "${local.call} wait nodes ${local.wait}"
  }
}

# 8. Flux works: its operator, its instance and its sources are Ready.
resource "terraform_data" "flux" {
  triggers_replace = [terraform_data.core.id]

  provisioner "local-exec" {
    command = "${local.call} wait flux ${local.wait}"
  }
}

# 9. GitOps reconciles: every Kustomization and HelmRelease is Ready at its current generation.
resource "terraform_data" "gitops" {
  triggers_replace = [terraform_data.flux.id]

  provisioner "local-exec" {
    command = "${local.call} wait kustomizations ${local.wait}"
  }
}

output "stages" {
  description = "One id per stage; a stage that ran again has another id."
  value = {
    provider   = terraform_data.provider.id
    machines   = terraform_data.machines.id
    talos      = terraform_data.talos.id
    kubeconfig = terraform_data.kubeconfig.id
    api        = terraform_data.api.id
    core       = terraform_data.core.id
    flux       = terraform_data.flux.id
    gitops     = terraform_data.gitops.id
  }
}
