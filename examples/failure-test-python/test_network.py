"""CLOUD_URL=http://127.0.0.1:8090 python3 -m unittest"""

import json
import os
import unittest
import urllib.request

from network import Neutron

CLOUD = os.environ.get("CLOUD_URL", "http://127.0.0.1:8090")

LOGIN = {
    "auth": {
        "identity": {
            "methods": ["password"],
            "password": {"user": {"name": "portico", "domain": {"id": "default"}, "password": "control-password"}},
        },
        "scope": {"project": {"name": "admin", "domain": {"id": "default"}}},
    }
}


def cloud(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    return urllib.request.urlopen(urllib.request.Request(CLOUD + path, method=method, data=data), timeout=5)


def fail_create(when, fault):
    """The next creation of a network fails."""
    rule = {"service": "neutron", "method": "POST", "path": "/v2.0/networks", "when": when, "as": fault}
    cloud("POST", "/cloud/faults", rule).close()


class EnsureNetwork(unittest.TestCase):
    def setUp(self):
        for path in ("/cloud/state", "/cloud/faults", "/cloud/calls"):
            cloud("DELETE", path).close()
        with cloud("POST", "/identity/v3/auth/tokens", LOGIN) as answer:
            self.neutron = Neutron(CLOUD + "/network/v2.0", answer.headers["X-Subject-Token"])

    def assert_made_once(self, creations):
        self.assertEqual("web", self.neutron.ensure_network("web")["name"])
        self.assertEqual(1, len(self.neutron.find_networks("web")))
        with cloud("GET", "/cloud/calls") as answer:
            asked = [call["method"] for call in json.load(answer) if call["service"] == "neutron"]
        self.assertEqual(creations, asked.count("POST"))

    def test_refused_before_the_effect(self):
        fail_create("before", {"status": 503})
        self.assert_made_once(creations=2)

    def test_answer_lost_after_the_effect(self):
        fail_create("after", "reset")
        self.assert_made_once(creations=1)

    def test_answer_is_a_failure_after_the_effect(self):
        fail_create("after", {"status": 504})
        self.assert_made_once(creations=1)


if __name__ == "__main__":
    unittest.main()
