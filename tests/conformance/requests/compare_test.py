#!/usr/bin/env python3
"""What counts as a difference between two clients' requests."""

import sys
import unittest

sys.dont_write_bytecode = True

import compare  # noqa: E402
from compare import MACHINE, STATE  # noqa: E402


def call(method, request, **more):
    return {"method": method, "request": request, "headers": {"te": ["trailers"]}} | more


def watch(**fields):
    return call(STATE + "Watch", {"namespace": "runtime", "type": "T", "id": "x", **fields})


def judged(ours, theirs, meant=None, meant_headers=None):
    return compare.judge(ours, theirs, meant or {}, meant_headers or {})


class Requests(unittest.TestCase):
    def test_the_same_requests_are_no_difference(self):
        self.assertEqual(judged([watch(options={})], [watch(options={})]), [])

    def test_a_message_that_is_not_set_is_one(self):
        found = judged([watch()], [watch(options={})])
        self.assertEqual(len(found), 1)
        self.assertIn("options: ichor None, talosctl '(set)'", found[0])

    def test_a_message_that_is_not_set_is_one_whatever_is_meant_of_its_fields(self):
        meant = {(STATE + "Watch", "options.tail_events"): "reason"}
        found = judged([watch()], [watch(options={"tail_events": 1})], meant)
        self.assertEqual(len(found), 1)
        self.assertIn(" options: ", found[0])

    def test_a_field_of_a_message(self):
        found = judged([watch(options={})], [watch(options={"tail_events": 1})])
        self.assertEqual(len(found), 1)
        self.assertIn("options.tail_events: ichor None, talosctl 1", found[0])

    def test_an_empty_request_is_compared_too(self):
        method = MACHINE + "EtcdMemberList"
        found = judged([call(method, {"query_local": True})], [call(method, {})])
        self.assertIn("query_local: ichor True, talosctl None", found[0])

    def test_the_nearest_request_of_talosctl_counts(self):
        theirs = [watch(options={"tail_events": 1}), watch(options={})]
        self.assertEqual(judged([watch(options={})], theirs), [])

    def test_an_unknown_field_is_a_difference(self):
        unknown = call(MACHINE + "Version", {}, unknown=[" 0801"])
        self.assertEqual(len(judged([unknown], [call(MACHINE + "Version", {})])), 1)

    def test_a_call_that_talosctl_was_not_seen_making(self):
        found = judged([call(MACHINE + "Read", {"path": "/x"})], [call(MACHINE + "List", {})])
        self.assertIn("talosctl was not recorded making this call", found[0])

    def test_what_is_meant_is_no_failure_until_it_no_longer_differs(self):
        method = MACHINE + "Read"
        meant = {(method, "path"): "another file"}
        ours, theirs = call(method, {"path": "/a"}), call(method, {"path": "/b"})
        self.assertEqual(judged([ours], [theirs], meant), [])
        self.assertIn("no longer different", judged([ours], [ours], meant)[0])

    def test_every_element_of_a_list_falls_under_its_name(self):
        method = MACHINE + "Reset"
        ours = call(method, {"labels": [{"name": "STATE"}]})
        meant = {(method, "labels"): "chosen by the operator"}
        self.assertEqual(judged([ours], [call(method, {})], meant), [])

    def test_headers(self):
        ours, theirs = watch(options={}), watch(options={})
        theirs["headers"] = theirs["headers"] | {"user-agent": ["grpc-go"]}
        self.assertEqual(judged([ours], [theirs]), ["header user-agent: only talosctl sends it"])
        self.assertEqual(judged([ours], [theirs], {}, {"user-agent": "reason"}), [])
        self.assertIn("no longer", judged([ours], [ours], {}, {"user-agent": "reason"})[0])

    def test_commands_ask_for_what_was_asked_for(self):
        calls = [call(STATE + "Get", {"type": "A", "id": "a"}), call(STATE + "List", {"type": "B"}),
                 call(STATE + "Watch", {"type": "C"}), call(MACHINE + "Version", {})]
        self.assertEqual(compare.commands_for(calls),
                         ([["get", "A", "a"], ["get", "B"]], [["get", "C", "-w"]]))


if __name__ == "__main__":
    unittest.main()
