import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authenticated, MinimumTier } from "./Access.ts"
import { BadRequest } from "./Failures.ts"

/**
 * A failure of the gateway in the form of the API server's `Status`, so that
 * its clients understand it. `detail` is the contract's. The stable code is the
 * reason of the only cause, because `code` is the HTTP status here.
 */
export const ClusterStatus = Schema.Struct({
  kind: Schema.Literal("Status"),
  apiVersion: Schema.Literal("v1"),
  metadata: Schema.Record(Schema.String, Schema.Unknown),
  status: Schema.Literal("Failure"),
  message: Schema.String,
  reason: Schema.optionalKey(Schema.String),
  details: Schema.Struct({
    causes: Schema.Array(Schema.Struct({ reason: Schema.String, message: Schema.String }))
  }),
  code: Schema.Int,
  detail: Schema.String
}).annotate({ identifier: "ClusterStatus" })
export type ClusterStatus = typeof ClusterStatus.Type

const failure = (status: number) => ClusterStatus.pipe(HttpApiSchema.status(status))

const verbatim = {
  success: Schema.Unknown.pipe(HttpApiSchema.status(200)),
  // The router answers a misspelled prefix, before it is known that the call is for the cluster.
  error: [BadRequest, failure(400), failure(401), failure(403), failure(404), failure(502), failure(503)]
}

/**
 * The catch-all: everything after the prefix goes to the cluster's API server,
 * and its response comes back verbatim.
 */
export class Kubernetes extends HttpApiGroup.make("kubernetes")
  .add(
    HttpApiEndpoint.get("get", "/kubernetes/*", verbatim),
    HttpApiEndpoint.post("post", "/kubernetes/*", verbatim),
    HttpApiEndpoint.put("put", "/kubernetes/*", verbatim),
    HttpApiEndpoint.patch("patch", "/kubernetes/*", verbatim),
    HttpApiEndpoint.delete("delete", "/kubernetes/*", verbatim),
    HttpApiEndpoint.options("options", "/kubernetes/*", verbatim)
  )
  // The proxy itself enforces the tier: the method alone does not always determine it.
  .annotateEndpoints(MinimumTier, 0)
  .annotateMerge(
    OpenApi.annotations({
      title: "kubernetes",
      description:
        "Forwards to the API server of the Kubernetes cluster, watches and upgraded connections included; body and status come back verbatim."
    })
  )
  .middleware(Authenticated)
  .prefix("/v1") {}
