from checks.steps import expect, step
from client import Cloud


@step('keystone: create project with tag', needs='keystone')
def project(it):
    it.admin = Cloud()
    it.project = it.admin('POST', 'keystone', '/projects', {'project': {
        'name': it.tag, 'domain_id': 'default', 'tags': ['gateway:test']}})['project']['id']
    yield
    it.admin('DELETE', 'keystone', '/projects/' + it.project)


@step('keystone: create user, grant roles', needs='keystone')
def user(it):
    it.user = it.admin('POST', 'keystone', '/users', {'user': {
        'name': it.tag, 'password': it.tag, 'domain_id': 'default'}})['user']['id']
    roles = {role['name']: role['id'] for role in it.admin('GET', 'keystone', '/roles')['roles']}
    for name in ('member', 'creator', 'load-balancer_member'):
        it.admin('PUT', 'keystone', '/projects/%s/users/%s/roles/%s' % (it.project, it.user, roles[name]))
    yield
    it.admin('DELETE', 'keystone', '/users/' + it.user)


@step('keystone: log in as that user, scoped to the project', needs='keystone')
def login(it):
    it.me = Cloud(it.tag, it.tag, it.tag)
    expect(it.me.project_id, it.project)


STEPS = (project, user, login)
