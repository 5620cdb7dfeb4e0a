import { assert, layer } from "@effect/vitest"
import { tierOf } from "@portico/contract/Access"
import { Effect } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import { cluster, Clustered, ClusterTap, failed } from "./ClusterTap.ts"
import { withoutChance } from "../harness/http.ts"
import { jsonOf, planes, TestGateway } from "../harness/TestGateway.ts"

const live = { excludeTestServices: true }

/** What becomes of a request: it goes on, it is not there, it needs the tier, or a rule refuses it with a code. */
type Outcome = "on" | "absent" | `${string}_refused`

interface Row {
  readonly method: string
  /** `OWN` is the own namespace, `OTHER` the other tenant's. */
  readonly path: string
  /** The lowest tier with which it goes on, or with which the outcome is told. */
  readonly tier: 0 | 1 | 2
  readonly outcome: Outcome
  /** How a refusal for the tier speaks of it, if not as the method. */
  readonly what?: string
}

const row = (method: string, path: string, tier: 0 | 1 | 2, outcome: Outcome = "on", what?: string): Row => ({
  method,
  path,
  tier,
  outcome,
  ...(what === undefined ? {} : { what })
})

const core = "/api/v1/namespaces/OWN"
const apps = "/apis/apps/v1/namespaces/OWN"
const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/OWN"

const rows: ReadonlyArray<Row> = [
  // Discovery is for everybody to read.
  ...["/api", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1", "/version", "/openapi/v2", "/openapi/v3"].flatMap(
    (path) => [row("GET", path, 0), row("POST", path, 1, "absent"), row("DELETE", path, 2, "absent")]
  ),
  row("HEAD", "/version", 0),
  row("GET", "/openapi/v3/apis/apps/v1", 0),
  // What is in the own namespace.
  row("GET", `${core}/pods`, 0),
  row("GET", `${core}/pods?limit=1`, 0),
  row("GET", `${core}/pods/web`, 0),
  row("GET", `${core}/pods/web/log`, 0),
  row("GET", `${core}/pods/web/status`, 0),
  row("POST", `${core}/pods`, 1),
  row("PUT", `${core}/pods/web`, 1),
  row("PATCH", `${core}/pods/web`, 1),
  row("DELETE", `${core}/pods/web`, 2),
  row("DELETE", `${core}/pods`, 2),
  row("GET", `${apps}/deployments`, 0),
  row("POST", `${apps}/deployments`, 1),
  row("PUT", `${apps}/deployments/web/scale`, 1),
  row("DELETE", `${apps}/deployments/web`, 2),
  row("GET", "/apis/postgresql.cnpg.io/v1/namespaces/OWN/clusters", 0),
  row("PATCH", "/apis/postgresql.cnpg.io/v1/namespaces/OWN/clusters/db", 1, "cluster_kind_refused"),
  row("DELETE", "/apis/postgresql.cnpg.io/v1/namespaces/OWN/clusters/db", 2),
  row("PUT", "/apis/postgresql.cnpg.io/v1/namespaces/OWN/clusters/db/scale", 1, "cluster_kind_refused"),
  row("POST", "/apis/postgresql.cnpg.io/v1/namespaces/OWN/backups", 1),
  row("POST", "/apis/networking.k8s.io/v1/namespaces/OWN/ingresses", 1, "cluster_kind_refused"),
  row("DELETE", "/apis/networking.k8s.io/v1/namespaces/OWN/ingresses/web", 2),
  row("POST", "/apis/networking.k8s.io/v1beta1/namespaces/OWN/ingresses", 1, "cluster_kind_refused"),
  row("POST", "/apis/gateway.networking.k8s.io/v1/namespaces/OWN/httproutes", 1, "cluster_kind_refused"),
  row("POST", "/apis/gateway.networking.k8s.io/v1alpha2/namespaces/OWN/tcproutes", 1, "cluster_kind_refused"),
  row("POST", "/apis/evil.example/v1/namespaces/OWN/things", 1, "cluster_kind_refused"),
  row("POST", `${core}/constructor`, 1, "cluster_kind_refused"),
  row("PATCH", `${core}/toString/web`, 1, "cluster_kind_refused"),
  row("PUT", `${core}/endpoints/web`, 1, "cluster_kind_refused"),
  row("PATCH", "/apis/discovery.k8s.io/v1/namespaces/OWN/endpointslices/web", 1, "cluster_kind_refused"),
  row("PATCH", `${core}/pods/web/ephemeralcontainers`, 1),
  row("PATCH", `${core}/pods/web/resize`, 1),
  row("PATCH", "/apis/networking.k8s.io/v1/namespaces/OWN/networkpolicies/tenant-default", 1, "cluster_limits_refused"),
  row(
    "DELETE",
    "/apis/networking.k8s.io/v1/namespaces/OWN/networkpolicies/tenant-default",
    2,
    "cluster_limits_refused"
  ),
  row("DELETE", "/apis/networking.k8s.io/v1/namespaces/OWN/networkpolicies", 2, "cluster_limits_refused"),
  row("DELETE", "/apis/networking.k8s.io/v1/namespaces/OWN/networkpolicies/mine", 2),
  row("DELETE", "/apis/networking.k8s.io/v1/namespaces/OWN/ingresses", 2),
  row("GET", `${rbac}/roles/system:view`, 0),
  row("GET", core, 0),
  // A GET that is more than reading.
  row("GET", `${core}/secrets`, 1, "on", "GET of secrets"),
  row("GET", `${core}/secrets/db-app`, 1, "on", "GET of secrets"),
  row("HEAD", `${core}/secrets/db-app`, 1, "on", "HEAD of secrets"),
  row("GET", `${core}/secrets?watch=1`, 1, "on", "GET of secrets"),
  row("POST", `${core}/secrets`, 1),
  row("GET", `${core}/pods/web/exec?command=id`, 1, "on", "GET of pods/exec"),
  row("POST", `${core}/pods/web/exec?command=id`, 1),
  row("GET", `${core}/pods/web/attach`, 1, "on", "GET of pods/attach"),
  row("GET", `${core}/pods/web/portforward`, 1, "on", "GET of pods/portforward"),
  row("GET", `${core}/pods/web/proxy`, 1, "on", "GET of pods/proxy"),
  row("GET", `${core}/pods/web/proxy/metrics`, 1, "on", "GET of pods/proxy"),
  row("OPTIONS", `${core}/pods/web/proxy/metrics`, 1, "on", "OPTIONS of pods/proxy"),
  row("DELETE", `${core}/pods/web/proxy/metrics`, 2),
  row("GET", `${core}/services/https:web:443/proxy/a/status`, 1, "on", "GET of services/proxy"),
  row("POST", `${core}/services/https:web:443/proxy/a/status`, 1),
  row("POST", `${core}/pods/web/eviction`, 2, "on", "POST of pods/eviction"),
  // Questions about oneself.
  row("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", 0),
  row("POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", 0),
  row("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", 0),
  row("GET", "/apis/authentication.k8s.io/v1/selfsubjectreviews", 0, "absent"),
  row("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", 1, "absent"),
  row("POST", "/apis/authentication.k8s.io/v1/tokenreviews", 1, "absent"),
  row("POST", "/apis/evil.example/v1/selfsubjectaccessreviews", 1, "absent"),
  // What would lift the tenant's own limits, or leave them.
  ...["resourcequotas", "limitranges"].flatMap((kind) => [
    row("GET", `${core}/${kind}`, 0),
    row("POST", `${core}/${kind}`, 1, "cluster_limits_refused"),
    row("PATCH", `${core}/${kind}/x`, 1, "cluster_limits_refused"),
    row("PUT", `${core}/${kind}/x/status`, 1, "cluster_limits_refused"),
    row("DELETE", `${core}/${kind}/x`, 2, "cluster_limits_refused"),
    row("DELETE", `${core}/${kind}`, 2, "cluster_limits_refused")
  ]),
  ...["roles", "rolebindings"].flatMap((kind) => [
    row("GET", `${rbac}/${kind}`, 0),
    row("POST", `${rbac}/${kind}`, 1, "cluster_limits_refused"),
    row("PUT", `${rbac}/${kind}/tenant-operators`, 1, "cluster_limits_refused"),
    row("POST", `${rbac.replace("/v1/", "/v1beta1/")}/${kind}`, 1, "cluster_limits_refused"),
    row("DELETE", `${rbac}/${kind}/tenant-operators`, 2, "cluster_limits_refused")
  ]),
  row("POST", `${core}/serviceaccounts`, 1),
  row("POST", `${core}/serviceaccounts/default/token`, 1, "cluster_token_refused"),
  row("PUT", `${core}/pods/web/status`, 1, "cluster_subresource_refused"),
  row("PATCH", `${apps}/deployments/web/status`, 1, "cluster_subresource_refused"),
  row("POST", `${core}/pods/web/binding`, 1, "cluster_subresource_refused"),
  row("POST", `${core}/bindings`, 1, "cluster_subresource_refused"),
  row("PUT", `${core}/things/x/finalize`, 1, "cluster_subresource_refused"),
  row("PATCH", core, 1, "cluster_namespace_refused"),
  row("PUT", core, 1, "cluster_namespace_refused"),
  row("DELETE", core, 2, "cluster_namespace_refused"),
  row("PUT", `${core}/finalize`, 1, "absent"),
  row("GET", `${core}/status`, 0, "absent"),
  // Everything else is not there.
  ...[
    "/",
    "/nowhere",
    "/api/v1/pods",
    "/api/v1/secrets",
    "/api/v1/nodes",
    "/api/v1/nodes/node-1/proxy/pods",
    "/api/v1/namespaces",
    "/api/v1/namespaces/OTHER",
    "/api/v1/namespaces/OTHER/pods",
    "/api/v1/namespaces/OTHER/pods?watch=1",
    "/api/v1/namespaces/OTHER/secrets/x",
    "/api/v1/namespaces/OTHER/pods/x/exec",
    "/api/v1/namespaces/kube-system/pods",
    "/api/v1/namespaces/db-/pods",
    "/api/v1/namespaces/DB-OWN/pods",
    "/api/v1/watch/namespaces/OWN/pods",
    "/api/v1/proxy/namespaces/OWN/pods/web",
    "/apis/apps/v1/deployments",
    "/apis/apps/v1/namespaces/OWN",
    "/apis/apps/v1/namespaces/OTHER/deployments",
    "/apis/apps/v1/watch/namespaces/OWN/deployments",
    "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "/api/namespaces/OWN/pods",
    "/openapi",
    "/openapi/v1",
    "/openid/v1/jwks",
    "/.well-known/openid-configuration",
    "/healthz",
    "/livez",
    "/readyz",
    "/metrics",
    "/logs",
    "/debug/pprof",
    "/version/x"
  ].flatMap((path) => [row("GET", path, 0, "absent"), row("POST", path, 1, "absent"), row("DELETE", path, 2, "absent")])
]

const tiers = "Tiers: 0 read-only, 1 operate (writes), 2 destructive (deletes)."

layer(Clustered, live)("a tenant's access to the cluster", (it) => {
  for (const { method, outcome, path, tier, what } of rows) {
    const told = outcome === "on" ? "is forwarded" : outcome === "absent" ? "is 404" : outcome
    it.effect(`${method} ${path} ${told} from tier ${tier}`, () =>
      Effect.gen(function* () {
        const { acme, globex } = yield* Cast
        const { call } = yield* TestGateway
        const tap = yield* ClusterTap
        // Nothing of it has to be there: it is enough to see whether it arrives.
        yield* tap.script((from, to) => void from.resume().once("end", () => to.end("arrived")))
        const at = path
          .replace("DB-OWN", `DB-${acme.projectId}`)
          .replace("OWN", `db-${acme.projectId}`)
          .replace("OTHER", `db-${globex.projectId}`)
        yield* cluster("POST", `/api/v1/namespaces/db-${acme.projectId}/configmaps`, { body: {} })
        for (const held of [0, 1, 2] as const) {
          for (const plane of planes) {
            // Of the two planes only the customers' tells of an allowance.
            const nowhere = yield* call(plane, "GET", "/v1/kubernetes/nowhere", { token: acme.tokens[held] })
            yield* tap.forget
            const answer = yield* call(plane, method, `/v1/kubernetes${at}`, { token: acme.tokens[held] })
            const seen = (yield* tap.seen).map((_) => `${_.method} ${_.url}`)
            const goesOn = held >= tier && outcome === "on"
            assert.deepStrictEqual(seen, goesOn ? [`${method} ${at}`] : [], `${plane} ${held}: ${answer.text}`)
            if (method === "HEAD" || goesOn) {
              assert.strictEqual(answer.status, goesOn ? 200 : 403)
              continue
            }
            if (held < tier) {
              // Who lacks the tier of the method is told of the method, whatever the path.
              const usual = tierOf(method)
              const of = held < usual ? `${method} requires tier ${usual}` : `${what ?? method} requires tier ${tier}`
              const needs = `Insufficient credential tier: ${of}`
              const detail = `${needs}, the caller's credential is tier ${held}. ${tiers}`
              assert.deepStrictEqual(jsonOf(answer), failed(403, "Forbidden", "tier_too_low", detail))
            } else if (outcome === "absent") assert.deepStrictEqual(withoutChance(answer), withoutChance(nowhere))
            else {
              assert.strictEqual(jsonOf(answer).details.causes[0].reason, outcome)
              assert.deepStrictEqual(
                jsonOf(answer),
                failed(403, "Forbidden", outcome, jsonOf(answer).detail),
                answer.text
              )
            }
            assert.match(answer.headers["x-request-id"] ?? "", /^[0-9a-f]{32}$/)
          }
        }
      })
    )
  }

  it.effect("an unreachable path is answered like an unknown route", () =>
    Effect.gen(function* () {
      const { status, text } = yield* cluster("GET", "/api/v1/pods")
      assert.deepStrictEqual([status, JSON.parse(text)], [404, failed(404, "NotFound", "not_found", "Not Found")])
    })
  )

  it.effect("a platform administrator reaches all of it on the operator plane, and nothing on the customer plane", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const tap = yield* ClusterTap
      yield* tap.script((from, to) => void from.resume().once("end", () => to.end("arrived")))
      for (const { method, path } of rows) {
        const at = path.replace("OWN", `db-${acme.projectId}`).replace("OTHER", "kube-system")
        for (const plane of planes) {
          yield* tap.forget
          const { status } = yield* call(plane, method, `/v1/kubernetes${at}`, { token: operator })
          const wanted = plane === "operator" ? [200, [at]] : [409, []]
          assert.deepStrictEqual([status, (yield* tap.seen).map((_) => _.url)], wanted, `${method} ${at}`)
        }
      }
    })
  )
})

/** Paths that can be read in two ways, below the own namespace. */
const twofold: Readonly<Record<string, string>> = {
  "an encoded letter": `${core}/%70ods`,
  "an encoded slash": `${core}/pods%2Fweb`,
  "an encoded slash in the namespace": "/api/v1/namespaces/OWN%2F..%2FOTHER/pods",
  "an encoded dot segment": "/api/v1/namespaces/OWN/%2e%2e/OTHER/pods",
  "a dot segment": "/api/v1/namespaces/OWN/../OTHER/pods",
  "a single dot": `${core}/./pods`,
  "a doubled slash": `${core}//pods`,
  "a doubled slash in front": `/${core}/pods`,
  "a backslash": `${core}/pods\\web`,
  "a parameter": `${core}/pods;x=1`,
  "an encoded colon": `${rbac}/roles/system%3Aview`,
  "an encoded space": `${core}/pods/a%20b`,
  "an encoded percent": `${core}/pods/%2565xec`,
  "a null byte": `${core}/pods/web%00`,
  "a malformed escape": `${core}/pods/%zz`,
  "bytes that are not UTF-8": `${core}/pods/%ff`,
  "a fragment": `${core}/pods#x`,
  "a fragment in the query": `${core}/pods?a#b`,
  "a dot segment behind a proxy": `${core}/services/web/proxy/../../secrets`,
  "an encoded dot segment behind a proxy": `${core}/services/web/proxy/%2e%2e/%2e%2e/secrets`
}

layer(Clustered, live)("the spelling of a path", (it) => {
  for (const [what, path] of Object.entries(twofold)) {
    it.effect(`${what} is refused with a 400, to tenants and to administrators`, () =>
      Effect.gen(function* () {
        const { acme, globex } = yield* Cast
        const tap = yield* ClusterTap
        const at = path.replace("OWN", `db-${acme.projectId}`).replace("OTHER", `db-${globex.projectId}`)
        for (const token of [acme.tokens[0], acme.tokens[2], operator]) {
          yield* tap.forget
          const answer = yield* cluster("GET", at, { token })
          assert.strictEqual(answer.status, 400, answer.text)
          assert.deepInclude(jsonOf(answer), { kind: "Status", reason: "BadRequest", code: 400 })
          assert.match(jsonOf(answer).detail, /^The (path|query) is not canonical: /)
          assert.deepStrictEqual(yield* tap.seen, [])
        }
      })
    )
  }

  const spelled = {
    [`${core}/pods/`]: `${core}/pods`,
    [`${core}/services/web/proxy/`]: `${core}/services/web/proxy/`,
    [`${core}/services/web/proxy`]: `${core}/services/web/proxy`,
    [`${core}/services/web:80/proxy/a%20b/c/?d=%2F`]: `${core}/services/web:80/proxy/a%20b/c/?d=%2F`,
    [`${core}/pods?labelSelector=a%3Db,c!%3Dd&limit=500`]: `${core}/pods?labelSelector=a%3Db,c!%3Dd&limit=500`,
    [`${core}/pods?`]: `${core}/pods?`,
    [`${rbac}/roles/system:view`]: `${rbac}/roles/system:view`
  }
  for (const [sent, arrives] of Object.entries(spelled)) {
    it.effect(`${sent} arrives as ${arrives}`, () =>
      Effect.gen(function* () {
        const { acme } = yield* Cast
        const own = (path: string) => path.replace("OWN", `db-${acme.projectId}`)
        const tap = yield* ClusterTap
        yield* cluster("POST", own(`${core}/configmaps`), { body: {} })
        yield* tap.script((_, to) => void to.end())
        yield* tap.forget
        yield* cluster("GET", own(sent))
        assert.deepStrictEqual(
          (yield* tap.seen).map((_) => _.url),
          [own(arrives)]
        )
        yield* tap.script()
      })
    )
  }

  it.effect("a prefix with encoded letters is refused by the router", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const answer = yield* call("customer", "GET", "/v1/k%75bernetes/api", { token: acme.tokens[0] })
      assert.deepInclude(jsonOf(answer), { code: "path_not_canonical" })
    })
  )
})

layer(Clustered, live)("an unauthenticated caller", (it) => {
  const dead = {
    "missing_authorization: Missing or invalid Authorization header": () => undefined,
    "token_inactive: Token is not active": () => "garbage",
    "credential_expired: Credential has expired": (_: Cast["Service"]) => _.expired,
    "credential_revoked: Credential has been revoked": (_: Cast["Service"]) => _.revoked,
    "credential_suspended: Credential is suspended": (_: Cast["Service"]) => _.suspended
  } as const
  for (const [words, token] of Object.entries(dead)) {
    const [code = "", detail = ""] = words.split(": ")
    it.effect(`gets the reason in the API server's form: ${detail}`, () =>
      Effect.gen(function* () {
        const { call } = yield* TestGateway
        const tap = yield* ClusterTap
        for (const plane of planes) {
          for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
            for (const path of ["/api", "/api/v1/pods", "/api/v1/namespaces/x/../y"]) {
              const answer = yield* call(plane, method, `/v1/kubernetes${path}`, { token: token(yield* Cast) })
              assert.deepStrictEqual([answer.status, jsonOf(answer)], [401, failed(401, "Unauthorized", code, detail)])
            }
          }
        }
        assert.deepStrictEqual(yield* tap.seen, [])
      })
    )
  }
})
