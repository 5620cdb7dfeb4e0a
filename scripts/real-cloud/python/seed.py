"""What the operator of a cloud would have made: flavors, an image, an external network."""

import sys

from client import Cloud

cloud = Cloud()
selected = sys.argv[1].split()

if 'nova' in selected:
    there = [flavor['name'] for flavor in cloud('GET', 'nova', '/flavors')['flavors']]
    for name, vcpus, ram, disk in (('m1.tiny', 1, 512, 1), ('m1.small', 1, 2048, 20)):
        if name not in there:
            cloud('POST', 'nova', '/flavors', {'flavor': {
                'name': name, 'vcpus': vcpus, 'ram': ram, 'disk': disk}})

if 'glance' in selected:
    images = cloud('GET', 'glance', '/v2/images?name=test-image')['images']
    image = images[0] if images else cloud('POST', 'glance', '/v2/images', {
        'name': 'test-image', 'disk_format': 'raw', 'container_format': 'bare', 'visibility': 'public'})
    if image['status'] == 'queued':
        cloud('PUT', 'glance', '/v2/images/%s/file' % image['id'], data=b'\0' * 65536,
              headers={'Content-Type': 'application/octet-stream'})

if 'neutron' in selected:
    networks = cloud('GET', 'neutron', '/v2.0/networks?name=public')['networks']
    network = networks[0] if networks else cloud('POST', 'neutron', '/v2.0/networks', {'network': {
        'name': 'public', 'router:external': True, 'is_default': True,
        'provider:network_type': 'flat', 'provider:physical_network': 'public'}})['network']
    if not network['subnets']:
        cloud('POST', 'neutron', '/v2.0/subnets', {'subnet': {
            'name': 'public-v4', 'network_id': network['id'], 'ip_version': 4,
            'cidr': '203.0.113.0/24', 'enable_dhcp': False}})
