import type { Resource } from "./Resource.ts"

/** Failures of the OpenStack proxy and its logins. */
export const iaas = {
  BadRequest: {
    /** Two readers could use different ones of two tokens. */
    twoTokens: {
      code: "two_tokens",
      detail: "Authorization and X-Auth-Token do not carry the same token",
      cause:
        "The request carries an `Authorization` header and an `X-Auth-Token` with another token. Only with OpenStack compatibility on.",
      fix: "Send one of the two."
    },
    tokenRequest: {
      code: "token_request_not_understood",
      detail:
        "The token request is not understood: it must be JSON with auth.identity.methods and one of " +
        "auth.identity.application_credential {id, secret} and auth.identity.token {id}",
      cause:
        "The body of the Keystone token call is not JSON, has a field that is not known, or lacks one. Only with OpenStack compatibility on.",
      fix: "Send the request that docs/tenants/openstack-clients.md shows, or let a client of OpenStack send it."
    }
  },
  Unauthorized: {
    authMethod: {
      code: "auth_method_refused",
      detail:
        "A token is given for an application credential (a credential's client_id and client_secret) or for a token " +
        "(a credential's pat), and for nothing else",
      cause:
        "The Keystone token call names another method than `application_credential` or `token`, or more than one. Only with OpenStack compatibility on.",
      fix: "Log in with `auth_type: v3applicationcredential` or `auth_type: v3token`."
    },
    /** The same sentence whatever is wrong with the pair: it does not disclose whether an id exists. */
    applicationCredential: {
      code: "application_credential_refused",
      detail:
        "The application credential is not accepted: its id must be a credential's client_id and its secret the " +
        "client_secret, and the credential must not be revoked",
      cause:
        "The identity provider does not accept the application credential of a Keystone token call: unknown, wrong, or revoked. Only with OpenStack compatibility on.",
      fix: "Send a credential's `client_id` as id and its `client_secret` as secret."
    }
  },
  Forbidden: {
    /** A query cannot select a tenant: the credential determines it. */
    otherProject: {
      code: "other_project",
      detail: "The query names another project than the credential's",
      cause: "The query of a proxied call filters by a project that is not the credential's.",
      fix: "Leave the parameter out: every list is already limited to the own project."
    },
    /** Done in the caller's own project, what was meant for another one would change the wrong things. */
    otherProjectsWrite: {
      code: "other_projects_write_refused",
      detail:
        "The call would change something and asks for other projects than the credential's (all_tenants, all_projects, " +
        "X-Auth-All-Projects or X-Auth-Sudo-Project-ID): leave that out, every call acts in the credential's own project",
      cause:
        "A write or a deletion through the proxy asks for all projects or for another one. In a read the same is dropped, and the answer is the own project's.",
      fix: "Leave the parameter or header out: every call acts in the credential's own project."
    },
    /** Any scope except the own project: an unknown project gets the same refusal as another tenant's. */
    tokenScope: {
      code: "token_scope_refused",
      detail: "A token is scoped to the credential's own project: name that project, or leave the scope out",
      cause:
        "A Keystone token call asks for a scope that is not the credential's own project: another project, a domain, the system, or none. Only with OpenStack compatibility on.",
      fix: "Leave the scope out, or name the credential's project."
    },
    /** Some identity routes could create credentials that bypass the gateway, so tenants reach only listed routes. */
    identityRoute: {
      code: "identity_route_refused",
      detail: "Of the identity service, tenants can read their own project, its tags, and the regions",
      cause: "The route of the identity service is not among those that tenants may reach through the proxy.",
      fix: "Use GET /v1/iaas/identity/projects/{your project}, …/tags, or /v1/iaas/identity/regions."
    },
    worldOpenSsh: {
      code: "world_open_ssh",
      detail: (by: "rule" | "address group") =>
        by === "rule"
          ? "The rule opens SSH (port 22) to every address: name a narrower source, or send the request with " +
            "allow_ssh_from_anywhere=true in its query"
          : // Rules may refer to the group already, so it is its content that opens them.
            "An address group with a prefix of length 0 can open SSH (port 22) to every address: leave the prefix out, " +
            "or send the request with allow_ssh_from_anywhere=true in its query",
      example: ["rule"],
      cause:
        "A rule of a security group would let every address reach port 22, by its prefix, by having none, or by its address group; or a prefix of length 0 would go into an address group.",
      fix: "Name a narrower prefix or a remote group, or repeat the request with `?allow_ssh_from_anywhere=true`."
    },
    externalGateway: {
      code: "external_gateway_refused",
      detail:
        "Tenant routers cannot hold an external gateway: setting, changing or removing one requires the platform " +
        "administrator role",
      cause:
        "The call would set, change or remove the external gateway of a router, or make Neutron allocate one, and the caller is not a platform administrator.",
      fix: "Leave it out: the tenant's router has its uplink since onboarding. A change of it is a platform administrator's."
    },
    imageLocations: {
      code: "image_locations_refused",
      detail:
        "The locations of an image can be neither read nor written; send its data to PUT /v1/iaas/image/images/{id}/file",
      cause: "The call would read or write where an image's data lies. No caller may, at any tier.",
      fix: "Create the image without `locations`, and upload its data with PUT …/images/{id}/file or import it."
    },
    /** An import would make Glance fetch an address that the tenant chooses. */
    imageImport: {
      code: "image_import_refused",
      detail:
        "An image is imported from its staged data (glance-direct) or copied between stores (copy-image), and from no " +
        "address: send the data to PUT /v1/iaas/image/images/{id}/file",
      cause:
        "The import would make the image service fetch the image from an address (`web-download`, `glance-download`), or is of a kind that is not known.",
      fix: "Download the image yourself, and upload it with PUT …/images/{id}/file, or stage it and import it with `glance-direct`."
    },
    /** An operation for the platform alone. */
    platformAct: {
      code: "platform_act_refused",
      detail: (act: string, why: string) => `${act} is not for tenants: ${why}`,
      example: ["POST of volumes/os-reserve", "compute attaches volumes with it"],
      cause:
        "The act is one of the platform's own services or of its administrators, such as connecting to the storage behind a volume; tenants have it at no tier.",
      fix:
        "Use the operation that the refusal names, if it names one; docs/tenants/proxy.md lists these acts with " +
        "their reasons."
    },
    giftOfAgent: {
      code: "agent_gives_nothing",
      detail: "A credential of kind mcp cannot give others access to anything: a person has to make this call",
      cause:
        "A credential of kind `mcp`, or a caller at the agent plane, tried to share a resource or to open a " +
        "console. Sharing is the offer of a volume or a zone to another project, and a change of a secret's access " +
        "list or of an image's members or visibility. The address of a console needs no credential.",
      fix: "Have a person make the call, or a credential of kind `api-key` on the API."
    },
    secretPayload: {
      code: "secret_payload_refused",
      detail:
        "The payload of a stored secret can be read by people only; machine credentials read its metadata at " +
        "/v1/iaas/key-manager/v1/secrets/{id} with Accept: application/json",
      cause:
        "A machine credential asked for the payload of a stored secret, by its path or by an `Accept` that is neither `*/*` nor `application/json`.",
      fix: "Read the metadata with `Accept: application/json`; a person reads the payload."
    }
  },
  NotFound: {
    /** Keystone's message: for any token except the request's own, whether or not it exists. */
    token: {
      code: "token_not_found",
      detail: "Could not find token",
      cause:
        "`X-Subject-Token` is missing, or is not the token that the request itself carries. Only with OpenStack compatibility on.",
      fix: "Ask with the same token in `X-Auth-Token` and `X-Subject-Token`."
    },
    service: {
      code: "service_not_found",
      detail: (segment: string) => `No platform service at '${segment}'`,
      example: ["metering"],
      cause: "The first segment behind /v1/iaas names no platform service.",
      fix: "Use one of identity, compute, network, volume, image, dns, load-balancer, key-manager."
    }
  },
  UnsupportedMediaType: {
    imagePatch: {
      code: "image_patch_media_type",
      detail:
        "A patch of an image must have Content-Type: application/openstack-images-v2.1-json-patch " +
        "or application/openstack-images-v2.0-json-patch",
      cause: "The image service does not read the media type of the patch.",
      fix: "Send `Content-Type: application/openstack-images-v2.1-json-patch`."
    }
  },
  TooManyRequests: {
    uploads: {
      code: "uploads_exhausted",
      detail: (most: number) =>
        `The tenant has ${most} uploads running with this replica already; wait until one has ended`,
      example: [200],
      cause: "The tenant streams as many bodies through the proxies of one replica as it may.",
      fix: "Wait until one has ended."
    },
    uploadsInAll: {
      code: "uploads_full",
      detail: (most: number) => `This replica takes ${most} uploads, as many as it can at once; try again later`,
      example: [2000],
      cause: "One replica of the gateway takes as many bodies through its proxies as it can at once.",
      fix: "Try again later."
    }
  }
} as const satisfies Resource
