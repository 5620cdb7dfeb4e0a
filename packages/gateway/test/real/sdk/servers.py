"""Servers, and what the compute service says of the project."""

import os

from networks import network
from stage import cloud, own, prefix, step
from storage import image, volumes

compute = cloud.compute
servers = []
(own_network,) = [_ for _ in network.networks() if _.name.endswith("-net")]


@step("a key pair")
def _():
    return compute.create_keypair(name="kp-tmp").private_key[:10]


@step("key pairs")
def _():
    return [_.name for _ in compute.keypairs()]


@step("servers become active")
def _():
    flavor, of = compute.find_flavor(os.environ["FLAVOR"]), image.find_image(os.environ["IMAGE"])
    more = {"flavor_id": flavor.id, "image_id": of.id, "networks": [{"uuid": own_network.id}]}
    servers.extend(compute.create_server(name=f"{prefix}-s{n}", metadata={"k": "wért"}, **more) for n in range(3))
    return [compute.wait_for_server(_, wait=300).status for _ in servers]


@step("servers by pages")
def _():
    return own(compute.servers(limit=1))


@step("servers by pages, without details")
def _():
    return own(compute.servers(details=False, limit=1))


@step("a server is found by a name in other scripts")
def _():
    return compute.find_server(f"{prefix}-s1").name


@step("actions of a server")
def _():
    return [_.action for _ in compute.server_actions(servers[0])]


@step("a group of servers")
def _():
    return compute.create_server_group(name="g", policy="anti-affinity").name


@step("a console")
def _():
    return sorted(compute.create_console(servers[0], "novnc"))


@step("the log of a console")
def _():
    return sorted(compute.get_server_console_output(servers[0]))


@step("a volume is attached")
def _():
    return compute.create_volume_attachment(servers[0], volume_id=volumes[0].id).volume_id == volumes[0].id


@step("limits of compute")
def _():
    return compute.get_limits().absolute.total_cores


@step("quotas of compute")
def _():
    return compute.get_quota_set(cloud.current_project_id).cores


@step("availability zones")
def _():
    return [_.name for _ in compute.availability_zones()]


@step("a tag of a server, by a newer microversion")
def _():
    return compute.put(f"/servers/{servers[0].id}/tags/tä", microversion="2.26").status_code
