from checks.steps import step


def is_active(it):
    it.me.wait('octavia', '/v2/lbaas/loadbalancers/' + it.load_balancer,
               lambda answer: answer['loadbalancer']['provisioning_status'], 'ACTIVE')


@step('octavia: load balancer reaches ACTIVE', needs='octavia')
def load_balancer(it):
    it.load_balancer = it.me('POST', 'octavia', '/v2/lbaas/loadbalancers', {'loadbalancer': {
        'name': it.tag, 'vip_subnet_id': it.subnet}})['loadbalancer']['id']
    is_active(it)
    yield
    path = '/v2/lbaas/loadbalancers/' + it.load_balancer
    it.me('DELETE', 'octavia', path + '?cascade=true')
    # Deleted ones stay readable for a while.
    it.me.wait_gone('octavia', path, 60,
                    lambda answer: answer['loadbalancer']['provisioning_status'] == 'DELETED')


@step('octavia: listener', needs='octavia')
def listener(it):
    it.me('POST', 'octavia', '/v2/lbaas/listeners', {'listener': {
        'name': it.tag, 'protocol': 'HTTP', 'protocol_port': 80, 'loadbalancer_id': it.load_balancer}})
    is_active(it)


STEPS = (load_balancer, listener)
