from checks.steps import expect, step
from client import URLS


@step('barbican: store and read a secret', needs='barbican')
def secret(it):
    ref = it.me('POST', 'barbican', '/v1/secrets', {
        'name': it.tag, 'payload': 'opensesame', 'payload_content_type': 'text/plain'})['secret_ref']
    path = ref[len(URLS['barbican']):]
    payload = it.me('GET', 'barbican', path + '/payload', headers={'Accept': 'text/plain'})
    expect(payload.text, 'opensesame')
    yield
    it.me('DELETE', 'barbican', path)


STEPS = (secret,)
