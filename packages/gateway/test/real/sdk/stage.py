"""What the steps share: the cloud, and the outcomes so far."""

import functools
import os
import re
import time

import openstack

cloud = openstack.connect(load_yaml_config=False)
prefix = "ü-日本"
zone_name = os.environ["ZONE"]
outcomes = {}


def said(error):
    """The error without what differs between two runs."""
    text = re.sub(r"[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}", "<id>", str(getattr(error, "details", error)))
    return {"error": type(error).__name__, "status": getattr(error, "status_code", None), "details": text}


def step(name):
    """Runs the function that stands under it, and keeps what it returns or how it fails."""

    def run(function):
        try:
            outcomes[name] = function()
        except Exception as error:
            outcomes[name] = said(error)
        return function

    return run


def own(things):
    return sorted(_.name for _ in things if _.name.startswith(prefix))


def each(name, function, things):
    """A step for each of the things, by its number."""
    for number, thing in enumerate(things):
        step(f"{name} {number}")(functools.partial(function, thing))


def polled(look):
    """What a look shows, each second, four minutes at most."""
    for _ in range(240):
        yield look()
        time.sleep(1)
