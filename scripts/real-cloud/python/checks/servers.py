from checks.steps import step


@step('nova: server reaches ACTIVE', needs='nova')
def server(it):
    flavors = {flavor['name']: flavor['id'] for flavor in it.me('GET', 'nova', '/flavors')['flavors']}
    image = it.me('GET', 'glance', '/v2/images?name=test-image')['images'][0]['id']
    it.server = it.me('POST', 'nova', '/servers', {'server': {
        'name': it.tag, 'flavorRef': flavors['m1.tiny'], 'imageRef': image,
        'networks': [{'uuid': it.network}], 'security_groups': [{'name': it.tag}]}})['server']['id']
    it.me.wait('nova', '/servers/' + it.server, lambda answer: answer['server']['status'], 'ACTIVE')
    yield
    it.me('DELETE', 'nova', '/servers/' + it.server)
    it.me.wait_gone('nova', '/servers/' + it.server)


@step('nova+neutron: floating IP on the server', needs='nova')
def reachable(it):
    port = it.me('GET', 'neutron', '/v2.0/ports?device_id=' + it.server)['ports'][0]['id']
    it.me('PUT', 'neutron', '/v2.0/floatingips/' + it.floating_ip, {'floatingip': {'port_id': port}})


STEPS = (server, reachable)
