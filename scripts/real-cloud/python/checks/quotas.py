"""Set by the admin, and read back."""

from checks.steps import expect, step


@step('nova: PUT quota', needs='nova')
def nova(it):
    path = '/os-quota-sets/' + it.project
    it.admin('PUT', 'nova', path, {'quota_set': {'instances': 3, 'cores': 5}})
    expect(it.admin('GET', 'nova', path)['quota_set']['cores'], 5)


@step('cinder: PUT quota', needs='cinder')
def cinder(it):
    path = '/%s/os-quota-sets/%s' % (it.admin.project_id, it.project)
    it.admin('PUT', 'cinder', path, {'quota_set': {'volumes': 4, 'gigabytes': 50}})
    expect(it.admin('GET', 'cinder', path)['quota_set']['gigabytes'], 50)


@step('neutron: PUT quota', needs='neutron')
def neutron(it):
    path = '/v2.0/quotas/' + it.project
    it.admin('PUT', 'neutron', path, {'quota': {'network': 2, 'floatingip': 3, 'router': 2}})
    expect(it.admin('GET', 'neutron', path)['quota']['floatingip'], 3)
    yield
    it.admin('DELETE', 'neutron', path)


STEPS = (nova, cinder, neutron)
