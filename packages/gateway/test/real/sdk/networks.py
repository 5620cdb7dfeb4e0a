"""The project and its networks."""

from stage import cloud, own, prefix, step

network = cloud.network
networks = []


@step("project")
def _():
    return bool(cloud.current_project_id)


@step("network extensions")
def _():
    return len(list(network.extensions()))


@step("an extension whose name is a rule's word")
def _():
    return network.get("/extensions/auto-allocated-topology").status_code


@step("networks are created")
def _():
    networks.extend(network.create_network(name=f"{prefix}-n{n}", description="ä") for n in range(5))
    return len(networks)


@step("networks by pages")
def _():
    return own(network.networks(limit=2))


@step("networks by a name in other scripts")
def _():
    return own(network.networks(name=f"{prefix}-n1"))


@step("a network changes at its revision")
def _():
    revision = network.get_network(networks[0].id).revision_number
    return network.update_network(networks[0].id, if_revision=revision, description="x").description


@step("a network does not change at an old revision")
def _():
    return network.update_network(networks[0].id, if_revision=0, description="y").description


@step("tags of a network")
def _():
    return sorted(network.set_tags(networks[0], ["a", "b"]).tags)
