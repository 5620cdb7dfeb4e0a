import { assert, layer } from "@effect/vitest"
import { iaasServices } from "@portico/contract/IaasServices"
import { Effect, Layer } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import { nameOf, routes } from "./routes.ts"
import { compatible } from "../harness/Stock.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"

const live = { excludeTestServices: true }
const Everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

const tenantRequired = {
  detail: "A platform credential is scoped to no tenant; this endpoint needs the credential of a tenant",
  code: "tenant_required"
}

const asked = (plane: "customer" | "operator", method: string, path: string, body?: unknown) =>
  Effect.flatMap(TestGateway, ({ call }) => call(plane, method, path, { token: operator, body }))

/** What an administrator may still read there, and what answers for itself because it has a `?project=`. */
const answering = {
  alone: ["GET /v1/status", "GET /v1/whoami"],
  byItself: [
    "DELETE /v1/budgets/:budget_id",
    "GET /v1/account",
    "GET /v1/budgets",
    "GET /v1/cost/breakdown",
    "GET /v1/cost/forecast",
    "GET /v1/invoices",
    "GET /v1/quotas",
    "POST /v1/account/close",
    "POST /v1/budgets"
  ]
}

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]

const places = [
  ...iaasServices.flatMap((service) => [`/v1/iaas/${service}/x`, `/v1/iaas/${service}`]),
  "/v1/iaas/identity/users",
  "/v1/iaas/identity/projects",
  "/v1/iaas/compute/servers/detail?all_tenants=1",
  "/v1/iaas/volume/volumes/detail?all_tenants=1",
  "/v1/iaas/dns/zones",
  "/v1/kubernetes/version",
  "/v1/kubernetes/api/v1/nodes",
  "/v1/kubernetes/api/v1/namespaces/kube-system/secrets"
]

layer(Everything, live)("an administrator on the customer plane", (it) => {
  it.effect("succeeds without a tenant on these routes alone: the list may only shrink", () =>
    Effect.sync(() =>
      assert.sameMembers(routes.filter((_) => _.planes.has("customer") && _.withoutTenant).map(nameOf), [
        ...answering.alone,
        ...answering.byItself
      ])
    )
  )

  it.effect("has no powers, and has them on the operator plane", () =>
    Effect.gen(function* () {
      const told = (plane: "customer" | "operator") => Effect.map(asked(plane, "GET", "/v1/whoami"), jsonOf)
      const here = yield* told("customer")
      assert.deepInclude(here, { tenant: null, all_projects: false })
      assert.deepStrictEqual(yield* told("operator"), { ...here, all_projects: true })
      assert.strictEqual((yield* asked("customer", "GET", "/v1/status")).status, 200)
    })
  )

  it.effect("reaches no platform service by any method, nor the cluster, and nothing is forwarded", () =>
    Effect.gen(function* () {
      const { trace } = yield* TestGateway
      const before = yield* trace
      for (const place of places) {
        for (const method of methods) {
          const answer = yield* asked("customer", method, place, method === "GET" || method === "HEAD" ? undefined : {})
          assert.strictEqual(answer.status, 409, `${method} ${place}: ${answer.text}`)
          if (method === "HEAD") continue
          assert.deepInclude(place.startsWith("/v1/kubernetes") ? jsonOf(answer).details.causes[0] : jsonOf(answer), {
            [place.startsWith("/v1/kubernetes") ? "reason" : "code"]: "tenant_required"
          })
        }
      }
      assert.deepStrictEqual(yield* trace, before)
      assert.strictEqual((yield* asked("operator", "GET", "/v1/iaas/identity/users")).status, 200)
      assert.strictEqual((yield* asked("operator", "GET", "/v1/iaas/compute/servers/detail?all_tenants=1")).status, 200)
    })
  )

  it.effect("gets the same answer for an existing project and an unknown one", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const reads = answering.byItself.filter((_) => _.startsWith("GET ")).map((_) => _.slice("GET ".length))
      for (const path of reads) {
        assert.deepStrictEqual(jsonOf(yield* asked("customer", "GET", path)), tenantRequired, path)
        for (const project of [acme.projectId, "nobody", ""]) {
          const answer = yield* asked("customer", "GET", `${path}?project=${project}`)
          assert.deepStrictEqual([answer.status, jsonOf(answer).code], [403, "project_override_refused"], path)
        }
      }
    })
  )

  it.effect("sees no people, credentials, projects or events, and changes none", () =>
    Effect.gen(function* () {
      const { trace } = yield* TestGateway
      const { acme } = yield* Cast
      const before = yield* trace
      const calls: ReadonlyArray<readonly [method: string, path: string, body?: unknown]> = [
        ["GET", "/v1/org/users?scope=all"],
        ["GET", "/v1/org/users?scope=platform"],
        ["GET", `/v1/org/users?project_id=${acme.projectId}`],
        ["GET", "/v1/credentials"],
        ["GET", "/v1/credentials/usage"],
        ["GET", "/v1/projects"],
        ["GET", `/v1/projects/${acme.projectId}`],
        ["GET", "/v1/audit"],
        ["GET", "/v1/audit/export"],
        ["GET", "/v1/events"],
        ["GET", "/v1/events/tail"],
        ["DELETE", `/v1/credentials/${acme.credentialIds[0]}`],
        ["DELETE", `/v1/projects/${acme.projectId}?confirm=acme`],
        ["POST", "/v1/org/users/invite", { email: "eve@people.example", role: "admin" }],
        ["POST", "/v1/org/users/invite", { email: "eve@people.example", role: "customer", project_id: acme.projectId }],
        ["DELETE", "/v1/org/users/somebody"],
        ["POST", "/v1/workload-identity/token-exchange", { subject_token: "a.b.c" }],
        // Of what is not even a body there is no word either.
        ["POST", "/v1/credentials", "{"]
      ]
      for (const [method, path, body] of calls) {
        const answer = yield* asked("customer", method, path, body)
        assert.deepStrictEqual([answer.status, jsonOf(answer)], [409, tenantRequired], `${method} ${path}`)
      }
      assert.deepStrictEqual(yield* trace, before)
      assert.isAbove(jsonOf(yield* asked("operator", "GET", "/v1/credentials")).count, 0)
      assert.isAbove(jsonOf(yield* asked("operator", "GET", "/v1/projects")).count, 1)
    })
  )
})

layer(compatible(), live)("an administrator on the customer plane, as a stock client of OpenStack", (it) => {
  it.effect("gets no token and reaches no service", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const auth = { identity: { methods: ["token"], token: { id: operator } } }
      const token = yield* call("customer", "POST", "/v1/iaas/identity/v3/auth/tokens", { body: { auth } })
      assert.strictEqual(token.status, 409, token.text)
      for (const path of [
        "identity/v3/users",
        "compute/v2.1/servers/detail?all_tenants=True",
        "network/v2.0/networks"
      ]) {
        const headers = { "x-auth-token": operator }
        const answer = yield* call("customer", "GET", `/v1/iaas/${path}`, { headers })
        assert.strictEqual(answer.status, 409, `${path}: ${answer.text}`)
        const there = yield* call("operator", "GET", `/v1/iaas/${path}`, { headers })
        assert.strictEqual(there.status, 200, `${path}: ${there.text}`)
      }
    })
  )
})
