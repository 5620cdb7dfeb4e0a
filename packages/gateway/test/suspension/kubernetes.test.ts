import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import { dialled } from "../kubernetes/ClusterStream.ts"
import { cluster, Clustered, ClusterTap, failed, home } from "../kubernetes/ClusterTap.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"

const detail = "The tenant is suspended: running resources keep running, and nothing new can be created"
const refusal = failed(403, "Forbidden", "tenant_suspended", detail)

const toTenant = Effect.fnUntraced(function* (act: string, body?: unknown) {
  const { call } = yield* TestGateway
  const { acme } = yield* Cast
  const answer = yield* call("operator", "POST", `/v1/tenants/${acme.projectId}/${act}`, { token: operator, body })
  assert.strictEqual(answer.status, 200, answer.text)
})
const suspend = toTenant("suspend")
const moveBack = toTenant("tier", { tier: "discovery" })

interface Call {
  readonly line: string
  readonly type?: string
}

const core = "/api/v1/namespaces/*"
const at = (group: string) => `/apis/${group}/namespaces/*`

/** What tenants write at all, but for what their databases' operators bring. */
const kinds: ReadonlyArray<string> = [
  ...["configmaps", "events", "persistentvolumeclaims", "pods", "replicationcontrollers", "secrets"].map(
    (_) => `${core}/${_}`
  ),
  ...["serviceaccounts", "services"].map((_) => `${core}/${_}`),
  ...["daemonsets", "deployments", "replicasets", "statefulsets"].map((_) => `${at("apps/v1")}/${_}`),
  `${at("autoscaling/v2")}/horizontalpodautoscalers`,
  ...["cronjobs", "jobs"].map((_) => `${at("batch/v1")}/${_}`),
  `${at("coordination.k8s.io/v1")}/leases`,
  `${at("networking.k8s.io/v1")}/networkpolicies`,
  `${at("policy/v1")}/poddisruptionbudgets`,
  `${at("postgresql.cnpg.io/v1")}/backups`,
  `${at("kinds.unknown.example/v1")}/things`
]

const apply = ["application/apply-patch+yaml", "Application/Apply-Patch+YAML; charset=utf-8"]

/** Makes what is not there: a POST of every kind, a server-side apply in every spelling, and PUTs that create. */
const creating: ReadonlyArray<Call> = [
  ...kinds.map((_) => ({ line: `POST ${_}` })),
  ...kinds.flatMap((_) => apply.map((type) => ({ line: `PATCH ${_}/x`, type }))),
  { line: `PATCH ${at("apps/v1")}/deployments/x/scale`, type: "application/apply-patch+yaml" },
  // What is no known patch may be one that creates.
  { line: `PATCH ${core}/configmaps/x`, type: "application/apply-patch+cbor" },
  { line: `PATCH ${core}/configmaps/x`, type: "" },
  { line: `PATCH ${core}/configmaps/x`, type: "application/json" },
  { line: `PUT ${core}/events/x` },
  { line: `PUT ${at("events.k8s.io/v1")}/events/x` },
  { line: `PUT ${at("coordination.k8s.io/v1")}/leases/x` },
  { line: `PUT ${core}/services/x` },
  { line: `PUT ${core}/podtemplates/x` },
  { line: `PUT ${core}/endpoints/x` },
  // Sub-resources that make an object of their own.
  { line: `POST ${core}/pods/x/binding` },
  { line: `POST ${core}/serviceaccounts/x/token` }
]

const patches = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json"
]

/** Acts on what is there, takes it away, or asks. */
const acting: ReadonlyArray<Call> = [
  ...patches.flatMap((type) => [
    { line: `PATCH ${core}/configmaps/x`, type },
    { line: `PATCH ${at("apps/v1")}/deployments/x`, type: `${type}; charset=utf-8` },
    { line: `PATCH ${at("apps/v1")}/deployments/x/scale`, type }
  ]),
  { line: `PUT ${core}/configmaps/x` },
  { line: `PUT ${at("apps/v1")}/deployments/x` },
  { line: `PUT ${at("apps/v1")}/statefulsets/x/scale` },
  { line: `POST ${core}/pods/x/eviction` },
  { line: `DELETE ${core}/pods/x` },
  { line: `DELETE ${core}/pods` },
  { line: `DELETE ${at("apps/v1")}/deployments/x` },
  { line: `DELETE ${core}/persistentvolumeclaims/x` },
  { line: `GET ${core}/pods` },
  { line: `GET ${core}/pods/x/log` },
  { line: "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews" },
  { line: "POST /apis/authorization.k8s.io/v1/selfsubjectrulesreviews" },
  { line: "POST /apis/authentication.k8s.io/v1/selfsubjectreviews" }
]

/** POSTs and GETs that open a way into a pod which runs. */
const ways = ["exec?command=sh&stdout=1", "attach?stdout=1", "portforward?ports=80"]

layer(Clustered)("a suspended tenant, in the cluster", (it) => {
  const sent = Effect.fnUntraced(function* ({ line, type = "application/json" }: Call) {
    const { acme } = yield* Cast
    const [method = "", path = ""] = line.split(" ")
    const body = method === "POST" || method === "PUT" || method === "PATCH" ? "{}" : undefined
    const headers = body === undefined ? {} : { "content-type": type }
    return yield* cluster(method, path.replace("*", `db-${acme.projectId}`), { headers, body })
  })

  /** Suspended with a namespace that is there. */
  const suspendUsed = Effect.gen(function* () {
    yield* (yield* ClusterTap).script()
    yield* cluster("POST", `${yield* home}/configmaps`, { body: { metadata: { name: "first" } } })
    yield* suspend
  })

  const answering = Effect.flatMap(ClusterTap, (tap) =>
    Effect.andThen(
      tap.script((from, to) => void from.resume().once("end", () => to.end("arrived"))),
      tap.forget
    )
  )

  it.effect("creates nothing, of any kind and spelling, and no namespace", () =>
    Effect.gen(function* () {
      const tap = yield* ClusterTap
      yield* suspend
      yield* answering
      for (const call of creating) {
        const answer = yield* sent(call)
        assert.deepStrictEqual([answer.status, jsonOf(answer)], [403, refusal], `${call.line} ${call.type ?? ""}`)
      }
      assert.deepStrictEqual([yield* tap.seen, yield* tap.own], [[], []])
      yield* moveBack
      for (const call of creating) {
        assert.notInclude((yield* sent(call)).text, "tenant_suspended", `${call.line} ${call.type ?? ""}`)
      }
    }).pipe(Effect.ensuring(Effect.ignore(moveBack)))
  )

  it.effect("can still change, evict, delete and read existing objects, and review its access", () =>
    Effect.gen(function* () {
      const tap = yield* ClusterTap
      yield* suspendUsed
      yield* answering
      for (const call of acting) {
        yield* tap.forget
        const answer = yield* sent(call)
        const arrived = (yield* tap.seen).length
        assert.deepStrictEqual([answer.status, arrived], [200, 1], `${call.line} ${call.type ?? ""}: ${answer.text}`)
      }
    }).pipe(Effect.ensuring(Effect.ignore(moveBack)))
  )

  it.effect("can connect to its pods; another POST with an upgrade is refused", () =>
    Effect.gen(function* () {
      const tap = yield* ClusterTap
      yield* suspendUsed
      yield* tap.scriptUpgrade((from, socket) => {
        socket.end(
          `HTTP/1.1 101 Switching Protocols\r\nUpgrade: ${from.headers.upgrade}\r\nConnection: Upgrade\r\n\r\n`
        )
      })
      for (const way of ways) {
        for (const asked of [{}, { method: "POST", protocol: "SPDY/3.1" }]) {
          yield* tap.forget
          const raw = yield* dialled(`${yield* home}/pods/x/${way}`, asked)
          raw.socket.destroy()
          assert.deepStrictEqual([raw.status, (yield* tap.seen).length], [101, 1], way)
        }
      }
      yield* tap.forget
      for (const path of [`${yield* home}/pods`, `${yield* home}/configmaps/x`]) {
        const raw = yield* dialled(path, { method: "POST", protocol: "SPDY/3.1" })
        raw.socket.destroy()
        assert.strictEqual(raw.status, 403, path)
      }
      assert.deepStrictEqual(yield* tap.seen, [])
    }).pipe(Effect.ensuring(Effect.ignore(moveBack)))
  )
})
