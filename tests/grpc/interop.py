#!/usr/bin/env python3
"""Our gRPC and those of others: gRPC's interoperability tests in both directions.

usage: tests/grpc/interop.py [--only WORD]

The others are grpc-go's own interop programs and Python's grpcio, from tools/real-tools, and
Debian's gRPC (tests/grpc/debian). Each plays the client against our server and the server for our
client. NOT_OURS names every case of grpc-go that does not pass, with the reason; a case that is
neither there nor passes is a failure, and so is one that is there and passes. Environment:
GRPC_PEER names our program (default build/grpc_peer, which is built if need be).
"""

import argparse
import contextlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/conformance"))
import real_tool  # noqa: E402

NAME = "peer.test"
CASE_LIMIT_S = 120

GOOGLE = "needs credentials of Google's cloud"
LOAD_REPORTS = "load reports (ORCA) are no part of Talos' API"
# Cases that grpc-go's client knows and our server does not serve. Those with True are played all
# the same, and must fail.
NOT_OURS = {
    "compute_engine_creds": (GOOGLE, False),
    "service_account_creds": (GOOGLE, False),
    "jwt_token_creds": (GOOGLE, False),
    "per_rpc_creds": (GOOGLE, False),
    "oauth2_auth_token": (GOOGLE, False),
    "google_default_credentials": (GOOGLE, False),
    "compute_engine_channel_credentials": (GOOGLE, False),
    "orca_per_rpc": (LOAD_REPORTS, True),
    "orca_oob": (LOAD_REPORTS, False),  # it gives up after half a minute
}
# Known to grpc-go's client although its help does not say so.
SOAKS = ("rpc_soak", "channel_soak")
# Cases of grpcio's client besides those of ours.
OF_PYTHON = ("half_duplex", "client_compressed_unary")
NOT_OURS_OF_PYTHON = {
    "client_compressed_unary": "Talos compresses no message, so our server refuses them",
}
# Cases of our client that another's server does not serve.
NOT_THEIRS = {}


def built(program):
    subprocess.run(["cmake", "--build", ROOT / "build", "--target", program], check=True,
                   stdout=subprocess.DEVNULL)
    return ROOT / "build" / program


def our_program():
    named = os.environ.get("GRPC_PEER")
    return pathlib.Path(named).resolve() if named else built("grpc_peer")


def debian_program():
    return built("debian_peer")


class Certificates:
    """An authority, and a server's certificate for NAME."""

    def __init__(self, home):
        self.ca, self.certificate, self.key = (home / name for name in ("ca", "crt", "key"))
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                     "-nodes", "-days", "2", "-subj", "/CN=authority", "-keyout", home / "ca.key",
                     "-out", self.ca)
        (home / "names").write_text(f"subjectAltName=DNS:{NAME}\n")
        self.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                     "-subj", f"/CN={NAME}", "-keyout", self.key, "-out", home / "asked")
        self.openssl("x509", "-req", "-in", home / "asked", "-CA", self.ca, "-CAkey",
                     home / "ca.key", "-CAcreateserial", "-days", "2", "-extfile", home / "names",
                     "-out", self.certificate)

    @staticmethod
    def openssl(*words):
        subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)


@contextlib.contextmanager
def running(words, port_of, **options):
    """A server, and its port as `port_of` reads it from the lines that it prints."""
    with subprocess.Popen(list(map(str, words)), stdin=subprocess.PIPE, text=True,
                          **options) as process:
        try:
            lines = process.stdout or process.stderr
            yield next(port for port in map(port_of, lines) if port)
        finally:
            process.kill()


class World:
    def __init__(self, home, only):
        self.only = only
        self.certificates = Certificates(home)
        self.ours = our_program()
        self.debian = debian_program()
        self.go = real_tool.path_of("grpc-interop").parent
        self.python = [real_tool.path_of("grpcio"), HERE / "peer.py",
                       self.ours.parent / "interop/interop.desc"]
        self.wrong, self.passed = [], 0

    def note(self, title, passed, reason, told):
        """`reason` is why the case is expected to fail; empty if it is not."""
        if passed and not reason:
            self.passed += 1
            print(f"ok      {title}")
        elif not passed and reason:
            print(f"no      {title}: {reason} ({told})")
        else:
            self.wrong.append(title)
            print(f"FAILED  {title}: {told or f'passes, so take it off the list ({reason})'}")

    def chosen(self, cases):
        return [case for case in cases if self.only in case]

    # Servers.

    def server(self, program):
        pair = self.certificates.certificate, self.certificates.key
        return running([program, "serve", *pair], str.strip, stdout=subprocess.PIPE)

    def python_server(self):
        pair = self.certificates.certificate, self.certificates.key
        return running([*self.python, "serve", *pair], str.strip, stdout=subprocess.PIPE)

    def go_server(self):
        def port_of(line):
            found = re.search(r"interop server listening on .*:(\d+)", line)
            return found and found[1]
        return running([self.go / "server", "--use_tls", "--tls_cert_file",
                        self.certificates.certificate, "--tls_key_file", self.certificates.key,
                        "--port", "0"], port_of, stderr=subprocess.PIPE,
                       env=os.environ | {"GRPC_GO_LOG_SEVERITY_LEVEL": "info"})

    # Clients.

    def go_cases(self):
        """What grpc-go's client says that it knows."""
        shown = subprocess.run([self.go / "client", "-help"], capture_output=True, text=True,
                               check=False)
        part = (shown.stderr + shown.stdout).partition("Valid options are:")[2]
        return re.findall(r"^\s+(\w+) ?: ", part, re.MULTILINE) + list(SOAKS)

    def play_go(self, port):
        known = self.go_cases()
        for case in sorted(NOT_OURS.keys() - set(known)):
            self.note(f"grpc-go calls ours: {case}", False, "", "grpc-go knows no such case")
        for case in self.chosen(known):
            reason, played = NOT_OURS.get(case, ("", True))
            if not played:
                print(f"no      grpc-go calls ours: {case}: {reason}")
                continue
            done = subprocess.run(
                [self.go / "client", "--use_tls", "--use_test_ca", "--ca_file",
                 self.certificates.ca, "--server_host", "127.0.0.1", "--server_host_override",
                 NAME, "--server_port", port, "--test_case", case, "--soak_overall_timeout_seconds",
                 "60", "--soak_per_iteration_max_acceptable_latency_ms", "60000"],
                capture_output=True, text=True, check=False, timeout=CASE_LIMIT_S)
            told = " ".join((done.stderr or done.stdout).splitlines()[-1:])
            self.note(f"grpc-go calls ours: {case}", done.returncode == 0, reason, told)

    def play(self, who, program, port, cases, expected):
        """Cases of a program that prints one line for each."""
        cases = self.chosen(cases)
        if not cases:
            return
        done = subprocess.run(
            [*map(str, program), "call", str(self.certificates.ca), NAME, port, *cases],
            capture_output=True, text=True, check=False, timeout=CASE_LIMIT_S * 5)
        told = dict(line.split(" ", 1) for line in done.stdout.splitlines() if " " in line)
        for case in cases:
            said = told.get(case, f"no word of it; {done.stdout[-200:]}{done.stderr[-300:]}")
            self.note(f"{who}: {case}", said == "passed", expected.get(case, ""), said)

    @staticmethod
    def cases_of(program):
        shown = subprocess.run([program, "cases"], capture_output=True, text=True, check=True)
        return shown.stdout.split()

    def run(self):
        ours = self.cases_of(self.ours)
        with self.server(self.ours) as port:
            self.play("ours calls ours", [self.ours], port, ours, {})
            self.play_go(port)
            python = [case for case in ours if case != "four_mebibytes"] + list(OF_PYTHON)
            self.play("grpcio calls ours", self.python, port, python, NOT_OURS_OF_PYTHON)
            self.play("grpc++ calls ours", [self.debian], port, self.cases_of(self.debian), {})
        with self.server(self.debian) as port:
            self.play("ours calls grpc++", [self.ours], port, ours, NOT_THEIRS)
        with self.go_server() as port:
            self.play("ours calls grpc-go", [self.ours], port, ours, NOT_THEIRS)
        with self.python_server() as port:
            self.play("ours calls grpcio", [self.ours], port, ours, NOT_THEIRS)
        print(f"{self.passed} cases passed, {len(self.wrong)} wrong")
        return 1 if self.wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="cases whose name holds this word")
    with tempfile.TemporaryDirectory() as home:
        return World(pathlib.Path(home), parser.parse_args().only).run()


if __name__ == "__main__":
    sys.exit(main())
