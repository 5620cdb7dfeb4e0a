"""A Keystone login, and JSON calls to the services with its token."""

import os
import time

import requests

PREFIX = 'REAL_CLOUD_URL_'
URLS = {name[len(PREFIX):].lower(): url for name, url in os.environ.items() if name.startswith(PREFIX)}


class Refused(RuntimeError):
    """An answer of 400 or more."""

    def __init__(self, method, service, path, answer):
        super().__init__('%s %s %s -> %s %s' % (method, service, path, answer.status_code, answer.text[:400]))
        self.status = answer.status_code


class Cloud:
    def __init__(self, user='admin', password=None, project='admin'):
        domain = {'name': 'Default'}
        answer = requests.post(URLS['keystone'] + '/auth/tokens', timeout=60, json={'auth': {
            'identity': {'methods': ['password'], 'password': {'user': {
                'name': user, 'domain': domain, 'password': password or os.environ['OS_PASSWORD']}}},
            'scope': {'project': {'name': project, 'domain': domain}}}})
        answer.raise_for_status()
        self.token = answer.headers['X-Subject-Token']
        self.project_id = answer.json()['token']['project']['id']
        self.user_id = answer.json()['token']['user']['id']

    def __call__(self, method, service, path, body=None, headers=None, data=None):
        """The decoded JSON of the answer, or the answer itself when it is something else."""
        headers = {'X-Auth-Token': self.token, 'Accept': 'application/json', **(headers or {})}
        answer = requests.request(
            method, URLS[service] + path, json=body, data=data, headers=headers, timeout=120)
        if answer.status_code >= 400:
            raise Refused(method, service, path, answer)
        is_json = answer.text and 'json' in answer.headers.get('Content-Type', '')
        return answer.json() if is_json else answer

    def wait(self, service, path, status_of, wanted, seconds=90):
        """Polls until status_of(answer) is the wanted one."""
        end = time.monotonic() + seconds
        while True:
            status = status_of(self('GET', service, path))
            if status == wanted:
                return
            if status.upper() == 'ERROR' or time.monotonic() > end:
                raise RuntimeError('%s %s is %s, wanted %s' % (service, path, status, wanted))
            time.sleep(0.5)

    def wait_gone(self, service, path, seconds=90, is_gone=lambda answer: False):
        """Polls until the answer is 404, or says in words of its own that the thing is gone."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if is_gone(self('GET', service, path)):
                    return
            except Refused as refused:
                if refused.status == 404:
                    return
                raise
            time.sleep(0.5)
        raise RuntimeError('%s %s is still there' % (service, path))
