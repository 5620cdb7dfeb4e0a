from checks.steps import expect, step


@step('glance: upload an image', needs='glance')
def image(it):
    it.image = it.me('POST', 'glance', '/v2/images', {
        'name': it.tag, 'disk_format': 'raw', 'container_format': 'bare'})['id']
    it.me('PUT', 'glance', '/v2/images/%s/file' % it.image, data=b'hello' * 1000,
          headers={'Content-Type': 'application/octet-stream'})
    expect(it.me('GET', 'glance', '/v2/images/' + it.image)['status'], 'active')
    yield
    it.me('DELETE', 'glance', '/v2/images/' + it.image)


STEPS = (image,)
