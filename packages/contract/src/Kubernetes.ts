import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { callerCodes, MinimumTier } from "./Access.ts"
import { described, titled } from "./describe.ts"
import { type FailureCode, failures, failureTable } from "./Failures.ts"
import { clusterBody } from "./failures/clusterStatus.ts"
import { exampleOf } from "./failures/constructors.ts"
import { statuses } from "./failures/Resource.ts"
import { authenticated } from "./groups.ts"

const causes = "One cause. Its `reason` is the stable code of the failure."
const codeReason = "The stable code of the failure."
const causeMessage = "The same sentence as `message`."

/**
 * A failure of the gateway in the form of the API server's `Status`, so that
 * its clients understand it. The stable code is the reason of the only cause,
 * because `code` is the HTTP status here.
 */
export const ClusterStatus = Schema.Struct({
  kind: Schema.Literal("Status").annotateKey({ description: "Kubernetes' name for this form: `Status`." }),
  apiVersion: Schema.Literal("v1").annotateKey({ description: "`v1`" }),
  metadata: Schema.Record(Schema.String, Schema.Unknown).annotateKey({ description: "Empty." }),
  status: Schema.Literal("Failure").annotateKey({ description: "`Failure`" }),
  message: Schema.String.annotateKey({ description: "The message of the failure, a sentence that clients show." }),
  reason: Schema.optionalKey(Schema.String).annotateKey({
    description: "Kubernetes' word for the HTTP status, such as `Forbidden`. Absent where it has none."
  }),
  details: Schema.Struct({
    causes: Schema.Array(
      Schema.Struct({
        reason: Schema.String.annotateKey({ description: codeReason }),
        message: Schema.String.annotateKey({ description: causeMessage })
      })
    ).annotateKey({ description: causes })
  }).annotateKey({ description: "The stable code of the failure." }),
  code: Schema.Int.annotateKey({ description: "The HTTP status." }),
  detail: Schema.String.annotateKey({ description: "The same sentence as `message`, where other operations have it." })
}).annotate({ identifier: "ClusterStatus" })
export type ClusterStatus = typeof ClusterStatus.Type

/** Failures as the API server's `Status`: one response for each class, whose cause has one of the codes. */
const clusterFailures = (calls: "Read" | "Write", ...codes: ReadonlyArray<FailureCode>) =>
  Object.entries(statuses).flatMap(([tag, status]) => {
    const found = failureTable.filter((_) => _.tag === tag && codes.some((code) => code === _.code))
    const reason = Schema.Literals(found.map((_) => _.code)).annotate({
      description: [codeReason, found.map((_) => `- \`${_.code}\`: ${_.cause}`).join("\n")].join("\n\n")
    })
    const cause = Schema.Struct({
      reason,
      message: Schema.String.annotateKey({ description: causeMessage })
    })
    const body = {
      ...ClusterStatus.fields,
      details: Schema.Struct({
        causes: Schema.Array(cause).annotateKey({ description: causes })
      }).annotateKey({ description: "The stable code of the failure." }),
      code: Schema.Literal(status).annotateKey({ description: "The HTTP status." })
    }
    const schema = Schema.Struct(body).annotate({
      identifier: `Cluster${calls}${tag}`,
      examples: found.slice(0, 1).map((_) => clusterBody(status, _.code, String(exampleOf(_)["detail"]))),
      description: "A failure of the gateway, in the form of the API server's own."
    })
    return found.length === 0 ? [] : [schema.pipe(HttpApiSchema.status(status))]
  })

/** The failures of every call: of its request line and headers, its caller, and the API server. */
const always = [
  ...callerCodes,
  "header_repeated",
  "host_invalid",
  "transfer_coding",
  "path_not_canonical",
  "query_not_canonical",
  "target_invalid",
  "tier_too_low",
  "policy_denied",
  "tenant_suspended",
  "cluster_kind_refused",
  "cluster_limits_refused",
  "cluster_namespace_refused",
  "cluster_secret_refused",
  "cluster_subresource_refused",
  "cluster_token_refused",
  "not_found",
  "service_not_found",
  "namespace_unused",
  "tenant_required",
  "concurrent_deletion_state",
  "cluster_streams_exhausted",
  "cluster_streams_full",
  "uploads_exhausted",
  "uploads_full",
  "overloaded",
  "upstream_failed"
] as const

/** Those of calls that create or change: guards read their bodies. */
const ofWrites = [
  "idempotency_key_proxied",
  "body_not_json",
  "cluster_body_ambiguous",
  "cluster_egress_refused",
  "cluster_service_refused",
  "body_too_slow",
  "body_too_large",
  "too_many_values",
  "cluster_media_type",
  "encoded_body"
] as const

const success = Schema.Unknown.pipe(HttpApiSchema.status(200))
// The router answers a misspelled prefix and one without its slash, before it is known that the call is for the cluster.
const misspelled = failures("path_not_canonical", "not_found")
const reading = { success, error: [...misspelled, ...clusterFailures("Read", ...always)] }
const writing = { success, error: [...misspelled, ...clusterFailures("Write", ...always, ...ofWrites)] }

/**
 * The catch-all: everything after the prefix goes to the cluster's API server,
 * and its response comes back verbatim.
 */
export class Kubernetes extends HttpApiGroup.make("kubernetes")
  .add(
    HttpApiEndpoint.get("get", "/kubernetes/*", reading).annotateMerge(
      described(
        "Read or watch in the Kubernetes cluster",
        "Reads, lists, watches and follows logs in the tenant's namespace, and reads discovery documents " +
          "(`/version`, `/openapi/v3`). It needs tier 0; reading Secrets needs tier 1, and so does everything that " +
          "connects into a pod: `exec`, `attach`, `port-forward`, `proxy`, over WebSocket or SPDY. An agent's " +
          "credential (kind `mcp`) reads no Secret. Until something was first written, the namespace does not exist " +
          "and reads are a 404 (`namespace_unused`). A tenant may have 100 watches, followed logs and connections " +
          "open on each replica of the gateway; one more is a 429. They end within seconds when the caller loses the right."
      )
    ),
    HttpApiEndpoint.post("post", "/kubernetes/*", writing).annotateMerge(
      described(
        "Create in the Kubernetes cluster",
        "Creates an object in the tenant's namespace, or acts on one. It needs tier 1; evicting a pod needs tier 2, " +
          "and asking about one's own access (`kubectl auth can-i`) tier 0. The first write makes the namespace. " +
          "Tenants create the kinds that the description of this group lists, and others are a 403 that says why. A suspended " +
          "tenant creates nothing (403 `tenant_suspended`); evictions and connections into its pods still work. An " +
          "`Idempotency-Key` is a 400: the API server does not know it."
      )
    ),
    HttpApiEndpoint.put("put", "/kubernetes/*", writing).annotateMerge(
      described(
        "Replace in the Kubernetes cluster",
        "Replaces an object in the tenant's namespace. It needs tier 1; with `metadata.ownerReferences` it needs " +
          "tier 2, because the cluster deletes an object whose owners no longer exist, and so does a StatefulSet " +
          "whose volume claims go when it is scaled down. The refusals are those of a creation."
      )
    ),
    HttpApiEndpoint.patch("patch", "/kubernetes/*", writing).annotateMerge(
      described(
        "Change in the Kubernetes cluster",
        "Changes fields of an object in the tenant's namespace, in any of Kubernetes' four kinds of patch. It needs " +
          "tier 1; with `metadata.ownerReferences` it needs tier 2, because the cluster deletes an object whose " +
          "owners no longer exist, and so does a StatefulSet whose volume claims go when it is scaled down. A " +
          "server-side apply may also create, which a suspended tenant cannot. The other refusals are those of a " +
          "creation."
      )
    ),
    HttpApiEndpoint.delete("delete", "/kubernetes/*", reading).annotateMerge(
      described(
        "Delete in the Kubernetes cluster",
        "Deletes one object, or all of a kind (network policies by name alone), in the tenant's namespace. It needs " +
          "tier 2. Objects of every kind can be deleted, except quotas, limit ranges, roles, role bindings, the " +
          "platform's network policies (`tenant-*`) and the namespace itself."
      )
    ),
    HttpApiEndpoint.options("options", "/kubernetes/*", reading).annotateMerge(
      described(
        "Ask the Kubernetes cluster for its options",
        "Forwards an OPTIONS request under the rules of a read. It needs tier 0."
      )
    )
  )
  // The proxy itself enforces the tier: the method alone does not always determine it.
  .annotateEndpoints(MinimumTier, 0)
  .annotateMerge(
    titled(
      "Kubernetes",
      "The API of the platform's Kubernetes cluster, for `kubectl` and other clients. Use `/v1/kubernetes` of " +
        "this gateway as the server, any token of this API, and the namespace `db-` followed by the project's id. " +
        "The path is `/v1/kubernetes/` and the path in the cluster's API: " +
        "`/v1/kubernetes/api/v1/namespaces/db-<project_id>/pods`. Method, body and status pass as they are, watches " +
        "and upgraded connections included; failures of the gateway have the form of Kubernetes' `Status`.\n\n- A " +
        "tenant sees its own namespace and the discovery documents; other namespaces, nodes and lists over all " +
        "namespaces are a 404. The first write makes the namespace, with a quota that follows the tier and with " +
        "network policies that close it to others.\n" +
        "- Tenants create and change pods and their controllers (Deployment, StatefulSet, DaemonSet, ReplicaSet, " +
        "Job, CronJob), autoscalers, disruption budgets, ConfigMaps, Secrets, volume claims, service accounts, " +
        "events, leases, Services of the type ClusterIP, and network policies for ingress. Every other kind can be " +
        "read and deleted, as far as the cluster shows it (403 `cluster_kind_refused`).\n" +
        "- `POST /v1/edge/exposures` makes a public host name, not an Ingress, and `POST /v1/databases` a " +
        "database.\n" +
        "- `status`, `finalize`, `binding`, quotas, limit ranges and roles are read-only. Tokens of service " +
        "accounts are not made: mint a credential.\n" +
        "- Pods must meet the `baseline` of the Pod Security Standards.\n" +
        "- A path has one spelling: dot segments, doubled slashes and encoded letters are a 400.\n\n" +
        "On a cloud without a cluster every call is a 404 (`service_not_found`)."
    )
  )
  .pipe(authenticated) {}
