"""talosctl commands that a lab node and a real node must answer alike, and what "alike" is.

Every command runs on a control plane that is up. Of its output the shape is compared: the exit
code; of an error the gRPC code and text; of a table its columns and whether it has rows; of YAML
and JSON the keys; of a short text its lines, of those with a colon what is before it. Repeated
lines, addresses, numbers and ids are left out. The shapes of a real node are kept in RECORDED, so
that the lab can be compared without one.
"""

import json
import pathlib
import re
import subprocess
import time

RECORDED = pathlib.Path(__file__).resolve().parents[2] / "real/recordings/talosctl-1.12.6.json"
METAL_RECORDED = RECORDED.parents[2] / "vm/recordings/talosctl-metal-1.12.6.json"
SHORT = 12  # lines

# {home} is a folder for what commands read and write, {node} the node's address.
COMMANDS = """
version
version --short
get machinestatus
get machinestatus -o yaml
get machinestatus -o json
get machinestatus -o jsonpath={{.spec.stage}}
get machinestatus nosuchid
get nosuchresource
get members
get members -o yaml
get links
get links -o yaml
get addresses
get addresses -o json
get routes
get hostname
get nodename
get machinetype
get services
get services -o yaml
get etcdmembers
get etcdspecs
get staticpods
get staticpodstatus
get timestatus
get systeminformation
get disks
get machineconfig
get rd
get machinestatus --namespace nosuchnamespace
service
services
service etcd
service kubelet
service nosuchservice
service etcd restart
service apid stop
etcd status
etcd members
etcd alarm list
etcd alarm disarm
etcd snapshot {home}/snapshot
etcd remove-member 1234
etcd defrag
bootstrap
apply-config -f {home}/own.yaml
apply-config -f {home}/own.yaml --dry-run
apply-config -f {home}/own.yaml --mode no-reboot
apply-config -f {home}/own.yaml --mode staged
apply-config -f {home}/garbage.yaml
apply-config -f {home}/unknown-key.yaml
apply-config -f {home}/no-type.yaml
dmesg
logs etcd
logs kubelet --tail 3
logs nobody
kubeconfig {home}/kubeconfig
read /proc/sys/kernel/random/boot_id
read /nothing
list /var/lib/etcd
list /nothing
memory
time
processes
containers
containers -k
stats
mounts
netstat
usage /etc
image list
get machinestatus --watch
get services kubelet --watch -o yaml
events --tail -1
logs kubelet --follow
config info
config contexts
reboot --wait=false
shutdown --wait=false
rollback
upgrade --image ghcr.io/siderolabs/installer:v1.12.6 --wait=false
config endpoint {node}
config node {node}
version --short
""".strip().splitlines()

# Run on all nodes through one of them.
ON_MANY = """
version --short
get machinestatus
get machinetype -o yaml
service
service kubelet
etcd members
etcd status
memory
logs kubelet --tail 3
""".strip().splitlines()

# Run with --insecure on a machine, not a container, in maintenance mode. Nothing of it changes it.
IN_MAINTENANCE = """
version --short
get machinestatus -o yaml
get machinestatus nosuchid
get nosuchresource
get disks
get disks -o yaml
get systemdisk
get discoveredvolumes
get systeminformation -o yaml
get links
get links -o yaml
get addresses
get hostname
get metakeys
get memorymodules -o yaml
get securitystate -o yaml
get services
get machineconfig
apply-config -f {home}/controlplane.yaml --dry-run
apply-config -f {home}/controlplane.yaml --dry-run --mode reboot
apply-config -f {home}/controlplane.yaml --dry-run --mode staged
apply-config -f {home}/controlplane.yaml --dry-run --mode no-reboot
apply-config -f {home}/garbage.yaml --dry-run
apply-config -f {home}/unknown-key.yaml --dry-run
apply-config -f {home}/no-type.yaml --dry-run
apply-config -f {home}/no-disk.yaml --dry-run
apply-config -f {home}/no-install.yaml --dry-run
""".strip().splitlines()

# And on the same machine when Talos is installed on its disk.
INSTALLED = """
get disks
get disks -o yaml
get systemdisk -o yaml
get discoveredvolumes
get systeminformation -o yaml
get links -o yaml
get metakeys
get securitystate -o yaml
get hostname -o yaml
service
apply-config -f {home}/no-disk.yaml --dry-run
""".strip().splitlines()

# What never ends by itself is interrupted after this long.
ENDLESS = ("--watch", "--follow", "events ")
ENDLESS_S = 4

ADDRESS = re.compile(r"\b\d+\.\d+\.\d+\.\d+(:\d+|/\d+)?")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
NUMBER = re.compile(r"\b(0x)?[0-9a-f]*\d[0-9a-f]*\b")
SIZE = re.compile(r"N(\.N)? [kMG]?B\b")
KEY = re.compile(r"^( *)(?:- )?([A-Za-z][\w./-]*):(?: |$)")


def recorded_of(version):
    """What a real node of this release answered its own talosctl; of 1.13 none was recorded."""
    own = RECORDED.with_name(f"talosctl-{version}.json")
    return own if own.exists() else RECORDED


def normal(text):
    """One line without addresses and numbers."""
    text = ADDRESS.sub("ADDRESS", UUID.sub("UUID", text))
    return re.sub(r"\s+", " ", SIZE.sub("SIZE", NUMBER.sub("N", text))).strip()


def yaml_keys(text):
    """Paths of the keys of simple YAML, without values."""
    keys, path = set(), []
    for line in text.splitlines():
        found = KEY.match(line)
        if not found:
            continue
        depth = len(found[1])
        path = [(at, key) for at, key in path if at < depth] + [(depth, found[2])]
        keys.add(".".join(key for _, key in path))
    return sorted(keys)


def json_keys(value, path=""):
    keys = set()
    if isinstance(value, dict):
        for key, inner in value.items():
            keys |= {path + key} | json_keys(inner, f"{path}{key}.")
    elif isinstance(value, list):
        for inner in value:
            keys |= json_keys(inner, path)
    return keys


def shape(command, code, output):
    """What of an output must be alike."""
    if code != 0:
        return {"exit": 1, "error": normal(output)}
    if command.startswith("events "):
        # What happened, and in which order, is not alike; that it is reported is.
        return {"output": "some" if output.strip() else "none"}
    if command.endswith("-o yaml"):
        return {"keys": yaml_keys(output)}
    if command.endswith("-o json"):
        value, _ = json.JSONDecoder().raw_decode(output.lstrip())
        return {"keys": sorted(json_keys(value))}
    lines = [line for line in output.splitlines() if line.strip()]
    if not lines:
        return {"output": "none"}
    if re.fullmatch(r"[A-Z][A-Z0-9 :()%/-]*", lines[0]) and "  " in lines[0].strip():
        columns = re.split(r"\s{2,}", lines[0].strip())
        return {"columns": columns, "rows": len(lines) > 1}
    heads = [normal(line.split(":")[0]) for line in lines]
    told = [head for head, before in zip(heads, [None, *heads]) if head != before]
    # How often a service reports its health depends on how long it took.
    length = len(told) if command.startswith("service ") else len(lines)
    if length > SHORT or command.startswith(("logs ", "dmesg")):
        return {"output": "some"}
    return {"lines": told}


def prepare(home, run):
    """Writes the configs that commands apply; `run` runs talosctl on the node."""
    code, own = run("get", "machineconfig", "v1alpha1", "-o", "jsonpath={.spec}")
    if code != 0:
        raise RuntimeError(f"the node does not show its config: {own}")
    (home / "own.yaml").write_text(own)
    (home / "garbage.yaml").write_text("foo: bar\n")
    (home / "unknown-key.yaml").write_text(
        own.replace("machine:\n", "machine:\n    nosuchfield: 1\n", 1))
    (home / "no-type.yaml").write_text(own.replace("type: controlplane", "type: master", 1))


def shapes(home, node, run):
    """The shape of every command's output; `run` runs talosctl on the node of that address."""
    prepare(home, run)
    found = {}
    for command in COMMANDS:
        code, output = run(*command.format(home=home, node=node).split())
        found[command] = shape(command, code, output.replace(str(home), "HOME"))
    return found


def prepare_configs(home, program):
    """Configs of a new cluster, good and bad, by talosctl itself."""
    subprocess.run([program, "gen", "config", "metal", "https://10.5.0.11:6443", "--output", home,
                    "--with-docs=false", "--with-examples=false"], check=True,
                   capture_output=True)
    own = (home / "controlplane.yaml").read_text()
    install = re.search(r"    install:\n(?:        .*\n)+", own)[0]
    (home / "garbage.yaml").write_text("foo: bar\n")
    for name, before, after in (
            ("unknown-key", "machine:\n", "machine:\n    nosuchfield: 1\n"),
            ("no-type", "type: controlplane", "type: master"),
            ("no-disk", "        disk: /dev/sda\n", ""), ("no-install", install, "")):
        (home / f"{name}.yaml").write_text(own.replace(before, after, 1))


def boots(run, limit_s=60):
    """Waits until a machine answers in maintenance mode."""
    end = time.monotonic() + limit_s
    while run("get", "machinestatus", "--insecure")[0] != 0:
        if time.monotonic() > end:
            return False
        time.sleep(0.2)
    return True


def shapes_in_maintenance(home, run):
    """`run` runs talosctl on a machine in maintenance mode; prepare_configs() was called."""
    return {f"maintenance: {command}": told_by(run, command, home, "--insecure")
            for command in IN_MAINTENANCE}


def shapes_of_installed(home, run):
    return {f"installed: {command}": told_by(run, command, home) for command in INSTALLED}


def told_by(run, command, home, *more):
    code, output = run(*command.format(home=home).split(), *more)
    return shape(command, code, output.replace(str(home), "HOME"))


def shapes_of_many(run):
    """The same of the commands that `run` runs on all nodes through one of them. They answer in any
    order, so lines have none."""
    found = {}
    for command in ON_MANY:
        code, output = run(*command.split())
        told = shape(command, code, output)
        if "error" in told:
            told = {"exit": 1, "lines": [normal(line) for line in output.splitlines() if line]}
        if "lines" in told:
            told["lines"] = sorted(set(told["lines"]))
        found[f"-n all {command}"] = told
    return found


def write(found, file):
    file.parent.mkdir(parents=True, exist_ok=True)
    rows = ",\n".join(f"{json.dumps(command)}: {json.dumps(told)}"
                      for command, told in found.items())
    file.write_text("{\n" + rows + "\n}\n")


def differences(found, recorded):
    """Commands whose shapes are not the same, with both."""
    return {command: (recorded.get(command), told) for command, told in found.items()
            if recorded.get(command) != told}


def runner(prefix, limit_s=90):
    """Runs talosctl with the given leading arguments; a run out of time has code 124. Of a command
    without an end the output so far counts, with code 0."""
    def run(*argv):
        endless = any(sign in " ".join(argv) + " " for sign in ENDLESS)
        process = subprocess.Popen([*prefix, *argv], stdin=subprocess.DEVNULL, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   errors="replace")
        try:
            output, _ = process.communicate(timeout=ENDLESS_S if endless else limit_s)
        except subprocess.TimeoutExpired:
            process.kill()
            output, _ = process.communicate()
            return (0, output) if endless else (124, "out of time")
        return process.returncode, output
    return run
