"""Load balancers."""

from networks import network
from servers import own_network
from stage import cloud, own, prefix, step

balancer = cloud.load_balancer
balancers = []
(subnet,) = network.subnets(network_id=own_network.id)


@step("load balancers become active")
def _():
    balancers.extend(balancer.create_load_balancer(name=f"{prefix}-l{n}", vip_subnet_id=subnet.id) for n in range(2))
    return [balancer.wait_for_load_balancer(_.id, interval=1, wait=240).provisioning_status for _ in balancers]


@step("load balancers by pages")
def _():
    return own(balancer.load_balancers(limit=1))


@step("a load balancer is found by a name in other scripts")
def _():
    return balancer.find_load_balancer(f"{prefix}-l1").name


@step("load balancers by a name in other scripts")
def _():
    return own(balancer.load_balancers(name=f"{prefix}-l0"))


@step("figures of a load balancer")
def _():
    return balancer.get_load_balancer_statistics(balancers[0].id).active_connections
