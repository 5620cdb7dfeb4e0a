import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Cast, operator } from "./Cast.ts"
import { canary, issue, notJson, permitted, type Refusal, refuses, tooLarge } from "./refusals.ts"
import { nameOf, operatorOnly, routes } from "./routes.ts"
import { jsonOf, type Plane, planes, TestGateway } from "./TestGateway.ts"

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

const boolean: Refusal = [issue("literal_error", "Input should be 'true' or 'false'", "query", "include_revoked")]

/** What the routes with parameters do not take. */
const queries: Readonly<Record<string, Readonly<Record<string, Refusal>>>> = {
  "GET /v1/credentials": {
    ...Object.fromEntries(
      [canary, "", "True", "TRUE", "1", "0", "yes", "null", "%ff", "%zz", "true%00", " true", "true,false"].map((_) => [
        `?include_revoked=${_.replace(" ", "+")}`,
        boolean
      ])
    ),
    "?include_revoked": boolean,
    "?include_revoked=true&include_revoked=true": boolean,
    "?include_revoked=false&include_revoked=true": boolean,
    "?include_revoked[]=true": stray("include_revoked[]"),
    "?Include_revoked=true": stray("Include_revoked"),
    [`?include_revoked=true&x=${canary}`]: stray("x")
  },
  "GET /v1/quotas": {
    [`?project=${canary}&project=${canary}`]: [
      issue("string_type", "Input should be a valid string", "query", "project")
    ]
  }
}

/** Health answers whoever asks, whatever is asked; behind the catch-all it is the service's affair. */
const firstClass = routes.filter((_) => _.authenticated && !_.proxied)

layer(Everything, live)("queries", (it) => {
  it.effect("every route that takes one has its rows", () =>
    Effect.sync(() => assert.sameMembers(Object.keys(queries), routes.filter((_) => _.takesQuery).map(nameOf)))
  )

  for (const route of firstClass.filter((_) => !_.takesBody)) {
    for (const [query, refusal] of Object.entries({ ...strays, ...queries[nameOf(route)] })) {
      it.effect(`${nameOf(route)}${query.slice(0, 60)}`, () => refuses(route, { query }, refusal))
    }
  }

  const bodied: Readonly<Record<string, object>> = {
    "POST /v1/credentials": { kind: "api-key", tier: 0, label: "fine" },
    "POST /v1/tenants": { name: "Fine" },
    "POST /v1/tenants/:project_id/tier": { tier: "standard" }
  }
  for (const route of firstClass.filter((_) => _.takesBody)) {
    for (const [query, refusal] of Object.entries(strays)) {
      it.effect(`${nameOf(route)}${query.slice(0, 60)} with a good body`, () =>
        refuses(route, { query, body: bodied[nameOf(route)] ?? assert.fail("a row is missing") }, refusal)
      )
    }
  }

  it.effect("an empty query is none, and an escape in a value is what it stands for", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      for (const path of [
        "/v1/whoami?",
        "/v1/credentials?",
        "/v1/credentials?&&",
        "/v1/credentials?include_revoked=tru%65"
      ]) {
        assert.strictEqual((yield* call("customer", "GET", path, { token: acme.tokens[0] })).status, 200, path)
      }
    })
  )

  it.effect("a project named by a tenant is one constant refusal, whichever it is", () =>
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

  it.effect("a project that an administrator names badly is not there; an empty one never means all", () =>
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

layer(Everything, live)("bodies where none is taken", (it) => {
  for (const route of firstClass.filter((_) => !_.takesBody)) {
    for (const [what, [body, refusal, type = "application/json"]] of Object.entries(unwanted)) {
      it.effect(`${nameOf(route)}: ${what}`, () => refuses(route, { body, headers: { "content-type": type } }, refusal))
    }
  }

  it.effect("an empty object, as clients send that always send one, is none", () =>
    Effect.gen(function* () {
      const whoami = routes.find((_) => nameOf(_) === "GET /v1/whoami")!
      assert.strictEqual((yield* permitted("customer", whoami, { body: {} })).status, 200)
    })
  )
})

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
      return yield* (yield* TestGateway).call(plane, method, path.replaceAll(/:[a-z_]+/g, "some-id"), { token })
    })

    for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"]) {
      if (methods.includes(method)) continue
      it.effect(`${method} ${path} is a 405 that names ${methods.join(", ")}`, () =>
        Effect.gen(function* () {
          const { trace } = yield* TestGateway
          for (const plane of there[0]!.planes) {
            const before = yield* trace
            const answer = yield* ask(plane, method)
            assert.deepStrictEqual([answer.status, answer.headers["allow"]], [405, methods.join(", ")])
            const body = { detail: "Method Not Allowed", code: "method_not_allowed" }
            if (method !== "HEAD") assert.deepStrictEqual(jsonOf(answer), body)
            assert.deepStrictEqual(yield* trace, before)
          }
        })
      )
    }

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
  for (const path of [...absent, ...odd, "/%", "/%ff", "/v2/whoami", "/favicon.ico", "/.env", "*"]) {
    it.effect(`${path.slice(0, 40)} is nowhere`, () =>
      Effect.gen(function* () {
        const { call } = yield* TestGateway
        for (const plane of planes) {
          for (const token of [undefined, operator]) {
            const answer = yield* call(plane, "GET", path, { token })
            assert.deepStrictEqual([answer.status, jsonOf(answer)], [404, { detail: "Not Found", code: "not_found" }])
          }
        }
      })
    )
  }

  it.effect("what the router alone would take for the beginning of the query is a 400, with every method", () =>
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

  it.effect("a request line that is longer than any is refused by the server, and it goes on", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      assert.strictEqual((yield* call("customer", "GET", `/${"x".repeat(20_000)}`)).status, 431)
      assert.strictEqual((yield* call("customer", "GET", "/health")).status, 200)
    })
  )

  it.effect("there are routes that only operators have", () => Effect.sync(() => assert.isNotEmpty(operatorOnly)))
})
