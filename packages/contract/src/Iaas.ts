import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { MinimumTier } from "./Access.ts"
import { Billed, described, titled } from "./describe.ts"
import { failures } from "./Failures.ts"
import { authenticated } from "./groups.ts"

const success = Schema.Unknown.pipe(HttpApiSchema.status(200))

/** The failures of every call: of its request line and headers, and of the service. */
const always = [
  "header_repeated",
  "host_invalid",
  "transfer_coding",
  "path_not_canonical",
  "target_invalid",
  "query_not_canonical",
  "two_tokens",
  "identity_route_refused",
  "image_locations_refused",
  "other_project",
  "other_projects_write_refused",
  "platform_act_refused",
  "not_found",
  "service_not_found",
  "form_body",
  "uploads_exhausted",
  "uploads_full",
  "overloaded",
  "upstream_failed"
] as const

/** Those of calls that create or change: rules read their bodies. */
const ofWrites = [
  "idempotency_key_proxied",
  "body_not_json",
  "body_too_deep",
  "tier_too_low",
  "tenant_suspended",
  "agent_gives_nothing",
  "ceiling_reached",
  "external_gateway_refused",
  "image_import_refused",
  "platform_namespace",
  "world_open_ssh",
  "zone_file_refused",
  "zone_masters_refused",
  "body_too_slow",
  "body_too_large",
  "too_many_values",
  "encoded_body",
  "image_patch_media_type"
] as const

/** The codes of all refusals of proxied calls. */
export const proxiedFailures = [...always, ...ofWrites, "secret_payload_refused"] as const

const verbatim = { success, error: failures(...always) }
const reading = { success, error: failures(...always, "secret_payload_refused") }
const writing = { success, error: failures(...always, ...ofWrites) }
const removing = { success, error: failures(...always, "tier_too_low") }

/** The catch-all: the path after the service's segment goes to that service, and its response comes back verbatim. */
export class Iaas extends HttpApiGroup.make("iaas")
  .add(
    HttpApiEndpoint.get("get", "/iaas/*", reading).annotateMerge(
      described(
        "Read from a platform service",
        "Lists or shows resources of the service that the path names: `GET /v1/iaas/compute/servers/detail`. A " +
          "tenant sees its own resources alone: `all_tenants` is dropped, and another project in the query is a 403 " +
          "(`other_project`). HEAD works as well. Not shown to tenants: where an image's data is, how volumes are " +
          "connected, the hosts behind the cloud. The payload of a stored secret is for people alone (403 " +
          "`secret_payload_refused` for machine credentials)."
      )
    ),
    HttpApiEndpoint.post("post", "/iaas/*", writing)
      .annotateMerge(
        described(
          "Create or act in a platform service",
          "Creates a resource, or acts on one: `POST /v1/iaas/compute/servers`, `POST " +
            "/v1/iaas/compute/servers/{id}/action`. It needs tier 1; an action that destroys, such as `rebuild` of a " +
            "server or `revert` of a volume, needs tier 2. Servers, volumes, floating IPs and load balancers that " +
            "it makes are billed, from creation to deletion.\n\n" +
            "The gateway refuses (403), beside the refusals of the service itself:\n\n" +
            "- a security group rule that lets every address reach port 22, unless the query has " +
            "`allow_ssh_from_anywhere=true`;\n- an external gateway for a router: the tenant's router has one " +
            "already;\n- images from an address or a location, and quotas, flavors and other settings of the " +
            "platform;\n- in a suspended tenant, everything that creates something.\n\nAn `Idempotency-Key` is a " +
            "400: the services do not know it."
        )
      )
      .annotate(Billed, true),
    HttpApiEndpoint.put("put", "/iaas/*", writing).annotateMerge(
      described(
        "Replace in a platform service",
        "Changes a resource in the services that use PUT for it, such as `network`, and uploads the data of an " +
          "image. It needs tier 1; replacing the members of a load balancer's pool without `additive_only=true` " +
          "needs tier 2, because members that the list lacks are deleted. The refusals are those of POST. Bodies of " +
          "any size stream, except those that a rule reads: JSON of at most 1 MiB, not compressed."
      )
    ),
    HttpApiEndpoint.patch("patch", "/iaas/*", writing).annotateMerge(
      described(
        "Change in a platform service",
        "Changes fields of a resource in the services that use PATCH for it, such as `image` and `dns`. It needs " +
          "tier 1; a transfer request of a zone needs tier 2. A change of an image needs the media type " +
          "`application/openstack-images-v2.1-json-patch`, and cannot write `locations`. The refusals are those of " +
          "POST."
      )
    ),
    HttpApiEndpoint.delete("delete", "/iaas/*", removing).annotateMerge(
      described(
        "Delete in a platform service",
        "Deletes a resource: `DELETE /v1/iaas/compute/servers/{id}`. It needs tier 2, except for detaching a volume " +
          "(`DELETE /v1/iaas/compute/servers/{id}/os-volume_attachments/{volume}`), which needs tier 1. Its billing " +
          "ends then. Most services answer before the resource is removed: read it until it is a 404."
      )
    ),
    HttpApiEndpoint.options("options", "/iaas/*", verbatim).annotateMerge(
      described(
        "Ask a platform service for its options",
        "Forwards an OPTIONS request, to which most services answer with the methods of the path, or not at all."
      )
    )
  )
  // The proxy itself enforces the tier of the method: it has exceptions, and messages of its own.
  .annotateEndpoints(MinimumTier, 0)
  .annotateMerge(
    titled(
      "Platform Services",
      "The APIs of the platform's OpenStack services, as they are. Method, query and body go to the service, and " +
        "its status and body come back. The gateway makes each call as the tenant's own user in the tenant's own " +
        "project; the caller needs no token of OpenStack. The path is `/v1/iaas/`, a service, and the path in that " +
        "service's API without its version:\n\n" +
        "- `compute`: Nova, servers and keypairs: `/v1/iaas/compute/servers`\n" +
        "- `network`: Neutron, networks, routers, floating IPs, security groups: `/v1/iaas/network/floatingips`\n" +
        "- `volume`: Cinder, volumes, snapshots, backups: `/v1/iaas/volume/volumes`\n" +
        "- `image`: Glance: `/v1/iaas/image/images`\n" +
        "- `dns`: Designate: `/v1/iaas/dns/zones`\n" +
        "- `load-balancer`: Octavia, with `lbaas` or `octavia` in front: " +
        "`/v1/iaas/load-balancer/lbaas/loadbalancers`\n" +
        "- `key-manager`: Barbican, with its version: `/v1/iaas/key-manager/v1/secrets`\n" +
        "- `identity`: Keystone, to read the own project (`projects/{project_id}`), its `tags`, and `regions` " +
        "alone\n\n" +
        "A service that the cloud lacks is a 404. A path has one spelling: dot segments, doubled slashes and " +
        "encoded letters or slashes are a 400. The tier follows from the method: GET, HEAD and OPTIONS need 0, " +
        "POST, PUT and PATCH 1, DELETE 2; calls that destroy need 2 with any method, and so does an action that " +
        "the gateway does not know. Calls that are for the platform's own services or administrators, such as " +
        "connecting volumes without compute, writing quotas or moving servers between hosts, are a 403 " +
        "(`platform_act_refused`) at every tier. Another tenant's resource is a 404. In responses the gateway puts " +
        "its own address in place of the services'."
    )
  )
  .pipe(authenticated) {}
