"""
The project "service", the roles that policies name, and for every argument
SERVICE=TYPE=URL a user, a service and its endpoints in Keystone. What is there
stays.
"""

import os
import sys

from client import Cloud

# Keystone makes the first three itself. Barbican's and Octavia's policies name the others.
ROLES = ('admin', 'member', 'reader', 'service', 'creator', 'key-manager:service-admin',
         'load-balancer_member', 'load-balancer_observer', 'load-balancer_global_observer',
         'load-balancer_admin')

cloud = Cloud()


def ensure(kind, match, extra=None):
    """The id of the one that matches, which is made when there is none."""
    query = '&'.join('%s=%s' % item for item in match.items())
    found = cloud('GET', 'keystone', '/%ss?%s' % (kind, query))[kind + 's']
    if found:
        return found[0]['id']
    return cloud('POST', 'keystone', '/%ss' % kind, {kind: {**match, **(extra or {})}})[kind]['id']


def grant(project, user, role):
    cloud('PUT', 'keystone', '/projects/%s/users/%s/roles/%s' % (project, user, roles[role]))


project = ensure('project', {'name': 'service', 'domain_id': 'default'})
roles = {name: ensure('role', {'name': name}) for name in ROLES}
grant(cloud.project_id, cloud.user_id, 'key-manager:service-admin')

for entry in sys.argv[1:]:
    name, kind, url = entry.split('=')
    user = ensure('user', {'name': name, 'domain_id': 'default'}, {'password': os.environ['SERVICE_PASSWORD']})
    grant(project, user, 'admin')
    grant(project, user, 'service')
    service = ensure('service', {'name': name, 'type': kind})
    for interface in ('public', 'internal', 'admin'):
        ensure('endpoint', {'service_id': service, 'interface': interface},
               {'url': url, 'region_id': os.environ['OS_REGION_NAME']})
