from checks.steps import step


def is_now(it, status):
    it.me.wait('cinder', '/%s/volumes/%s' % (it.project, it.volume),
               lambda answer: answer['volume']['status'], status)


def remove(it, path):
    it.me('DELETE', 'cinder', path)
    it.me.wait_gone('cinder', path)


@step('cinder: volume reaches available', needs='cinder')
def volume(it):
    it.volume = it.me('POST', 'cinder', '/%s/volumes' % it.project, {
        'volume': {'size': 1, 'name': it.tag}})['volume']['id']
    is_now(it, 'available')
    yield
    remove(it, '/%s/volumes/%s' % (it.project, it.volume))


@step('cinder: snapshot', needs='cinder')
def snapshot(it):
    made = it.me('POST', 'cinder', '/%s/snapshots' % it.project, {
        'snapshot': {'volume_id': it.volume, 'name': it.tag}})['snapshot']['id']
    path = '/%s/snapshots/%s' % (it.project, made)
    it.me.wait('cinder', path, lambda answer: answer['snapshot']['status'], 'available')
    yield
    remove(it, path)


@step('nova+cinder: attach the volume to the server', needs='nova cinder')
def attachment(it):
    path = '/servers/%s/os-volume_attachments' % it.server
    it.me('POST', 'nova', path, {'volumeAttachment': {'volumeId': it.volume}})
    is_now(it, 'in-use')
    yield
    it.me('DELETE', 'nova', '%s/%s' % (path, it.volume))
    is_now(it, 'available')


@step('nova: stop the server', needs='nova')
def stop(it):
    it.me('POST', 'nova', '/servers/%s/action' % it.server, {'os-stop': None})
    it.me.wait('nova', '/servers/' + it.server, lambda answer: answer['server']['status'], 'SHUTOFF')


STEPS = (volume, snapshot, attachment, stop)
