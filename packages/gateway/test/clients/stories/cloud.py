# Follows the block of docs/tenants/clients.md, which makes `cloud`.
import json

told = {}


def refusal(call):
    try:
        call()
    except openstack.exceptions.HttpException as error:
        return [error.status_code, error.details]


told["project"] = cloud.current_project_id
told["services"] = sorted(_["type"] for _ in cloud.service_catalog)

network = cloud.create_network("by-sdk")
subnet = cloud.create_subnet(network.id, cidr="192.168.20.0/24", subnet_name="by-sdk")
group = cloud.create_security_group("by-sdk", "of the SDK")
cloud.create_security_group_rule(
    group.id, protocol="tcp", port_range_min=443, port_range_max=443, remote_ip_prefix="0.0.0.0/0"
)
told["rules"] = [_.port_range_min for _ in cloud.network.security_group_rules(security_group_id=group.id) if _.port_range_min]

volume = cloud.create_volume(1, name="by-sdk", wait=True)
told["volume"] = volume.status

flavor = next(cloud.compute.flavors())
image = next(cloud.image.images())
server = cloud.create_server(
    "by-sdk", image=image.id, flavor=flavor.id, network=network.id, security_groups=[group.name], wait=True, auto_ip=False
)
told["server"] = server.status
cloud.attach_volume(server, volume, wait=True)
told["attached"] = cloud.get_volume(volume.id).status
cloud.detach_volume(server, cloud.get_volume(volume.id), wait=True)

told["users"] = refusal(lambda: list(cloud.identity.users()))

told["deleted"] = [
    cloud.delete_server(server.id, wait=True),
    cloud.delete_volume(volume.id, wait=True),
    cloud.delete_security_group(group.id),
    cloud.delete_network(network.id),
]
told["left"] = [_.name for _ in cloud.compute.servers()]

print(json.dumps(told))
