import { sampled } from "@portico/testing/sample/sampled"
import { assert, layer } from "@effect/vitest"
import { documents } from "@portico/contract/openapi/documents"
import { Effect, Layer } from "effect"
import { Cast, mint, operator } from "../harness/Cast.ts"
import { auditQueries } from "../audit/refusals.ts"
import { autoscalingGood } from "../autoscaling/refusals.ts"
import { dnsGood, dnsQueries } from "../dns/refusals.ts"
import { eventQueries } from "../events/refusals.ts"
import { canary, issue, notJson, permitted, type Refusal, refuses, tooLarge } from "./refusals.ts"
import { everyRow } from "../harness/everyRow.ts"
import { monitoringGood, monitoringQueries } from "../monitoring/refusals.ts"
import { nameOf, operatorOnly, type Route, routes } from "./routes.ts"
import { jsonOf, type Plane, planes, TestGateway } from "../harness/TestGateway.ts"
import { targetGood } from "../targets/refusals.ts"

const Everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))
const live = { excludeTestServices: true }

const stray = (...names: ReadonlyArray<string>): Refusal =>
  names.map((_) => issue("extra_forbidden", "Extra inputs are not permitted", "query", _))

/** Parameters that no first-class route has. */
const strays: Readonly<Record<string, Refusal>> = {
  [`?x=${canary}`]: stray("x"),
  "?x": stray("x"),
  [`?x=${canary}&x=${canary}`]: stray("x"),
  [`?x=${canary}&y=${canary}`]: stray("x", "y"),
  [`?=${canary}`]: stray(""),
  [`?__proto__=${canary}`]: stray("__proto__"),
  [`?constructor=${canary}`]: stray("constructor"),
  [`?Project=${canary}`]: stray("Project"),
  [`?project_id=${canary}`]: stray("project_id"),
  [`?tenant_id=${canary}`]: stray("tenant_id"),
  [`?a=1?b=${canary}`]: stray("a"),
  [`?%78=${canary}`]: stray("x"),
  [`?a%20b=${canary}`]: stray("a b"),
  [`?${"x".repeat(3000)}=1`]: stray("x".repeat(3000))
}

const boolean: Refusal = [issue("value_error", "Input should be true or false", "query", "include_revoked")]
/** A parameter that is there twice is a list. */
const twoBooleans: Refusal = [issue("string_type", "Input should be a valid string", "query", "include_revoked")]

const parameter = (type: string, msg: string, name: string): Refusal => [issue(type, msg, "query", name)]
const twoProjects: Readonly<Record<string, Refusal>> = {
  [`?project=${canary}&project=${canary}`]: parameter("string_type", "Input should be a valid string", "project")
}

const months = [canary, "", "2026", "2026-1", "2026-13", "2026-00", "1969-12", "2026-01-01", "+2026-01"]
const aMonth = parameter("value_error", "Input should be a month such as 2026-01", "period")
const aMoment = (name: string, isSpelled: boolean): Refusal =>
  parameter(
    "value_error",
    isSpelled
      ? "Input should be a day such as 2026-01-31 or a moment such as 2026-01-31T12:00:00Z"
      : "Input should be a day or a moment that the calendar has",
    name
  )

const onlyPages: Readonly<Record<string, Refusal>> = {
  "?limit=0": parameter("value_error", "Input should be a value between 1 and 1000", "limit"),
  "?limit=1001": parameter("value_error", "Input should be a value between 1 and 1000", "limit"),
  "?limit=-1": parameter("value_error", "Input should be a value between 1 and 1000", "limit"),
  "?limit=1.5": parameter("value_error", "Input should be a whole number", "limit"),
  "?limit=1&limit=2": parameter("string_type", "Input should be a valid string", "limit"),
  [`?cursor=${canary}`]: parameter("value_error", "Input should be the next_cursor of an earlier page", "cursor"),
  "?cursor=": parameter("value_error", "Input should be the next_cursor of an earlier page", "cursor")
}

const deliveryPages: Readonly<Record<string, Refusal>> = {
  ...onlyPages,
  [`?state=${canary}`]: parameter("literal_error", "Input should be 'pending', 'delivered' or 'failed'", "state")
}

/** No credential can have these. */
const labels: Readonly<Record<string, Refusal>> = {
  "?label=": parameter("value_error", "Input should be a value with a length of at least 1", "label"),
  [`?label=${"x".repeat(101)}`]: parameter(
    "value_error",
    "Input should be a value with a length of at most 100",
    "label"
  ),
  "?label=a%00": parameter("value_error", "Input should be a string without control characters", "label"),
  "?label=a%0Ab": parameter("value_error", "Input should be a string without control characters", "label"),
  "?label=CI&label=CI": parameter("string_type", "Input should be a valid string", "label")
}

const pages: Readonly<Record<string, Refusal>> = {
  ...twoProjects,
  "?limit=0": parameter("value_error", "Input should be a value between 1 and 1000", "limit"),
  "?limit=1001": parameter("value_error", "Input should be a value between 1 and 1000", "limit"),
  [`?cursor=${canary}`]: parameter("value_error", "Input should be the next_cursor of an earlier page", "cursor")
}

const money: Readonly<Record<string, Readonly<Record<string, Refusal>>>> = {
  "GET /v1/cost/breakdown": {
    ...twoProjects,
    ...Object.fromEntries(
      [canary, "", "Service", "tenant"].map((_) => [
        `?group_by=${_}`,
        parameter("literal_error", "Input should be 'service' or 'line'", "group_by")
      ])
    ),
    ...Object.fromEntries(months.map((_) => [`?period=${_.replace("+", "%2B")}`, aMonth])),
    "?start=2026-02-30&end=2026-03-01": aMoment("start", false),
    "?start=2026-01-01&end=2026-01-01T24:00:00Z": aMoment("end", false),
    [`?start=${canary}&end=2026-03-01`]: aMoment("start", true),
    "?start=2026-01-01&end=2026-03-01T00:00:00%2B01:00": aMoment("end", true)
  },
  "GET /v1/cost/forecast": twoProjects,
  "GET /v1/budgets": pages,
  "POST /v1/budgets": twoProjects,
  "DELETE /v1/budgets/:budget_id": twoProjects,
  "GET /v1/invoices": pages
}

const expires = parameter("value_error", "Input should be a value between 30 and 900", "expires_in")

const piece = parameter(
  "value_error",
  "Input should be a piece of a key, such as /: 1 to 1024 bytes of UTF-8",
  "delimiter"
)

const aVersion = parameter("value_error", "Input should be the version_id of a version", "version_id")
const versions: Readonly<Record<string, Refusal>> = Object.fromEntries(
  ["", "a%20b", "a%2Fb", "a%00", "x".repeat(201)].map((_) => [`?version_id=${_}`, aVersion])
)

/** The parameters of a list of keys, and tokens that it never made. */
const keyPages = (...tokens: ReadonlyArray<string>): Readonly<Record<string, Refusal>> => ({
  ...Object.fromEntries(Object.entries(onlyPages).filter(([query]) => !query.startsWith("?cursor"))),
  ...Object.fromEntries(
    [canary, "", "YWJj", ...tokens].map((_) => [
      `?continuation_token=${_}`,
      parameter("value_error", "Input should be the next_continuation_token of an earlier page", "continuation_token")
    ])
  ),
  [`?prefix=${"x".repeat(1025)}`]: parameter(
    "value_error",
    "Input should be the beginning of a key: at most 1024 bytes of UTF-8",
    "prefix"
  ),
  [`?prefix=${canary}&prefix=${canary}`]: parameter("string_type", "Input should be a valid string", "prefix")
})

const objects: Readonly<Record<string, Readonly<Record<string, Refusal>>>> = {
  "GET /v1/object-storage/buckets/:name/objects": {
    ...keyPages("YWZ0ZXI6", "YWZ0ZXI6YQ==", "YWZ0ZXI6YQ%20", "YWZ0ZXI6_w"),
    "?delimiter=": piece,
    "?delimiter=%00": piece,
    [`?delimiter=${"x".repeat(1025)}`]: piece,
    "?delimiter=/&delimiter=/": parameter("string_type", "Input should be a valid string", "delimiter")
  },
  // What pages of objects end with is no place among versions, and neither is one without a version or a key.
  "GET /v1/object-storage/buckets/:name/versions": keyPages("YWZ0ZXI6YQ", "dmVyc2lvbjo6YQ", "dmVyc2lvbjpudWxsOg"),
  "DELETE /v1/object-storage/buckets/:name/objects/:key": versions,
  "GET /v1/databases": {
    ...onlyPages,
    ...Object.fromEntries(
      [canary, "", "Postgres", "mysql"].map((_) => [
        `?engine=${_}`,
        parameter("literal_error", "Input should be 'postgres' or 'kafka'", "engine")
      ])
    ),
    "?status=READY": parameter(
      "literal_error",
      "Input should be 'pending', 'provisioning', 'ready', 'updating', 'degraded', 'failing' or 'deleting'",
      "status"
    ),
    "?name=UPPER": parameter(
      "value_error",
      "Input should be a DNS label of RFC 1035: lower-case letters, digits and hyphens, a letter first, no hyphen last",
      "name"
    ),
    "?name=a&name=b": parameter("string_type", "Input should be a valid string", "name")
  },
  "GET /v1/journal": {
    ...onlyPages,
    [`?state=${canary}`]: parameter(
      "literal_error",
      "Input should be 'running', 'withdrawing', 'stuck' or 'resting'",
      "state"
    )
  },
  "GET /v1/object-storage/buckets/:name/objects/:key/presigned": {
    ...versions,
    "?expires_in=29": expires,
    "?expires_in=901": expires,
    "?expires_in=-300": expires,
    "?expires_in=300.5": parameter("value_error", "Input should be a whole number", "expires_in"),
    "?expires_in=300&expires_in=300": parameter("string_type", "Input should be a valid string", "expires_in")
  }
}

const project = parameter("string_type", "Input should be a valid string", "project_id")
const oneProject: Readonly<Record<string, Refusal>> = { [`?project_id=${canary}&project_id=${canary}`]: project }
const pagesOfProject: Readonly<Record<string, Refusal>> = {
  ...oneProject,
  "?limit=0": parameter("value_error", "Input should be a value between 1 and 1000", "limit"),
  [`?cursor=${canary}`]: parameter("value_error", "Input should be the next_cursor of an earlier page", "cursor")
}
const twoQuestions: Refusal = [
  issue("value_error", "Input should be at most one of credential_id, user_id and ou", "query")
]

const policy: Readonly<Record<string, Readonly<Record<string, Refusal>>>> = {
  "GET /v1/org/users": {
    ...pagesOfProject,
    ...Object.fromEntries(
      [canary, "", "Tenant", "tenants"].map((_) => [
        `?scope=${_}`,
        parameter("literal_error", "Input should be 'tenant', 'all' or 'platform'", "scope")
      ])
    )
  },
  "GET /v1/org/ous": pagesOfProject,
  "POST /v1/org/ous": oneProject,
  "DELETE /v1/org/ous/:path": oneProject,
  "PUT /v1/org/ous/:path/members/:id": oneProject,
  "DELETE /v1/org/ous/:path/members/:id": oneProject,
  "GET /v1/access/policy": pagesOfProject,
  "PUT /v1/access/policy": oneProject,
  "DELETE /v1/access/policy": { "?": [issue("missing", "Field required", "query", "ou")] },
  "GET /v1/org/effective": {
    ...oneProject,
    [`?ou=${canary}&user_id=${canary}`]: twoQuestions,
    [`?credential_id=${canary}&user_id=${canary}`]: twoQuestions
  },
  "GET /v1/tenants/drift": pagesOfProject
}

/** What the routes with parameters do not take. */
const queries: Readonly<Record<string, Readonly<Record<string, Refusal>>>> = {
  "GET /v1/credentials": {
    ...Object.fromEntries(
      [canary, "", "2", "-1", "01", "yes", "on", "t", "null", "%ff", "%zz", "true%00", " true", "true,false"].map(
        (_) => [`?include_revoked=${_.replace(" ", "+")}`, boolean]
      )
    ),
    "?include_revoked": boolean,
    "?include_revoked=true&include_revoked=true": twoBooleans,
    "?include_revoked=false&include_revoked=true": twoBooleans,
    "?include_revoked[]=true": stray("include_revoked[]"),
    "?Include_revoked=true": stray("Include_revoked"),
    [`?include_revoked=true&x=${canary}`]: stray("x"),
    ...Object.fromEntries(
      [canary, "", "member", "MCP", "api-key,mcp"].map((_) => [
        `?kind=${_}`,
        parameter("literal_error", "Input should be 'api-key' or 'mcp'", "kind")
      ])
    ),
    "?kind=mcp&kind=mcp": parameter("literal_error", "Input should be 'api-key' or 'mcp'", "kind"),
    ...Object.fromEntries(
      ["0", "-1", "3651"].map((_) => [
        `?unused_days=${_}`,
        parameter("value_error", "Input should be a value between 1 and 3650", "unused_days")
      ])
    ),
    "?unused_days=1.5": parameter("value_error", "Input should be a whole number", "unused_days"),
    "?include_revoked=true&unused_days=90": parameter(
      "value_error",
      "Input should be without include_revoked=true: revoked credentials are not listed by their use",
      "unused_days"
    ),
    "?made_by=%00": parameter("value_error", "Input should be a string without control characters", "made_by"),
    ...labels,
    ...onlyPages
  },
  "GET /v1/agents": { ...pagesOfProject, "?include_revoked=2": boolean },
  "DELETE /v1/agents": oneProject,
  "GET /v1/agents/policy": oneProject,
  "PUT /v1/agents/policy": oneProject,
  "GET /v1/credentials/usage": { ...onlyPages, ...labels, "?include_revoked=2": boolean },
  "GET /v1/projects": onlyPages,
  "DELETE /v1/projects/:project_id": {
    [`?confirm=${canary}&confirm=${canary}`]: [
      issue("string_type", "Input should be a valid string", "query", "confirm")
    ]
  },
  "GET /v1/tenants": onlyPages,
  ...money,
  ...objects,
  ...dnsQueries,
  ...monitoringQueries,
  ...auditQueries,
  ...eventQueries,
  "GET /v1/webhooks/:webhook_id/deliveries": deliveryPages,
  "GET /v1/integrations/:integration_id/deliveries": deliveryPages,
  ...policy,
  "GET /v1/account": twoProjects,
  "POST /v1/account/close": twoProjects,
  "GET /v1/signups": {
    ...onlyPages,
    ...Object.fromEntries(
      [canary, "", "Pending", "pending,rejected"].map((_) => [
        `?state=${_}`,
        parameter("literal_error", "Input should be 'pending', 'approving', 'onboarded' or 'rejected'", "state")
      ])
    )
  },
  "GET /v1/tenants/accounts": {
    ...onlyPages,
    ...Object.fromEntries(
      [canary, "", "Open", "closed", "open,closing"].map((_) => [
        `?state=${_}`,
        parameter("literal_error", "Input should be 'open', 'closing' or 'destroyed'", "state")
      ])
    )
  },
  "GET /v1/workload-identity/issuers": onlyPages,
  "GET /v1/quotas": {
    [`?project=${canary}&project=${canary}`]: [
      issue("string_type", "Input should be a valid string", "query", "project")
    ]
  }
}

/** Every parameter that a route declares, and whether it has to be there. */
const document = documents.operator
const parametersOf = (route: Route): ReadonlyMap<string, boolean> => {
  const { delete: remove, get, patch, post, put } = document.paths[route.documented] ?? {}
  const operation = { DELETE: remove, GET: get, PATCH: patch, POST: post, PUT: put }[route.method]
  return new Map(operation?.parameters?.flatMap((_) => (_.in === "query" ? [[_.name, _.required] as const] : [])))
}

/** The strays that are strays of this route, with the parameters that it cannot do without. */
const straysOf = (route: Route): Readonly<Record<string, Refusal>> => {
  const declared = parametersOf(route)
  const needed = [...declared].flatMap(([name, required]) => (required ? [`&${name}=`] : [])).join("")
  return Object.fromEntries(
    Object.entries(strays).flatMap(([query, refusal]) =>
      "code" in refusal || refusal.some((_) => declared.has(String(_.loc[1]))) ? [] : [[`${query}${needed}`, refusal]]
    )
  )
}

/** Health answers whoever asks, whatever is asked; behind the catch-all it is the service's affair. */
const firstClass = routes.filter((_) => _.authenticated && !_.proxied)

layer(Everything, live)("queries", (it) => {
  it.effect("every route with one has its rows", () =>
    Effect.sync(() => assert.sameMembers(Object.keys(queries), routes.filter((_) => _.takesQuery).map(nameOf)))
  )

  for (const route of firstClass.filter((_) => !_.takesBody)) {
    const own = Object.entries(queries[nameOf(route)] ?? {})
    const rows = [
      ...sampled(`${nameOf(route)} strays`, 2, Object.entries(straysOf(route))),
      ...sampled(nameOf(route), 5, own)
    ]
    it.effect(`${nameOf(route)} refuses queries`, () =>
      everyRow(rows.map(([query, refusal]) => [query.slice(0, 60), refuses(route, { query }, refusal)]))
    )
  }

  const bodied: Readonly<Record<string, object>> = {
    "POST /v1/credentials": { kind: "api-key", tier: 0, label: "fine" },
    "POST /v1/credentials/:credential_id/rotate": {},
    "POST /v1/budgets": { amount_cents: 100 },
    "POST /v1/edge/exposures": { name: "web", target: { service: "web", port: 80 } },
    ...dnsGood,
    ...autoscalingGood,
    ...monitoringGood,
    ...targetGood,
    "POST /v1/databases": { engine: "postgres", name: "fine", version: "17", size_gb: 1 },
    "PATCH /v1/databases/:engine/:name": { size_gb: 2 },
    "POST /v1/databases/:engine/:name/restore": { name: "fine" },
    "POST /v1/object-storage/buckets": { name: "fine" },
    "POST /v1/object-storage/buckets/:name/objects/:key/presigned": { content_length: 7 },
    "PUT /v1/object-storage/buckets/:name/versioning": { versioning: "enabled" },
    "PUT /v1/object-storage/buckets/:name/cors": { rules: [{ allowed_origins: ["*"], allowed_methods: ["GET"] }] },
    "POST /v1/org/ous": { path: "fine" },
    "POST /v1/org/users/invite": { email: "ann@acme.example", role: "customer" },
    "PUT /v1/org/users/:user_id/billing": { billing_access: true },
    "PUT /v1/access/policy": { ou: "" },
    "POST /v1/agents": { label: "fine" },
    "PUT /v1/agents/policy": {},
    "POST /v1/account/close": { confirm: "Fine" },
    "POST /v1/signups/:signup_id/approve": { tier: "standard" },
    "POST /v1/tenants/accounts/:number/finalize": {},
    "POST /v1/tenants": { name: "Fine" },
    "POST /v1/workload-identity/token-exchange": { subject_token: "token" },
    "POST /v1/workload-identity/issuers": {
      issuer: "https://cluster.example",
      project_id: "project",
      tier: 0,
      audience: "api",
      subjects: ["system:serviceaccount:ci:x"]
    },
    "PATCH /v1/workload-identity/issuers/:issuer_id": { tier: 0 },
    "POST /v1/tenants/:project_id/tier": { tier: "standard" }
  }
  for (const route of firstClass.filter((_) => _.takesBody)) {
    it.effect(`${nameOf(route)} refuses queries beside a valid body`, () => {
      const body = bodied[nameOf(route)] ?? assert.fail("a row is missing")
      const rows = sampled(nameOf(route), 2, Object.entries(straysOf(route)))
      return everyRow(rows.map(([query, refusal]) => [query.slice(0, 60), refuses(route, { query, body }, refusal)]))
    })
  }

  it.effect("an empty query is ignored, and an escape in a value is decoded", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      for (const path of [
        "/v1/whoami?",
        "/v1/credentials?",
        "/v1/credentials?&&",
        "/v1/credentials?include_revoked=tru%65",
        "/v1/credentials?include_revoked=True",
        "/v1/credentials?include_revoked=FALSE",
        "/v1/credentials/usage?include_revoked=1",
        "/v1/agents?include_revoked=0"
      ]) {
        assert.strictEqual((yield* call("customer", "GET", path, { token: acme.tokens[0] })).status, 200, path)
      }
    })
  )

  it.effect("a label filter finds the caller's own credentials with it", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const { call } = yield* TestGateway
      const label = "\u{1F511} 100% + & 'CI'"
      const { credential_id } = yield* mint(acme.tokens[2], 0, label)
      yield* mint(acme.tokens[2], 0, label.toLowerCase())
      const ask = Effect.fnUntraced(function* (path: string, token: string) {
        const answer = yield* call("customer", "GET", `${path}?label=${encodeURIComponent(label)}`, { token })
        assert.strictEqual(answer.status, 200, answer.text)
        return jsonOf(answer)
      })
      const ids = (rows: ReadonlyArray<{ readonly credential_id: string }>) => rows.map((_) => _.credential_id)
      const listed = yield* ask("/v1/credentials", acme.tokens[0])
      const used = yield* ask("/v1/credentials/usage", acme.tokens[0])
      assert.deepStrictEqual([listed.count, ids(listed.credentials)], [1, [credential_id]])
      assert.deepStrictEqual([used.count, ids(used.usage)], [1, [credential_id]])
      const { count, credentials } = yield* ask("/v1/credentials", globex.tokens[0])
      assert.deepStrictEqual([count, credentials], [0, []])
    })
  )

  it.effect("a project named by a tenant is one constant refusal", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const { call } = yield* TestGateway
      for (const project of [acme.projectId, globex.projectId, "nothing", "", "..", "%00", canary]) {
        const path = `/v1/quotas?project=${project}`
        const answer = yield* call("customer", "GET", path, { token: acme.tokens[2] })
        const detail = "The project parameter is for platform administrators"
        assert.deepStrictEqual([answer.status, jsonOf(answer)], [403, { detail, code: "project_override_refused" }])
      }
    })
  )

  it.effect("a malformed project named by an administrator is a 404; an empty one never means all", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const ask = (project: string) => call("operator", "GET", `/v1/quotas?project=${project}`, { token: operator })
      assert.strictEqual((yield* ask(acme.projectId)).status, 200)
      for (const project of [
        "",
        ".",
        "..",
        "../users",
        "%00",
        "%2e%2e",
        `${acme.projectId}/tags`,
        `${acme.projectId}%3F`
      ]) {
        const answer = yield* ask(project)
        const detail = `Tenant '${decodeURIComponent(project)}' not found`
        assert.deepStrictEqual([answer.status, jsonOf(answer)], [404, { detail, code: "tenant_not_found" }])
      }
    })
  )
})

layer(Everything, live)("events and audit records of a malformed project name", (it) => {
  it.effect("are a 404", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      for (const path of ["events", "events/tail", "audit", "audit/export"]) {
        const answer = yield* call("operator", "GET", `/v1/${path}?project_id=a%00`, { token: operator })
        const body = { detail: "Tenant 'a\0' not found", code: "tenant_not_found" }
        assert.deepStrictEqual([answer.status, jsonOf(answer)], [404, body], path)
      }
    })
  )
})

const none: Refusal = [issue("extra_forbidden", "This request takes no body", "body")]
const unwanted: Readonly<Record<string, readonly [body: string, refusal: Refusal, type?: string]>> = {
  "an object": [`{"name": "${canary}"}`, none],
  "an array": ["[]", none],
  null: ["null", none],
  "a string": [`"${canary}"`, none],
  "a broken one": [`{"name": "${canary}`, [issue("json_invalid", "JSON decode error", "body", 9)]],
  "a form": [`name=${canary}`, notJson, "application/x-www-form-urlencoded"],
  "64 KiB + 1": ["x".repeat(64 * 1024 + 1), tooLarge]
}

layer(Everything, live)("bodies of routes without one", (it) => {
  for (const route of firstClass.filter((_) => !_.takesBody)) {
    it.effect(nameOf(route), () =>
      everyRow(
        sampled(nameOf(route), 2, Object.entries(unwanted)).map(
          ([what, [body, refusal, type = "application/json"]]) => [
            what,
            refuses(route, { body, headers: { "content-type": type } }, refusal)
          ]
        )
      )
    )
  }

  it.effect("an empty object, as some clients always send, is accepted", () =>
    Effect.gen(function* () {
      const whoami = routes.find((_) => nameOf(_) === "GET /v1/whoami")!
      assert.strictEqual((yield* permitted("customer", whoami, { body: {} })).status, 200)
    })
  )
})

/** Whether a path is one of the route's: a word of another route may stand where this one has an id. */
const covers = (pattern: string, path: string): boolean => {
  const [wanted, given] = [pattern.split("/"), path.split("/")]
  return wanted.length === given.length && wanted.every((_, n) => _.startsWith(":") || _ === given[n])
}

layer(Everything, live)("methods and paths", (it) => {
  const paths = [...new Set(routes.filter((_) => !_.proxied).map((_) => _.path))]

  for (const path of paths) {
    const there = routes.filter((_) => _.path === path)
    const methods = there
      .map((_) => _.method)
      .flatMap((_) => (_ === "GET" ? ["GET", "HEAD"] : [_]))
      .toSorted()
    const ask = Effect.fnUntraced(function* (plane: Plane, method: string) {
      const { acme } = yield* Cast
      const token = there.some((_) => _.platformAdmin) ? operator : acme.tokens[2]
      // One that goes on for as long as it is let.
      const query = path === "/v1/events/tail" ? "?timeout_seconds=0" : ""
      return yield* (yield* TestGateway).call(plane, method, `${path.replaceAll(/:[a-z_]+/g, "some-id")}${query}`, {
        token
      })
    })

    const allowed = [...new Set([...methods, "OPTIONS"])].toSorted().join(", ")
    const others = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"].filter(
      (_) =>
        !methods.includes(_) &&
        // A DELETE there is of the object whose key ends so.
        !(_ === "DELETE" && path.endsWith("/objects/:key/presigned")) &&
        // The word of this route is an id to the route of that method, and there is none.
        !routes.some((route) => route.method === _ && covers(route.path, path))
    )
    it.effect(`other methods of ${path} are a 405 that names ${allowed}`, () =>
      everyRow(
        sampled(path, 2, others).flatMap((method) =>
          [...there[0]!.planes].map((plane) => [
            `${plane} ${method}`,
            Effect.gen(function* () {
              const { trace } = yield* TestGateway
              const before = yield* trace
              const answer = yield* ask(plane, method)
              assert.deepStrictEqual([answer.status, answer.headers["allow"]], [405, allowed])
              const body = { detail: "Method Not Allowed", code: "method_not_allowed" }
              if (method !== "HEAD") assert.deepStrictEqual(jsonOf(answer), body)
              assert.deepStrictEqual(yield* trace, before)
            })
          ])
        )
      )
    )

    if (methods.includes("HEAD")) {
      it.effect(`HEAD ${path} is a GET without its body`, () =>
        Effect.gen(function* () {
          for (const plane of there[0]!.planes) {
            const [get, head] = [yield* ask(plane, "GET"), yield* ask(plane, "HEAD")]
            assert.deepStrictEqual([head.status, head.text], [get.status, ""])
            assert.strictEqual(head.headers["content-length"], get.headers["content-length"])
            assert.strictEqual(head.headers["content-type"], get.headers["content-type"])
          }
        })
      )
    }
  }

  const absent = ["/", "/v1", "/v1/", "/v1/whoami/", "/v1/Whoami", "/V1/whoami", "//v1/whoami", "/v1//whoami"]
  const odd = ["/v1/whoami%20", "/v1/whoami%00", "/v1/./whoami", "/v1/x/../whoami", `/${"x".repeat(15_000)}`]
  it.effect("other paths are a 404", () =>
    everyRow(
      [...absent, ...odd, "/%", "/%ff", "/v2/whoami", "/favicon.ico", "/.env", "*"].map((path) => [
        path.slice(0, 40),
        Effect.gen(function* () {
          const { call } = yield* TestGateway
          for (const plane of planes) {
            for (const token of [undefined, operator]) {
              const answer = yield* call(plane, "GET", path, { token })
              assert.deepStrictEqual([answer.status, jsonOf(answer)], [404, { detail: "Not Found", code: "not_found" }])
            }
          }
        })
      ])
    )
  )

  it.effect("a delimiter that only the router would cut the path at is a 400, with every method", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call, trace } = yield* TestGateway
      const before = yield* trace
      for (const mark of [";", "#"]) {
        for (const [method, path] of [
          ["GET", "/v1/whoami"],
          ["GET", "/v1/credentials"],
          ["DELETE", `/v1/credentials/${acme.credentialIds[0]}`],
          ["POST", "/v1/tenants"],
          ["GET", "/v1/nowhere"]
        ] as const) {
          for (const token of [undefined, acme.tokens[2]]) {
            const answer = yield* call("customer", method, `${path}${mark}include_revoked=true`, { token })
            const detail = "The path is not canonical: it holds characters that have to be encoded"
            assert.deepStrictEqual([answer.status, jsonOf(answer)], [400, { detail, code: "path_not_canonical" }])
          }
        }
      }
      assert.deepStrictEqual(yield* trace, before)
      const kept = yield* call("customer", "GET", "/v1/credentials?include_revoked=true;x", { token: acme.tokens[0] })
      assert.strictEqual(kept.status, 422)
    })
  )

  it.effect("an overlong request line is a 431, and later calls succeed", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      assert.strictEqual((yield* call("customer", "GET", `/${"x".repeat(20_000)}`)).status, 431)
      assert.strictEqual((yield* call("customer", "GET", "/health")).status, 200)
    })
  )

  it.effect("some routes are for operators alone", () => Effect.sync(() => assert.isNotEmpty(operatorOnly)))
})
