import { assert, layer } from "@effect/vitest"
import { areas } from "@portico/contract/areas"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Context, Effect, Layer } from "effect"
import { Cast, mint, operator, person } from "../harness/Cast.ts"
import { type Dialled, dialled, type Raw } from "../kubernetes/ClusterStream.ts"
import { Clustered, ClusterTap, eventually, failed, home } from "../kubernetes/ClusterTap.ts"
import { type Answer, withoutChance } from "../harness/http.ts"
import { jsonOf, type Plane, planes, TestGateway } from "../harness/TestGateway.ts"

/** People of acme: its owner, a customer-admin and a full member. */
class People extends Context.Service<People, Readonly<Record<"owner" | "admin" | "member", string>>>()(
  "portico/gateway/test/People"
) {
  static readonly layer = Layer.effect(
    People,
    Effect.gen(function* () {
      const { acme } = yield* Cast
      return {
        owner: yield* person("olga", ["customer-owner"], acme.projectId, "customer-owner"),
        admin: yield* person("adam", ["customer-admin"], acme.projectId, "customer-admin"),
        member: yield* person("mary", ["customer"], acme.projectId, "customer")
      }
    })
  )
}

const Stage = Layer.provideMerge(People.layer, Clustered)

interface Asking {
  readonly plane?: Plane
  readonly token?: string
  readonly body?: unknown
}

const ask = Effect.fnUntraced(function* (method: string, path: string, { plane = "customer", ...asked }: Asking = {}) {
  const { call } = yield* TestGateway
  return yield* call(plane, method, path, { token: (yield* People).owner, ...asked })
})

/** As the owner, and it has to succeed. */
const done = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
  const answer = yield* ask(method, path, { body })
  assert.isBelow(answer.status, 300, `${method} ${path}: ${answer.text}`)
  return jsonOf(answer)
})

const policy = (ou: string, more: object) => done("PUT", "/v1/access/policy", { ou, ...more })
const noPolicy = (ou: string) => done("DELETE", `/v1/access/policy?ou=${ou}`)

/** A credential of acme in a unit of its own. */
let made = 0
const inUnit = Effect.gen(function* () {
  const { acme } = yield* Cast
  const ou = `unit-${(made += 1)}`
  const { credential_id, pat } = yield* mint(acme.tokens[2], 2, ou)
  yield* done("POST", "/v1/org/ous", { path: ou })
  yield* done("PUT", `/v1/org/ous/${ou}/members/${credential_id}`)
  return { ou, credentialId: credential_id, token: pat }
})

const refusalOf = (ou: string, deny: string) => ({
  detail:
    `The access policy of ${ou === "" ? "the whole account" : `the organisation unit '${ou}'`} denies '${deny}'. ` +
    "GET /v1/org/effective shows the effective policy.",
  code: "policy_denied"
})

const over = (raw: Raw) => eventually(Effect.sync(() => assert.isDefined(raw.over())))

layer(Stage)("access policies", (it) => {
  it.effect("a lowered tier applies to whoami and to refusals from the next call, on both planes", () =>
    Effect.gen(function* () {
      const { ou, token } = yield* inUnit
      const whoami = Effect.forEach(planes, (plane) => ask("GET", "/v1/whoami", { plane, token }))
      assert.deepStrictEqual(
        (yield* whoami).map((_) => jsonOf(_).tier),
        [2, 2]
      )
      yield* policy(ou, { max_tier: 0 })
      assert.deepStrictEqual(
        (yield* whoami).map((_) => jsonOf(_).tier),
        [0, 0]
      )

      const tiers = "Tiers: 0 read-only, 1 operate (writes), 2 destructive (deletes)."
      const told = (what: string, needed: number) =>
        `Insufficient credential tier: ${what} requires tier ${needed}, the caller's credential is tier 0. ${tiers}`
      for (const plane of planes) {
        const proxied = yield* ask("POST", "/v1/iaas/compute/servers", { plane, token, body: {} })
        assert.deepStrictEqual([proxied.status, jsonOf(proxied).detail], [403, told("POST", 1)])
        const cluster = yield* ask("DELETE", `/v1/kubernetes${yield* home}/pods/web`, { plane, token })
        assert.deepStrictEqual([cluster.status, jsonOf(cluster).detail], [403, told("DELETE", 2)])
        const first = yield* ask("DELETE", "/v1/credentials/any", { plane, token })
        assert.deepStrictEqual(
          [first.status, jsonOf(first).detail],
          [403, `${told("this action", 2)} Create a higher-tier credential under POST /v1/credentials.`]
        )
        const body = { kind: "api-key", tier: 1, label: "above" }
        assert.strictEqual((yield* ask("POST", "/v1/credentials", { plane, token, body })).status, 403)
        assert.strictEqual((yield* ask("GET", "/v1/iaas/compute/servers", { plane, token })).status, 200)
      }
      yield* noPolicy(ou)
      assert.deepStrictEqual(
        (yield* whoami).map((_) => jsonOf(_).tier),
        [2, 2]
      )
    })
  )

  /** Method, path, and the tier that it needs, by area. */
  const calls: ReadonlyArray<readonly [area: string, method: string, path: string, needed: 0 | 1 | 2]> = [
    ["compute", "GET", "/v1/iaas/compute/servers", 0],
    ["compute", "HEAD", "/v1/iaas/compute/servers", 0],
    ["compute", "POST", "/v1/iaas/compute/os-keypairs", 1],
    ["compute", "DELETE", "/v1/iaas/compute/servers/none", 2],
    ["compute", "DELETE", "/v1/iaas/compute/servers/none/os-volume_attachments/none", 1],
    ["compute", "GET", "/v1/autoscaling/groups", 0],
    ["compute", "POST", "/v1/autoscaling/groups", 1],
    ["compute", "PATCH", "/v1/autoscaling/groups/none", 1],
    ["compute", "POST", "/v1/autoscaling/groups/none/policies/none/trigger", 1],
    ["compute", "DELETE", "/v1/autoscaling/groups/none", 2],
    ["compute", "GET", "/v1/metrics/instances/none/history", 0],
    ["autoscaling", "POST", "/v1/autoscaling/groups", 1],
    ["autoscaling", "PATCH", "/v1/alarms/none", 1],
    ["compute", "PATCH", "/v1/alarms/none", 1],
    ["alarms", "GET", "/v1/alarms", 0],
    ["metrics", "GET", "/v1/metrics/instances/none/history", 0],
    ["network", "GET", "/v1/iaas/network/networks", 0],
    ["network", "GET", "/v1/nat-gateways", 0],
    ["network", "POST", "/v1/nat-gateways", 1],
    ["network", "DELETE", "/v1/nat-gateways/ngw-none", 2],
    ["nat-gateways", "POST", "/v1/nat-gateways", 1],
    ["volume", "PUT", "/v1/iaas/volume/volumes/none", 1],
    ["image", "PATCH", "/v1/iaas/image/images/none", 1],
    ["dns", "GET", "/v1/iaas/dns/zones", 0],
    ["load-balancer", "GET", "/v1/iaas/load-balancer/lbaas/loadbalancers", 0],
    ["key-manager", "GET", "/v1/iaas/key-manager/v1/secrets", 0],
    ["identity", "GET", "/v1/iaas/identity/regions", 0],
    ["credentials", "GET", "/v1/credentials", 0],
    ["credentials", "POST", "/v1/credentials", 1],
    ["credentials", "DELETE", "/v1/credentials/none", 2],
    ["quotas", "GET", "/v1/quotas", 0],
    ["whoami", "GET", "/v1/whoami", 0],
    ["org", "GET", "/v1/org/ous", 0],
    ["access", "GET", "/v1/access/policy", 0],
    ["kubernetes", "GET", "/v1/kubernetes/version", 0],
    ["kubernetes", "POST", "/v1/kubernetes/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", 0],
    ["kubernetes", "GET", "/v1/kubernetesHOME/pods", 0],
    ["kubernetes", "GET", "/v1/kubernetesHOME/secrets", 1],
    ["kubernetes", "GET", "/v1/kubernetesHOME/pods/web/exec?command=id", 1],
    ["kubernetes", "POST", "/v1/kubernetesHOME/pods/web/eviction", 2],
    ["kubernetes", "DELETE", "/v1/kubernetesHOME/pods/web", 2]
  ]
  const levels = ["read", "operate", "destroy"] as const

  it.effect("each deny applies to its area's calls at its tier or above, and to no others", () =>
    Effect.gen(function* () {
      const tap = yield* ClusterTap
      const cloud = yield* SimulatedCloud
      const { ou, token } = yield* inUnit
      const prefix = yield* home
      for (const [area, method, written, needed] of calls) {
        const path = written.replace("HOME", prefix)
        for (const deny of [area, ...levels.map((_) => `${area}:${_}`)]) {
          const from = deny === area ? 0 : levels.findIndex((_) => deny.endsWith(`:${_}`))
          const because = `${method} ${path} under ${deny}`
          yield* policy(ou, { denies: [deny] })
          yield* tap.forget
          yield* cloud.clearCalls
          const answer = yield* ask(method, path, { token, ...(needed === 1 ? { body: {} } : {}) })
          if (needed < from) {
            assert.notInclude(answer.text, "access policy", because)
            continue
          }
          assert.strictEqual(answer.status, 403, because)
          const body = refusalOf(ou, deny)
          const wanted = area === "kubernetes" ? failed(403, "Forbidden", body.code, body.detail) : body
          if (method !== "HEAD") assert.deepStrictEqual(jsonOf(answer), wanted, because)
          assert.deepStrictEqual(yield* tap.seen, [], because)
          assert.deepStrictEqual(
            (yield* cloud.calls).filter((_) => _.service !== "zitadel"),
            [],
            because
          )
        }
      }
      // Of every other area, the same calls go on.
      yield* policy(ou, { denies: areas.filter((_) => _ !== "compute") })
      assert.strictEqual((yield* ask("GET", "/v1/iaas/compute/servers", { token })).status, 200)
      yield* policy(ou, { denies: areas.filter((_) => _ !== "compute" && _ !== "autoscaling") })
      assert.strictEqual((yield* ask("GET", "/v1/autoscaling/groups", { token })).status, 200)
      yield* noPolicy(ou)
    })
  )

  it.effect("a deny of databases applies to their objects in the cluster, and no others", () =>
    Effect.gen(function* () {
      const { ou, token } = yield* inUnit
      const own = (yield* home).replace("/api/v1", "")
      const objects = {
        databases: [`/apis/postgresql.cnpg.io/v1${own}/clusters`, `/apis/kafka.strimzi.io/v1beta2${own}/kafkas`],
        edge: [`/apis/gateway.networking.k8s.io/v1${own}/httproutes`]
      }
      for (const area of ["databases", "edge"] as const) {
        for (const path of objects[area]) {
          yield* policy(ou, { denies: [`${area}:destroy`] })
          const one = `/v1/kubernetes${path}/one`
          const { code, detail } = refusalOf(ou, `${area}:destroy`)
          const deleted = yield* ask("DELETE", one, { token })
          assert.deepStrictEqual(jsonOf(deleted), failed(403, "Forbidden", code, detail))
          assert.notStrictEqual((yield* ask("GET", one, { token })).status, 403)
          yield* policy(ou, { denies: [area] })
          assert.strictEqual((yield* ask("GET", `/v1/kubernetes${path}`, { token })).status, 403)
          assert.notStrictEqual((yield* ask("GET", `/v1/kubernetes${yield* home}/pods`, { token })).status, 403)
        }
      }
      yield* noPolicy(ou)
    })
  )

  it.effect("kubernetes:destroy denies writes that make the cluster delete, and no others", () =>
    Effect.gen(function* () {
      const tap = yield* ClusterTap
      const { ou, token } = yield* inUnit
      yield* policy(ou, { denies: ["kubernetes:destroy"] })
      yield* tap.forget
      const path = `/v1/kubernetes${yield* home}/services/web`
      const owned = { metadata: { name: "web", ownerReferences: [{ kind: "ConfigMap", name: "gone", uid: "1" }] } }
      const refused = yield* ask("PUT", path, { token, body: owned })
      const { code, detail } = refusalOf(ou, "kubernetes:destroy")
      assert.deepStrictEqual(JSON.parse(refused.text), failed(403, "Forbidden", code, detail))
      assert.deepStrictEqual(yield* tap.seen, [])
      const body = { metadata: { name: "web" }, spec: { ports: [{ port: 80 }] } }
      const made = yield* ask("PUT", path, { token, body })
      assert.strictEqual(made.status, 201, made.text)
      yield* noPolicy(ou)
      const free = yield* ask("DELETE", path, { token })
      assert.strictEqual(free.status, 200, free.text)
    })
  )

  const ways: ReadonlyArray<Dialled> = [
    {},
    { method: "POST", protocol: "SPDY/3.1", headers: { "X-Stream-Protocol-Version": "v4.channel.k8s.io" } }
  ]
  for (const way of ways) {
    it.effect(`an upgraded connection is refused like the call: ${way.method ?? "GET"}`, () =>
      Effect.gen(function* () {
        const tap = yield* ClusterTap
        const { ou, token } = yield* inUnit
        const path = `${yield* home}/pods/web/exec?command=id`
        yield* policy(ou, { denies: ["kubernetes:operate"] })
        yield* tap.forget
        const raw = yield* dialled(path, { ...way, token })
        yield* over(raw)
        assert.strictEqual(raw.status, 403)
        const { code, detail } = refusalOf(ou, "kubernetes:operate")
        assert.deepStrictEqual(JSON.parse(raw.body().toString()), failed(403, "Forbidden", code, detail))
        assert.deepStrictEqual(yield* tap.seen, [])

        yield* policy(ou, { max_tier: 0 })
        const lowered = yield* dialled(path, { ...way, token })
        yield* over(lowered)
        assert.strictEqual(lowered.status, 403)
        assert.include(lowered.body().toString(), "requires tier 1, the caller's credential is tier 0")
        yield* noPolicy(ou)
      })
    )
  }

  it.effect("a policy applies to its account alone, and without a unit to all of it", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const people = yield* People
      yield* policy("", { denies: ["quotas"] })
      for (const token of [...acme.tokens, ...Object.values(people)]) {
        const answer = yield* ask("GET", "/v1/quotas", { token })
        assert.deepStrictEqual([answer.status, jsonOf(answer)], [403, refusalOf("", "quotas")])
      }
      assert.strictEqual((yield* ask("GET", "/v1/quotas", { token: globex.tokens[0] })).status, 200)
      const project = `/v1/quotas?project=${acme.projectId}`
      assert.strictEqual((yield* ask("GET", project, { plane: "operator", token: operator })).status, 200)
      yield* noPolicy("")
      for (const token of acme.tokens) assert.strictEqual((yield* ask("GET", "/v1/quotas", { token })).status, 200)
    })
  )

  it.effect("an owner can change any policy, and no other caller that it lowers or denies can", () =>
    Effect.gen(function* () {
      const { admin, owner } = yield* People
      yield* policy("", { max_tier: 0, denies: ["org", "access", "credentials"] })
      assert.strictEqual(jsonOf(yield* ask("GET", "/v1/whoami", { token: owner })).tier, 0)
      const body = { ou: "", max_tier: 2 }
      const attempts = [
        ["PUT", "/v1/access/policy", body],
        ["DELETE", "/v1/access/policy?ou=", undefined],
        ["POST", "/v1/org/ous", { path: "escape" }],
        ["PUT", "/v1/org/ous/escape/members/any", undefined]
      ] as const
      for (const [method, path, body] of attempts) {
        assert.strictEqual((yield* ask(method, path, { token: admin, body })).status, 403, `${method} ${path}`)
      }
      assert.deepStrictEqual(jsonOf(yield* ask("GET", "/v1/org/effective", { token: admin })), refusalOf("", "org"))
      assert.strictEqual((yield* ask("GET", "/v1/credentials", { token: owner })).status, 403)
      assert.strictEqual(jsonOf(yield* ask("GET", "/v1/org/effective")).effective_tier, 0)
      assert.strictEqual((yield* ask("GET", "/v1/access/policy")).status, 200)

      // Operating is not enough for a change either.
      yield* policy("", { max_tier: 1 })
      for (const [method, path, body] of attempts) {
        const answer = yield* ask(method, path, { token: admin, body })
        assert.include(answer.text, "requires tier 2, the caller's credential is tier 1", `${method} ${path}`)
      }
      yield* noPolicy("")
      assert.strictEqual((yield* ask("PUT", "/v1/access/policy", { token: admin, body })).status, 200)
      yield* noPolicy("")
    })
  )

  it.effect("a platform administrator can change any named account's policy", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      yield* policy("", { max_tier: 0, denies: [...areas] })
      const at = (projectId: string) => `/v1/access/policy?ou=&project_id=${projectId}`
      for (const plane of planes) {
        const shown = (projectId: string) =>
          Effect.map(
            ask("GET", `/v1/access/policy?project_id=${projectId}`, { plane, token: operator }),
            (_): ReadonlyArray<string> => jsonOf(_).policies.map((_: { readonly ou: string }) => _.ou)
          )
        if (plane === "customer") {
          const refused = yield* ask("GET", `/v1/access/policy?project_id=${acme.projectId}`, {
            plane,
            token: operator
          })
          assert.deepStrictEqual([refused.status, jsonOf(refused).code], [409, "tenant_required"])
          continue
        }
        assert.include(yield* shown(acme.projectId), "")
        assert.deepStrictEqual(yield* shown(globex.projectId), [])
      }
      const remove = (projectId: string) => ask("DELETE", at(projectId), { plane: "operator", token: operator })
      assert.strictEqual((yield* remove(globex.projectId)).status, 404)
      assert.strictEqual((yield* remove(acme.projectId)).status, 200)
      assert.strictEqual((yield* ask("GET", "/v1/credentials", { token: acme.tokens[0] })).status, 200)
    })
  )

  it.effect("another account's, an unknown and a malformed id are the same 404", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const foreign = yield* person("gina", ["customer-owner"], globex.projectId, "customer-owner")
      const { call } = yield* TestGateway
      const theirs = `theirs-${made}`
      const created = yield* call("customer", "POST", "/v1/org/ous", { token: foreign, body: { path: theirs } })
      assert.strictEqual(created.status, 201, created.text)
      const own = (yield* inUnit).ou

      const paths: ReadonlyArray<readonly [method: string, path: (id: string) => string, ids: ReadonlyArray<string>]> =
        [
          ["DELETE", (_) => `/v1/org/ous/${_}`, [theirs, "unknown", "..%2F", "UPPER"]],
          ["PUT", (_) => `/v1/org/ous/${own}/members/${_}`, [globex.credentialIds[0], "cred-unknown", "%00", "a'b"]],
          ["DELETE", (_) => `/v1/org/ous/${own}/members/${_}`, [globex.credentialIds[0], "cred-unknown", "%00"]],
          ["PUT", (_) => `/v1/org/ous/${_}/members/${acme.credentialIds[0]}`, [theirs, "unknown", "%00"]],
          ["DELETE", (_) => `/v1/access/policy?ou=${_}`, [theirs, "unknown", "%00"]],
          ["GET", (_) => `/v1/org/effective?ou=${_}`, [theirs, "unknown", "%00"]],
          ["GET", (_) => `/v1/org/effective?credential_id=${_}`, [globex.credentialIds[0], "cred-unknown", "%00"]],
          ["GET", (_) => `/v1/org/effective?user_id=${_}`, ["unknown", "%00"]],
          ["GET", (_) => `/v1/org/ous?project_id=${_}`, [globex.projectId, "unknown", "%00"]]
        ]
      for (const [method, path, ids] of paths) {
        const answers = yield* Effect.forEach(ids, (id) => ask(method, path(id)))
        for (const [at, answer] of answers.entries()) {
          const id = decodeURIComponent(ids[at] ?? "")
          assert.strictEqual(answer.status, 404, `${method} ${path(ids[at] ?? "")}: ${answer.text}`)
          const { code, detail } = jsonOf(answer)
          assert.strictEqual(code, jsonOf(answers[0]!).code)
          assert.strictEqual(
            String(detail).replace(id, "ID"),
            String(jsonOf(answers[0]!).detail).replace(ids[0] ?? "", "ID")
          )
          const names = (_: Answer) => withoutChance(_).headers.map(([name]) => name)
          assert.deepStrictEqual(names(answer), names(answers[0]!))
        }
      }
    })
  )

  const bad: ReadonlyArray<
    readonly [method: string, path: string, body: unknown, loc: ReadonlyArray<string | number>]
  > = [
    ["POST", "/v1/org/ous", { path: "" }, ["body", "path"]],
    ["POST", "/v1/org/ous", { path: "Upper" }, ["body", "path"]],
    ["POST", "/v1/org/ous", { path: "a..b" }, ["body", "path"]],
    ["POST", "/v1/org/ous", { path: ".a" }, ["body", "path"]],
    ["POST", "/v1/org/ous", { path: "a.b.c.d.e.f.g.h.i" }, ["body", "path"]],
    ["POST", "/v1/org/ous", { path: "x".repeat(64) }, ["body", "path"]],
    ["POST", "/v1/org/ous", { path: "a\n" }, ["body", "path"]],
    ["POST", "/v1/org/ous", { path: "a", parent: "b" }, ["body", "parent"]],
    ["PUT", "/v1/access/policy", { max_tier: 0 }, ["body", "ou"]],
    ["PUT", "/v1/access/policy", { ou: null }, ["body", "ou"]],
    ["PUT", "/v1/access/policy", { ou: "", max_tier: 3 }, ["body", "max_tier"]],
    ["PUT", "/v1/access/policy", { ou: "", max_tier: null }, ["body", "max_tier"]],
    ["PUT", "/v1/access/policy", { ou: "", denies: "compute" }, ["body", "denies"]],
    ["PUT", "/v1/access/policy", { ou: "", denies: Array.from({ length: 101 }, () => "dns") }, ["body", "denies"]],
    ["PUT", "/v1/access/policy", { ou: "", denies: ["computer"] }, ["body", "denies", 0]],
    ["PUT", "/v1/access/policy", { ou: "", denies: ["dns", "dns:"] }, ["body", "denies", 1]],
    ["PUT", "/v1/access/policy", { ou: "", allows: [] }, ["body", "allows"]],
    ["DELETE", "/v1/access/policy", undefined, ["query", "ou"]],
    ["GET", "/v1/access/policy?limit=0", undefined, ["query", "limit"]],
    ["GET", "/v1/org/ous?cursor=x", undefined, ["query", "cursor"]],
    ["GET", "/v1/org/effective?ou=a&user_id=b", undefined, ["query"]]
  ]
  it.effect.each(bad)("%s %s %j is a 422", ([method, path, body, loc]) =>
    Effect.gen(function* () {
      const answer = yield* ask(method, path, { body })
      assert.strictEqual(answer.status, 422, answer.text)
      const { code, detail } = jsonOf(answer)
      assert.strictEqual(code, "validation_error")
      assert.deepStrictEqual(detail[0].loc, loc)
    })
  )

  it.effect("the refusal of an unknown area lists all known ones", () =>
    Effect.gen(function* () {
      const answer = yield* ask("PUT", "/v1/access/policy", { body: { ou: "", denies: ["everything"] } })
      const [{ msg }] = jsonOf(answer).detail
      for (const area of areas) assert.include(msg, `'${area}'`)
      for (const area of ["compute", "kubernetes", "load-balancer", "credentials", "org", "access", "whoami"]) {
        assert.include(areas, area)
      }
      for (const none of ["iaas", "tenants", "journal", "signup", "signups", "health", ""]) {
        assert.notInclude(areas, none)
      }
    })
  )

  it.effect("each call after an answered change of a policy is decided by it, under concurrency", () =>
    Effect.gen(function* () {
      const { ou, token } = yield* inUnit
      const statusOf = Effect.map(ask("GET", "/v1/iaas/compute/servers", { token }), (_) => _.status)
      for (let turn = 0; turn < 20; turn++) {
        const crowd = Effect.all(
          Array.from({ length: 10 }, () => statusOf),
          { concurrency: "unbounded" }
        )
        const [, among] = yield* Effect.all([policy(ou, { denies: ["compute"] }), crowd], {
          concurrency: "unbounded"
        })
        assert.isTrue(among.every((_) => _ === 200 || _ === 403))
        assert.deepStrictEqual([...new Set(yield* crowd)], [403])
        yield* Effect.all([noPolicy(ou), crowd], { concurrency: "unbounded" })
        assert.deepStrictEqual([...new Set(yield* crowd)], [200])
      }
    })
  )
})
