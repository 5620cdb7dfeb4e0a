"""Prints what became of each test of a run, one JSON object a line: {"id", "status", "said"}. Reads subunit from stdin."""

import json
import sys

import subunit
import testtools


def said(test):
    """The traceback of a failure, or the reason of a skip."""
    parts = [content.as_text() for name, content in test["details"].items() if "traceback" in name or name == "reason"]
    return "\n".join(parts).strip()


def print_test(test):
    failed = test["status"] != "success"
    print(json.dumps({"id": test["id"], "status": test["status"], "said": said(test) if failed else ""}))


result = testtools.StreamToDict(print_test)
result.startTestRun()
subunit.ByteStreamToStreamResult(sys.stdin.buffer, non_subunit_name="output").run(result)
result.stopTestRun()
