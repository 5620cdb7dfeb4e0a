import { NodeHttpClient } from "@effect/platform-node"
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { Agent } from "undici"
import { endless } from "../paging.ts"
import { make, type System } from "../System.ts"
import { longestHead } from "../Trust.ts"
import { UpstreamError } from "../UpstreamError.ts"
import { type ClusterApi, Cluster } from "./Cluster.ts"
import type { Kind } from "./kinds.ts"

/** An object of the API server. Callers decode the fields that they need. */
export const KubernetesObject = Schema.StructWithRest(
  Schema.Struct({
    apiVersion: Schema.optionalKey(Schema.String),
    kind: Schema.optionalKey(Schema.String),
    metadata: Schema.StructWithRest(Schema.Struct({ name: Schema.optionalKey(Schema.String) }), [
      Schema.Record(Schema.String, Schema.Unknown)
    ])
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)
export type KubernetesObject = typeof KubernetesObject.Type

const ObjectList = Schema.Struct({
  items: Schema.Array(KubernetesObject),
  metadata: Schema.optionalKey(Schema.Struct({ continue: Schema.optionalKey(Schema.String) }))
})

/** The namespace and name of an object. */
export interface ObjectKey {
  /** Absent for a cluster-scoped object. */
  readonly namespace?: string
  readonly name: string
}

/** An object's content beside its kind, name and namespace. */
export interface Content {
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  /** The top-level fields beside `metadata`: `spec`, `data`, `roleRef`. */
  readonly fields?: Readonly<Record<string, unknown>>
}

/** The identity that a call impersonates. */
export interface Impersonated {
  readonly user: string
  readonly group: string
}

/** The field manager of the fields that the gateway applies. */
export const fieldManager = "portico"

/** Which objects a list has. */
export interface ListOptions {
  /** Absent for those of all namespaces. */
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** The most objects; those behind them are left out. */
  readonly limit?: number
}

/**
 * The gateway's own calls of the Kubernetes API, under its own service account.
 * Tenants' calls go through the proxy with impersonation.
 */
export class Kubernetes extends Context.Service<
  Kubernetes,
  {
    /** Whether this cloud has a cluster. Without one every call fails. */
    readonly present: boolean
    /**
     * Server-side apply: creates the object, or sets its applied fields to
     * these values. Repeatable, so it is retried without a response.
     */
    apply(kind: Kind, key: ObjectKey, content: Content): Effect.Effect<KubernetesObject, UpstreamError>
    /**
     * Creates an object and returns the server's version of it, such as the
     * result of a review. The server can choose the name.
     */
    create(kind: Kind, key: Partial<ObjectKey>, content: Content): Effect.Effect<KubernetesObject, UpstreamError>
    /**
     * Whether the cluster would let a user create an object, admission
     * included. It is a dry run, so nothing is stored. Fails when the cluster
     * gives no verdict.
     */
    admits(kind: Kind, key: ObjectKey, content: Content, who: Impersonated): Effect.Effect<boolean, UpstreamError>
    /** Undefined when the object does not exist. */
    find(kind: Kind, key: ObjectKey): Effect.Effect<KubernetesObject | undefined, UpstreamError>
    list(kind: Kind, options: ListOptions): Effect.Effect<ReadonlyArray<KubernetesObject>, UpstreamError>
    /**
     * What a list that may be long comes to, by what each object adds to it. It is read in pages of `limit` objects, none
     * of which is kept. Fails when the list does not end after `pages` of them.
     */
    fold<A>(
      kind: Kind,
      options: ListOptions & { readonly limit: number; readonly pages: number },
      initial: A,
      add: (sum: A, object: KubernetesObject) => A
    ): Effect.Effect<A, UpstreamError>
    /** A merge patch (RFC 7386): null removes a field. */
    merge(kind: Kind, key: ObjectKey, patch: unknown): Effect.Effect<KubernetesObject, UpstreamError>
    /** An object that is gone is no error. Its dependents are removed in the background. */
    remove(kind: Kind, key: ObjectKey): Effect.Effect<void, UpstreamError>
  }
>()("portico/upstream/kubernetes/Kubernetes") {
  static readonly layer = Layer.effect(
    Kubernetes,
    Effect.gen(function* () {
      const { api } = yield* Cluster
      return Kubernetes.of(api === undefined ? absent : callsOf(yield* systemOf(api)))
    })
  )
}

const systemOf = Effect.fnUntraced(function* (api: ClusterApi) {
  const client = yield* api.ca === undefined ? HttpClient.HttpClient : clientWith(api.ca)
  let last: Redacted.Redacted | undefined
  return make(client, {
    upstream: "kubernetes",
    url: api.url,
    authorize: (request) =>
      Effect.map(api.token, (token) => {
        last = token
        return HttpClientRequest.bearerToken(request, token)
      }),
    rejected: Effect.suspend(() => (last === undefined ? Effect.succeed(false) : api.renewed(last)))
  })
})

const clientWith = Effect.fnUntraced(function* (ca: string) {
  const agent = yield* Effect.acquireRelease(
    Effect.sync(() => new Agent({ allowH2: false, maxHeaderSize: longestHead, connect: { ca, timeout: 5_000 } })),
    (agent) => Effect.promise(() => agent.destroy())
  )
  return yield* Effect.provideService(NodeHttpClient.makeUndici, NodeHttpClient.Dispatcher, agent)
})

const callsOf = (system: System): Kubernetes["Service"] => ({
  present: true,
  apply: (kind, key, content) =>
    system.read(
      `apply ${kind.kind}`,
      HttpClientRequest.patch(pathOf(kind, key), { urlParams: { fieldManager, force: "true" } }).pipe(
        withBody(objectOf(kind, key, content), "application/apply-patch+yaml")
      ),
      KubernetesObject
    ),
  create: (kind, key, content) =>
    system.write(
      `create ${kind.kind}`,
      HttpClientRequest.post(pathOf(kind, { namespace: key.namespace }), { urlParams: { fieldManager } }).pipe(
        withBody(objectOf(kind, key, content), "application/json")
      ),
      KubernetesObject
    ),
  admits: (kind, key, content, { group, user }) =>
    system
      .send(
        `try ${kind.kind}`,
        HttpClientRequest.post(pathOf(kind, { namespace: key.namespace }), {
          urlParams: { fieldManager, dryRun: "All" },
          headers: { "impersonate-user": user, "impersonate-group": group }
        }).pipe(withBody(objectOf(kind, key, content), "application/json"))
      )
      .pipe(
        Effect.as(true),
        Effect.catchIf(
          (error) => error.status === 403 || error.status === 422,
          () => Effect.succeed(false)
        )
      ),
  find: (kind, key) => system.find(`find ${kind.kind}`, HttpClientRequest.get(pathOf(kind, key)), KubernetesObject),
  list: (kind, options) => Effect.map(pageOf(system, kind, options), (_) => _.items),
  fold: Effect.fnUntraced(function* (kind, { pages, ...options }, initial, add) {
    let sum = initial
    let next = ""
    for (let page = 0; page < pages; page++) {
      const { items, metadata } = yield* pageOf(system, kind, { ...options, ...(next && { continue: next }) })
      for (const item of items) sum = add(sum, item)
      next = metadata?.continue ?? ""
      if (next === "") return sum
    }
    return yield* endless({ upstream: system.upstream, call: `list ${kind.kind}` }, pages)
  }),
  merge: (kind, key, patch) =>
    system.write(
      `patch ${kind.kind}`,
      HttpClientRequest.patch(pathOf(kind, key), { urlParams: { fieldManager } }).pipe(
        withBody(patch, "application/merge-patch+json")
      ),
      KubernetesObject
    ),
  remove: (kind, key) =>
    system.remove(
      `remove ${kind.kind}`,
      HttpClientRequest.delete(pathOf(kind, key), { urlParams: { propagationPolicy: "Background" } })
    )
})

const pageOf = (
  system: System,
  kind: Kind,
  { namespace, ...urlParams }: ListOptions & { readonly continue?: string }
) => system.read(`list ${kind.kind}`, HttpClientRequest.get(pathOf(kind, { namespace }), { urlParams }), ObjectList)

const withBody = (body: unknown, type: string) => HttpClientRequest.bodyText(JSON.stringify(body), type)

const objectOf = (kind: Kind, { name, namespace }: Partial<ObjectKey>, content: Content) => ({
  apiVersion: kind.apiVersion,
  kind: kind.kind,
  metadata: {
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(content.labels === undefined ? {} : { labels: content.labels }),
    ...(content.annotations === undefined ? {} : { annotations: content.annotations })
  },
  ...content.fields
})

const pathOf = (
  { apiVersion, plural }: Kind,
  { name, namespace }: { readonly namespace?: string | undefined; readonly name?: string }
): string =>
  [
    apiVersion.includes("/") ? "/apis" : "/api",
    apiVersion,
    ...(namespace === undefined ? [] : ["namespaces", encodeURIComponent(namespace)]),
    plural,
    ...(name === undefined ? [] : [encodeURIComponent(name)])
  ].join("/")

const none = new UpstreamError({
  upstream: "kubernetes",
  call: "any",
  // 404, as from the API server for an unknown resource: a retry is useless.
  status: 404,
  detail: "this cloud has no Kubernetes cluster"
})

const absent: Kubernetes["Service"] = {
  present: false,
  apply: () => Effect.fail(none),
  create: () => Effect.fail(none),
  admits: () => Effect.fail(none),
  find: () => Effect.fail(none),
  list: () => Effect.fail(none),
  fold: () => Effect.fail(none),
  merge: () => Effect.fail(none),
  remove: () => Effect.fail(none)
}
