import datetime
import hashlib
import hmac
import os

import requests
from checks.steps import expect, step
from client import URLS, Refused

SIGNED = 'host;x-amz-content-sha256;x-amz-date'


def call(method, path, access, secret, query='', body=b''):
    """One request to the RADOS gateway, signed with AWS signature version 4."""
    host = URLS['rgw'].split('//')[1]
    now = datetime.datetime.now(datetime.timezone.utc).strftime('%Y%m%dT%H%M%SZ')
    digest = hashlib.sha256(body).hexdigest()
    pairs = sorted((pair + '=').split('=')[:2] for pair in query.split('&') if pair)
    query = '&'.join('='.join(pair) for pair in pairs)
    canonical = '\n'.join([method, path, query, 'host:' + host, 'x-amz-content-sha256:' + digest,
                           'x-amz-date:' + now, '', SIGNED, digest])
    scope = now[:8] + '/default/s3/aws4_request'
    text = '\n'.join(['AWS4-HMAC-SHA256', now, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = ('AWS4' + secret).encode()
    for part in (now[:8], 'default', 's3', 'aws4_request'):
        key = hmac.new(key, part.encode(), 'sha256').digest()
    signature = hmac.new(key, text.encode(), 'sha256').hexdigest()
    answer = requests.request(method, URLS['rgw'] + path + '?' + query, data=body, timeout=60, headers={
        'x-amz-date': now, 'x-amz-content-sha256': digest,
        'Authorization': 'AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%s, Signature=%s' % (
            access, scope, SIGNED, signature)})
    if answer.status_code >= 400:
        raise Refused(method, 'rgw', path, answer)
    return answer


def admin(method, path, query):
    return call(method, '/admin/' + path, os.environ['REAL_CLOUD_RGW_ACCESS_KEY'],
                os.environ['REAL_CLOUD_RGW_SECRET_KEY'], query)


def s3(it, method, path, body=b''):
    return call(method, path, it.keys['access_key'], it.keys['secret_key'], '', body)


@step('rgw: tenanted user', needs='rgw')
def user(it):
    tenant = it.tag.replace('-', '_')    # letters, digits and _ only
    it.uid = 'uid=%s%%24owner' % tenant  # tenant$user
    made = admin('PUT', 'user', it.uid + '&display-name=check').json()
    expect((made['tenant'], made['user_id']), (tenant, 'owner'))
    it.keys = made['keys'][0]
    yield
    admin('DELETE', 'user', it.uid + '&purge-data=true')


@step('rgw: user quota', needs='rgw')
def quota(it):
    admin('PUT', 'user', 'quota=&quota-type=user&enabled=true&max-objects=2&' + it.uid)
    expect(admin('GET', 'user', 'quota=&quota-type=user&' + it.uid).json()['max_objects'], 2)


@step("rgw: bucket, made over S3 with the user's key", needs='rgw')
def bucket(it):
    s3(it, 'PUT', '/check')
    expect(admin('GET', 'bucket', it.uid).json(), ['check'])


@step('rgw: object', needs='rgw')
def one_object(it):
    s3(it, 'PUT', '/check/one', b'1')
    expect(s3(it, 'GET', '/check/one').text, '1')


STEPS = (user, quota, bucket, one_object)
