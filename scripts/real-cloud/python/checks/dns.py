import os

from checks.steps import expect, step


@step('designate: zone reaches ACTIVE', needs='designate')
def zone(it):
    it.zone = it.me('POST', 'designate', '/v2/zones', {
        'name': it.tag + '.example.', 'email': 'admin@example.com'})['id']
    it.me.wait('designate', '/v2/zones/' + it.zone, lambda answer: answer['status'], 'ACTIVE')
    yield
    it.me('DELETE', 'designate', '/v2/zones/' + it.zone)
    it.me.wait_gone('designate', '/v2/zones/' + it.zone)


@step('designate: record set, answered by bind9', needs='designate')
def record_set(it):
    name, path = 'www.%s.example.' % it.tag, '/v2/zones/%s/recordsets' % it.zone
    made = it.me('POST', 'designate', path, {'name': name, 'type': 'A', 'records': ['192.0.2.7']})['id']
    it.me.wait('designate', path + '/' + made, lambda answer: answer['status'], 'ACTIVE')
    expect(asked(name), '192.0.2.7')


def asked(name):
    import dns.message
    import dns.query
    host, port = os.environ['REAL_CLOUD_DNS'].split(':')
    answer = dns.query.udp(dns.message.make_query(name, 'A'), host, port=int(port), timeout=5)
    return answer.answer[0][0].address


STEPS = (zone, record_set)
