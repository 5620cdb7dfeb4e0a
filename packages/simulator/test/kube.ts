import { fixtures } from "@portico/simulator/Fixtures"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { callOf } from "@portico/simulator/transport"
import { Effect, Stream } from "effect"
import { ask } from "./ask.ts"

export interface Options {
  readonly json?: unknown
  readonly body?: string | Uint8Array
  readonly type?: string
  /** Whom the cluster's administrator acts as. */
  readonly as?: string
  readonly groups?: string
  readonly headers?: Readonly<Record<string, string>>
}

export const headersOf = ({ as, groups, headers, type }: Options) => ({
  authorization: `Bearer ${fixtures.kubernetes.administratorToken}`,
  ...(as === undefined ? {} : { "impersonate-user": as }),
  ...(groups === undefined ? {} : { "impersonate-group": groups }),
  ...(type === undefined ? {} : { "content-type": type }),
  ...headers
})

/** One request to the Kubernetes API, as the cluster's administrator or as whom it acts for. */
export const kube = (method: string, path: string, options: Options = {}) =>
  ask(method, `/kubernetes${path}`, {
    ...(options.json === undefined ? {} : { json: options.json }),
    ...(options.body === undefined ? {} : { body: options.body }),
    headers: headersOf(options)
  })

/** A `PATCH` in one of the four languages. */
export const patch = (
  path: string,
  type: "json" | "merge" | "strategic" | "apply",
  json: unknown,
  options: Options = {}
) =>
  kube("PATCH", path, {
    ...options,
    json,
    type: {
      json: "application/json-patch+json",
      merge: "application/merge-patch+json",
      strategic: "application/strategic-merge-patch+json",
      apply: "application/apply-patch+yaml"
    }[type]
  })

/** A namespace in which a user holds a cluster role. */
export const namespaceOf = Effect.fnUntraced(function* (name: string, user: string, role: string) {
  yield* kube("POST", "/api/v1/namespaces", { json: { metadata: { name } } })
  yield* kube("POST", `/apis/rbac.authorization.k8s.io/v1/namespaces/${name}/rolebindings`, {
    json: {
      metadata: { name: "tenant" },
      subjects: [{ kind: "User", name: user }],
      roleRef: { kind: "ClusterRole", name: role }
    }
  })
})

/** What has come of a stream so far. The stream runs until the test is over. */
export const followed = Effect.fnUntraced(function* (path: string, options: Options = {}) {
  const cloud = yield* SimulatedCloud
  const call = callOf("GET", `/kubernetes${path}`, headersOf(options), new Uint8Array())
  if (call === undefined) return yield* Effect.die(path)
  const outcome = yield* cloud.answer(call)
  if (outcome === "reset" || outcome.stream === undefined) return yield* Effect.die(outcome)
  const seen = { text: "", over: false }
  yield* Stream.runForEach(Stream.decodeText(outcome.stream), (_) => Effect.sync(() => void (seen.text += _))).pipe(
    Effect.andThen(Effect.sync(() => void (seen.over = true))),
    Effect.forkScoped({ startImmediately: true })
  )
  yield* Effect.yieldNow
  return seen
})

interface WatchEvent {
  readonly type: string
  readonly object: {
    readonly kind: string
    readonly code?: number
    readonly message?: string
    readonly metadata: { readonly name: string; readonly resourceVersion: string }
    readonly status?: { readonly phase?: string }
  }
}

export const eventsOf = (text: string): ReadonlyArray<WatchEvent> =>
  text
    .split("\n")
    .filter((_) => _ !== "")
    .map((_) => JSON.parse(_))

export const podOf = (name: string, container: Readonly<Record<string, unknown>> = {}) => ({
  metadata: { name },
  spec: { containers: [{ name: "app", image: "app:1", ...container }] }
})

export const configMap = (name: string, data: Readonly<Record<string, string>> = {}) => ({ metadata: { name }, data })
