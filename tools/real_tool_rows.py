"""The rows of tools/real-tools: every real program, its version and where it comes from."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Extended:
    """A module in a version that lacks a few names, with lines of our own that supply them. The
    version that has them is not to be had. The copy replaces the module in the wrapper."""

    module: str
    version: str
    checksum: str  # of the whole module, as a go.sum would name it
    lines: tuple  # (FILE, a line of it, the line that goes below)
    file: str  # a further file of its package

    @property
    def source(self):
        return f"{self.module} v{self.version}"

    @property
    def folder(self):
        return "extended/" + self.module.replace("/", "_")


@dataclasses.dataclass(frozen=True)
class GoTool:
    """Programs of one Go module. `binaries` maps a name to its package."""

    name: str
    version: str
    module: str
    binaries: dict
    require: tuple = ()  # further "module version", where the minimal version is not to be had
    replace: tuple = ()  # the module's own non-local "from => to version"
    ldflags: str = ""

    tags = ""  # build tags
    static_c = False  # a C library is linked in, statically
    extended = ()  # modules that need lines of our own

    @property
    def source(self):
        return f"{self.module} v{self.version}"

    def go_mod(self, go_version):
        lines = [f"module ichor.test/{self.name}", "", f"go {go_version}", ""]
        lines += [f"require {line}" for line in (self.source, *self.require)]
        lines += [f"replace {line}" for line in self.replace]
        lines += [f"replace {part.module} => ./{part.folder}" for part in self.extended]
        return "\n".join(lines) + "\n"


@dataclasses.dataclass(frozen=True)
class ExtendedTool(GoTool):
    """Programs whose modules include ones that are `Extended`."""

    extended: tuple = ()


@dataclasses.dataclass(frozen=True)
class NodeTool(GoTool):
    """Programs that run on a node of tests/real, with the build tags they need there."""

    tags: str = ""
    static_c: bool = False


@dataclasses.dataclass(frozen=True)
class ExtendedNodeTool(NodeTool):
    """Such programs whose modules include ones that are `Extended`."""

    extended: tuple = ()


@dataclasses.dataclass(frozen=True)
class PythonTool:
    """A package from PyPI in a virtual environment. The one binary is that environment's python."""

    name: str
    version: str
    packages: tuple

    @property
    def source(self):
        return "PyPI " + " ".join(self.packages)


@dataclasses.dataclass(frozen=True)
class ModuleFiles:
    """Files that a Go module carries, a chart for example. Only they are kept, in `files`."""

    name: str
    version: str
    module: str
    folders: tuple  # within the module, kept under the same names
    checksum: str  # of the whole module, as a go.sum would name it

    @property
    def source(self):
        return f"{self.module} v{self.version}"


@dataclasses.dataclass(frozen=True)
class FilledTool:
    """A program of a Go module that embeds files which are generated, so that the module lacks
    them. It is built in a copy of the module, after the files of `filling` were put in, with the
    module's own go.sum; tools/go has what that does not say of `replace`."""

    name: str
    version: str
    module: str
    package: str  # within the module
    checksum: str  # of the whole module, as a go.sum would name it
    filling: tuple  # (TOOL, a folder of its files, the folder that the package embeds)
    replace: tuple = ()  # "from => to version", where the version it names is not to be had
    ldflags: str = ""

    @property
    def source(self):
        return f"{self.module} v{self.version}"


def talos(version, replace, require=(), kind=GoTool, name="talosctl", package="cmd/talosctl",
          **more):
    machinery = "github.com/siderolabs/talos/pkg/machinery"
    wgctrl = "golang.zx2c4.com/wireguard/wgctrl => github.com/siderolabs/wgctrl-go"
    kobject = "github.com/mdlayher/kobject => github.com/smira/kobject"
    return kind(
        name, version, "github.com/siderolabs/talos",
        {name: f"github.com/siderolabs/talos/{package}"}, require=require,
        replace=(*replace, f"{machinery} => {machinery} v{version}",
                 "github.com/mdlayher/ethtool => github.com/siderolabs/ethtool v0.4.0-sidero",
                 f"{kobject} v0.0.0-20240304111826-49c8d4613389",
                 f"{wgctrl} v0.0.0-20251029173431-c4fd5f6a4e72"), **more)


# Routes over a gateway of another family are not decoded; no test looks at them.
RTNETLINK_VIA = Extended(
    "github.com/jsimonetti/rtnetlink/v2", "2.2.0",
    "h1:/KfZ310gOAFrXXol5VwnFEt+ucldD/0dsSRZwpHCP9w=",
    lines=(("route.go", "type RouteAttributes struct {", "\tVia *RouteVia"),
           ("route.go", "type NextHop struct {", "\tVia *RouteVia"),
           ("conn.go", "type conn interface {", "\tJoinGroup(group uint32) error")),
    file="""package rtnetlink

import "net"

type RouteVia struct {
\tFamily uint16
\tAddr   net.IP
}

func (c *Conn) JoinGroup(group uint32) error { return c.c.JoinGroup(group) }
""")

# The staging modules of Kubernetes 1.x have version 0.x and are placeholders in its go.mod.
KUBE_STAGING = """api apiextensions-apiserver apimachinery apiserver cli-runtime client-go
cloud-provider cluster-bootstrap code-generator component-base component-helpers
controller-manager cri-api cri-client csi-translation-lib dynamic-resource-allocation endpointslice
externaljwt kms kube-aggregator kube-controller-manager kube-proxy kube-scheduler kubectl kubelet
metrics mount-utils pod-security-admission sample-apiserver sample-cli-plugin sample-controller
""".split()


def kubernetes(name, version, *binaries):
    minor = version.split(".")[1]
    stamp = "k8s.io/component-base/version"
    return GoTool(
        name, version, "k8s.io/kubernetes", {b: f"k8s.io/kubernetes/cmd/{b}" for b in binaries},
        replace=tuple(f"k8s.io/{m} => k8s.io/{m} v0{version[1:]}" for m in KUBE_STAGING),
        ldflags=f"-X {stamp}.gitVersion=v{version} -X {stamp}.gitMajor=1"
                f" -X {stamp}.gitMinor={minor}")


def helm(version):
    module = f"helm.sh/helm/v{version[0]}"
    # Helm 3 renders for this Kubernetes where there is no cluster; Helm 4 looks at its own modules.
    return GoTool("helm", version, module, {"helm": f"{module}/cmd/helm"},
                  ldflags=f"-X {module}/internal/version.version=v{version}"
                          f" -X {module}/pkg/chartutil.k8sVersionMinor=35")


def flux(name, version, replace=()):
    """A controller of Flux; its API is a module of its own, with the same version."""
    module = f"github.com/fluxcd/{name}"
    digest = "github.com/opencontainers/go-digest"
    return GoTool(name, version, module, {name: module},
                  replace=(f"{module}/api => {module}/api v{version}",
                           f"{digest} => {digest} v1.0.1-0.20220411205349-bde1400a84be", *replace))


TALOS_1_12_6 = {
    "version": "1.12.6",
    "replace": ("cloud.google.com/go => cloud.google.com/go v0.100.2",
                "github.com/containerd/containerd/v2 => github.com/smira/containerd/v2 "
                "v2.0.0-20251113120816-51ecd22de074",
                "github.com/coredns/coredns => github.com/siderolabs/coredns v1.12.54"),
    "require": ("github.com/siderolabs/go-blockdevice/v2 v2.0.27",),
}
CNI_PLUGINS = "github.com/containernetworking/plugins"
CONTAINERD = "github.com/containerd/containerd/v2"
FLUX_OPERATOR = "github.com/controlplaneio-fluxcd/flux-operator"
GRPC_GO = "google.golang.org/grpc"
FLUX_OPERATOR_SUM = "h1:jByuiWYtjSJxucGHuz68tV0DeVFz5CYrKQYfxAwE7lE="
REGISTRY_LOGIN = "github.com/google/go-containerregistry/pkg/authn/kubernetes"

TALOS_1_14_1 = {
    "version": "1.14.1",
    "replace": ("github.com/coredns/coredns => github.com/siderolabs/coredns v1.14.53",
                "github.com/cosi-project/runtime => github.com/cosi-project/runtime v1.16.2"),
    "extended": (RTNETLINK_VIA,),
}
MACHINED = {
    "name": "machined", "package": "internal/app/machined", "tags": "tcell_minimal,grpcnotrace",
    "ldflags": "-X golang.zx2c4.com/wireguard/ipc.socketDirectory=/system/wireguard-sock",
}

# A name without a version means its last entry.
TOOLS = (
    talos(**TALOS_1_14_1, kind=ExtendedTool),
    talos("1.13.9",
          ("github.com/coredns/coredns => github.com/siderolabs/coredns v1.14.53",),
          require=("github.com/siderolabs/go-kubernetes v0.2.39",
                   "go.etcd.io/etcd/etcdutl/v3 v3.6.14")),
    talos(**TALOS_1_12_6),
    kubernetes("kubectl", "1.35.4", "kubectl"),
    GoTool("sops", "3.13.3", "github.com/getsops/sops/v3",
           {"sops": "github.com/getsops/sops/v3/cmd/sops"}),
    GoTool("age", "1.3.2", "filippo.io/age",
           {"age": "filippo.io/age/cmd/age", "age-keygen": "filippo.io/age/cmd/age-keygen"}),
    GoTool("talhelper", "3.1.16", "github.com/budimanjojo/talhelper/v3",
           {"talhelper": "github.com/budimanjojo/talhelper/v3"}),
    GoTool("schematic", "0.8.4", "github.com/siderolabs/image-factory", {"schematic": "."}),
    # Peers of our gRPC, and a recorder of Talos' API that knows the real message types.
    GoTool("talos-recorder", "1.12.6", "github.com/siderolabs/talos/pkg/machinery",
           {"talos-recorder": "."}),
    GoTool("grpc-interop", "1.79.3", GRPC_GO,
           {side: f"{GRPC_GO}/interop/{side}" for side in ("client", "server")}),
    GoTool("h2spec", "2.2.1+incompatible", "github.com/summerwind/h2spec",
           {"h2spec": "github.com/summerwind/h2spec/cmd/h2spec"}, ldflags="-X main.VERSION=2.2.1",
           require=("github.com/fatih/color v1.18.0", "github.com/spf13/cobra v1.10.2",
                    "golang.org/x/net v0.48.0")),
    PythonTool("grpcio", "1.76.0", ("grpcio==1.76.0", "protobuf==6.33.0")),
    # What a node of tests/real is made of, in the versions that Talos 1.12.6 ships.
    talos(**TALOS_1_14_1, kind=ExtendedNodeTool, **MACHINED),
    talos(**TALOS_1_12_6, kind=NodeTool, **MACHINED),
    # Besides machined, what a machine of tests/vm boots and is installed with.
    talos(**TALOS_1_12_6, kind=NodeTool, name="talos-init", package="internal/app/init",
          tags="tcell_minimal,grpcnotrace"),
    talos(**TALOS_1_12_6, kind=NodeTool, name="talos-installer", package="cmd/installer",
          tags="tcell_minimal,grpcnotrace"),
    GoTool("containerd", "2.1.6", CONTAINERD,
           {name: f"{CONTAINERD}/cmd/{name}" for name in ("containerd", "containerd-shim-runc-v2")},
           ldflags=f"-X {CONTAINERD}/version.Version=v2.1.6"),
    NodeTool("runc", "1.3.4", "github.com/opencontainers/runc",
             {"runc": "github.com/opencontainers/runc"},
             ldflags="-linkmode external -extldflags -static",
             tags="seccomp,netgo,osusergo", static_c=True),
    GoTool("etcd", "3.6.8", "go.etcd.io/etcd/server/v3", {"etcd": "go.etcd.io/etcd/server/v3"}),
    GoTool("etcdutl", "3.6.14", "go.etcd.io/etcd/etcdutl/v3",
           {"etcdutl": "go.etcd.io/etcd/etcdutl/v3"}),
    kubernetes("kubernetes", "1.35.4", "kubelet", "kube-apiserver", "kube-controller-manager",
               "kube-scheduler"),
    GoTool("cni-plugins", "1.9.1", CNI_PLUGINS,
           {name: f"{CNI_PLUGINS}/plugins/{kind}/{name}" for kind, name in
            (("main", "bridge"), ("main", "loopback"), ("ipam", "host-local"))}),
    GoTool("opentofu", "1.12.6", "github.com/opentofu/opentofu",
           {"tofu": "github.com/opentofu/opentofu/cmd/tofu"},
           replace=("github.com/hashicorp/hcl/v2 => "
                    "github.com/opentofu/hcl/v2 v2.20.2-0.20251021132045-587d123c2828",)),
    GoTool("task", "3.53.1", "github.com/go-task/task/v3",
           {"task": "github.com/go-task/task/v3/cmd/task"}),
    PythonTool("proxmoxer", "2.2.0", ("proxmoxer==2.2.0", "requests==2.32.5")),
    PythonTool("jinja2", "3.1.2", ("jinja2==3.1.2", "pyyaml==6.0.2")),
    # What the bed of tests/kube is made of, besides etcd and kubernetes above.
    GoTool("kustomize", "5.8.2", "sigs.k8s.io/kustomize/kustomize/v5",
           {"kustomize": "sigs.k8s.io/kustomize/kustomize/v5"},
           ldflags="-X sigs.k8s.io/kustomize/api/provenance.version=v5.8.2"),
    GoTool("kubeconform", "0.8.0", "github.com/yannh/kubeconform",
           {"kubeconform": "github.com/yannh/kubeconform/cmd/kubeconform"},
           ldflags="-X main.version=v0.8.0"),
    GoTool("kwok", "0.8.0", "sigs.k8s.io/kwok", {"kwok": "sigs.k8s.io/kwok/cmd/kwok"}),
    GoTool("coredns", "1.13.2", "github.com/coredns/coredns", {"coredns": "."}),
    helm("4.3.1"),
    helm("3.22.0"),
    GoTool("helmfile", "1.8.0", "github.com/helmfile/helmfile",
           {"helmfile": "github.com/helmfile/helmfile"},
           replace=("k8s.io/api => k8s.io/api v0.35.4",
                    "k8s.io/apimachinery => k8s.io/apimachinery v0.36.0",
                    "k8s.io/client-go => k8s.io/client-go v0.35.4"),
           ldflags="-X go.szostok.io/version.version=v1.8.0"),
    flux("source-controller", "1.9.3"),
    flux("helm-controller", "1.6.3"),
    flux("kustomize-controller", "1.9.4",
         replace=("sigs.k8s.io/kustomize/api => sigs.k8s.io/kustomize/api v0.21.1",
                  "sigs.k8s.io/kustomize/kyaml => sigs.k8s.io/kustomize/kyaml v0.21.1",
                  "gopkg.in/yaml.v3 => gopkg.in/yaml.v3 v3.0.1")),
    ModuleFiles("cilium-chart", "1.18.4", "github.com/cilium/cilium",
                ("install/kubernetes/cilium", "pkg/k8s/apis/cilium.io/client/crds"),
                "h1:/HrbeMmk46UDkJs4uJemIqxB7wuZ+QRMNVscNYua5C8="),
    ModuleFiles("cert-manager-chart", "1.21.2", "github.com/cert-manager/cert-manager",
                ("deploy/charts/cert-manager", "deploy/crds"),
                "h1:UWgoYM+KLNtRlqmoWOKjKBOBUPVHeepQ6/ac3ERJW68="),
    # The manifests of every Flux controller, with their CRDs, and the operator's own CRDs.
    ModuleFiles("flux-manifests", "0.59.0", FLUX_OPERATOR,
                ("config/crd/bases", "config/data/flux/v2.9.5", "web/public"), FLUX_OPERATOR_SUM),
    FilledTool("flux", "2.9.5", "github.com/fluxcd/flux2/v2", "./cmd/flux",
               "h1:jwCccxvkD+2QnsjN+pl5QqM8KnFUwA8pIoQ1Lf0avkA=",
               ("flux-manifests", "config/data/flux/v2.9.5", "cmd/flux/manifests"),
               ldflags="-X main.VERSION=2.9.5"),
    # Its web pages are generated; their pictures stand in for them, because no test looks at them.
    FilledTool("flux-operator", "0.59.0", FLUX_OPERATOR, "./cmd/operator", FLUX_OPERATOR_SUM,
               ("flux-manifests", "web/public", "web/dist"),
               replace=(f"{REGISTRY_LOGIN} => {REGISTRY_LOGIN} "
                        "v0.0.0-20250225234217-098045d5e61f",),
               ldflags="-X main.VERSION=v0.59.0"),
)
