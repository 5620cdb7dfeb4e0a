from checks.steps import expect, step


@step('neutron: network', needs='neutron')
def network(it):
    it.network = it.me('POST', 'neutron', '/v2.0/networks', {'network': {'name': it.tag}})['network']['id']
    yield
    it.me('DELETE', 'neutron', '/v2.0/networks/' + it.network)


@step('neutron: subnet', needs='neutron')
def subnet(it):
    it.subnet = it.me('POST', 'neutron', '/v2.0/subnets', {'subnet': {
        'network_id': it.network, 'ip_version': 4, 'cidr': '10.20.0.0/24'}})['subnet']['id']
    yield
    it.me('DELETE', 'neutron', '/v2.0/subnets/' + it.subnet)


@step('neutron: router with external gateway', needs='neutron')
def router(it):
    it.public = it.me('GET', 'neutron', '/v2.0/networks?name=public')['networks'][0]['id']
    made = it.me('POST', 'neutron', '/v2.0/routers', {'router': {
        'name': it.tag, 'external_gateway_info': {'network_id': it.public}}})['router']
    it.router = made['id']
    expect(made['status'], 'ACTIVE')
    expect(len(made['external_gateway_info']['external_fixed_ips']), 1)
    yield
    it.me('DELETE', 'neutron', '/v2.0/routers/' + it.router)


@step('neutron: router interface', needs='neutron')
def interface(it):
    path = '/v2.0/routers/%s/' % it.router
    it.me('PUT', 'neutron', path + 'add_router_interface', {'subnet_id': it.subnet})
    yield
    it.me('PUT', 'neutron', path + 'remove_router_interface', {'subnet_id': it.subnet})


@step('neutron: security group with a rule', needs='neutron')
def security_group(it):
    it.group = it.me('POST', 'neutron', '/v2.0/security-groups',
                     {'security_group': {'name': it.tag}})['security_group']['id']
    it.me('POST', 'neutron', '/v2.0/security-group-rules', {'security_group_rule': {
        'security_group_id': it.group, 'direction': 'ingress', 'ethertype': 'IPv4', 'protocol': 'tcp',
        'port_range_min': 22, 'port_range_max': 22, 'remote_ip_prefix': '0.0.0.0/0'}})
    yield
    it.me('DELETE', 'neutron', '/v2.0/security-groups/' + it.group)


@step('neutron: floating IP', needs='neutron')
def floating_ip(it):
    it.floating_ip = it.me('POST', 'neutron', '/v2.0/floatingips', {'floatingip': {
        'floating_network_id': it.public}})['floatingip']['id']
    yield
    it.me('DELETE', 'neutron', '/v2.0/floatingips/' + it.floating_ip)


STEPS = (network, subnet, router, interface, security_group, floating_ip)
