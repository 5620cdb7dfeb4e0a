"""Secrets."""

import openstack

from stage import cloud, step

keys = cloud.key_manager


def secret_id():
    """The `id` of openstacksdk's secret is its address."""
    (one,) = keys.secrets()
    return one.secret_id


@step("a secret")
def _():
    ref = keys.create_secret(name="s1", payload="p", payload_content_type="text/plain").secret_ref
    return ref.split("/")[-3:-1]


@step("secrets")
def _():
    return [_.name for _ in keys.secrets()]


@step("the payload of a secret")
def _():
    # `get_secret` takes a refusal for the payload.
    answer = keys.get(f"/secrets/{secret_id()}/payload", headers={"Accept": "text/plain"})
    openstack.exceptions.raise_from_response(answer)
    return answer.text
