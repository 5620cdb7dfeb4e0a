"""What was made goes again."""

from balancers import balancer, balancers
from keys import keys, secret_id
from networks import network, networks
from servers import compute, servers
from stage import each, polled, step, zone_name
from storage import image, images, volume, volumes
from zones import dns

each("a load balancer is deleted", lambda _: balancer.delete_load_balancer(_.id, cascade=True), balancers)
each("a server is deleted", compute.delete_server, servers)
each("a server is gone", lambda _: compute.wait_for_delete(_, wait=240) is not None, servers)


@step("the key pair is deleted")
def _():
    return compute.delete_keypair("kp-tmp")


@step("the group of servers is deleted")
def _():
    return [compute.delete_server_group(_) for _ in compute.server_groups()]


@step("the snapshot is deleted")
def _():
    for snapshot in volume.snapshots():
        volume.delete_snapshot(snapshot)
    return next(_ for _ in polled(lambda: next(volume.snapshots(), None)) if _ is None)


each("a volume is deleted", volume.delete_volume, volumes)
each("a network is deleted", network.delete_network, networks)
each("an image is deleted", image.delete_image, images)


@step("the secret is deleted")
def _():
    return keys.delete_secret(secret_id())


@step("the zone is deleted")
def _():
    return dns.delete_zone(dns.find_zone(zone_name)).status
