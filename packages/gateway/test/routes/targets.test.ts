import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { recordOf } from "../audit/records.ts"
import { Cast, operator } from "../harness/Cast.ts"
import { everyRow } from "../harness/everyRow.ts"
import { compatible } from "../harness/Stock.ts"
import { exchanged } from "../listener/exchanged.ts"
import { jsonOf, planes, TestGateway } from "../harness/TestGateway.ts"
import { nameOf, type Route, routes } from "./routes.ts"

const pathOf = ({ path }: Route): string =>
  path
    .replaceAll(/:[a-z_]+/g, "some-id")
    .replace("/iaas/*", "/iaas/compute/servers")
    .replace("*", "api/v1/namespaces/some/pods")

/** The path with its last letter percent-encoded. */
const encoded = (path: string): string => path.replace(/[a-z0-9](?=\W*$)/, (_) => `%${_.charCodeAt(0).toString(16)}`)

/** The paths of OpenStack clients beside the routes. */
const stock = [
  { method: "GET", path: "/openstack/compute/servers" },
  { method: "GET", path: "/openstack/identity/v3" },
  { method: "POST", path: "/openstack/identity/v3/auth/tokens" }
]

layer(compatible(), { excludeTestServices: true })("the target of a request", (it) => {
  // Ahead of the floods below: only so many calls of unknown callers are recorded.
  it.effect("a refused path leaves a record, and no change or idempotency key", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call, trace } = yield* TestGateway
      const asked = { token: acme.tokens[2], headers: { "idempotency-key": "refused" } }
      const body = { kind: "api-key", tier: 0, label: "refused" }
      const before = yield* trace
      for (const [method, path] of [
        ["POST", "/v1/%63redentials"],
        ["POST", "/%761/credentials"],
        ["DELETE", `/v1/%63redentials/${acme.credentialIds[0]}`],
        ["DELETE", `/v1/credentials/%63${String(acme.credentialIds[0]).slice(1)}`],
        ["DELETE", "/v1/iaas/compute/servers/%31"],
        ["DELETE", "/openstack/compute/servers/%31"]
      ] as const) {
        const answer = yield* call("customer", method, path, { ...asked, ...(method === "POST" ? { body } : {}) })
        assert.deepInclude((yield* recordOf(answer)).data, { method, status: 400 })
      }
      assert.deepStrictEqual(yield* trace, before)
    })
  )

  for (const plane of planes) {
    const rows = [
      ...routes.filter((_) => _.planes.has(plane)).map((_) => ({ name: nameOf(_), method: _.method, path: pathOf(_) })),
      ...stock.map((_) => ({ ..._, name: `${_.method} ${_.path}` })),
      ...["OPTIONS /v1/credentials", "GET /docs", "GET /console/", "GET /openapi.json", "GET /v1/nowhere"].map(
        (name) => {
          const [method = "", path = ""] = name.split(" ")
          return { name, method, path }
        }
      )
    ]

    it.effect(`${plane}: an absolute URL of this server is read as its path, on every route`, () =>
      everyRow(
        rows.map(({ method, name, path }) => [
          name,
          Effect.gen(function* () {
            const { call, url } = yield* TestGateway
            const plain = yield* call(plane, method, path)
            const whole = yield* call(plane, method, `${url[plane]}${path}`)
            const { host } = new URL(url[plane])
            const secure = yield* call(plane, method, `HTTPS://${host.toUpperCase()}${path}`)
            assert.deepStrictEqual([whole.status, secure.status], [plain.status, plain.status], whole.text)
            assert.strictEqual(whole.headers["allow"], plain.headers["allow"])
            if (plain.status === 400) assert.notInclude(whole.text, "request target")
          })
        ])
      )
    )

    it.effect(`${plane}: an absolute URL of another server, or with a user name, is refused on every route`, () =>
      everyRow(
        rows.map(({ method, name, path }) => [
          name,
          Effect.gen(function* () {
            const { acme } = yield* Cast
            const { call, url } = yield* TestGateway
            const { host, hostname } = new URL(url[plane])
            for (const [authority, why] of [
              ["elsewhere.example", "names another host or port than the Host header"],
              [hostname, "names another host or port than the Host header"],
              [`user@${host}`, "holds a user name or a password"],
              [`user:word@${host}`, "holds a user name or a password"]
            ] as const) {
              const answer = yield* call(plane, method, `http://${authority}${path}`, { token: acme.tokens[2] })
              assert.strictEqual(answer.status, 400, answer.text)
              if (method !== "HEAD") assert.include(answer.text, why)
            }
          })
        ])
      )
    )

    it.effect(`${plane}: an encoded letter is refused on every route, for every caller`, () =>
      everyRow(
        rows.flatMap(({ method, name, path }) =>
          [
            encoded(path),
            path.replace("/v1/", "/v%31/"),
            path.replace("-id", "%2Did"),
            path.replace("stack", "st%61ck")
          ]
            .filter((_) => _ !== path)
            .map((spelled) => [
              `${name} as ${spelled}`,
              Effect.gen(function* () {
                const { acme } = yield* Cast
                const { call } = yield* TestGateway
                const token = plane === "operator" ? operator : acme.tokens[2]
                const answer = yield* call(plane, method, spelled, { token })
                assert.strictEqual(answer.status, 400, answer.text)
                assert.include(answer.text, "not canonical")
                // The proxies ask first who calls.
                assert.include([400, 401], (yield* call(plane, method, spelled)).status)
              })
            ])
        )
      )
    )
  }

  it.effect("the host may have its own port and any case, and HTTP/1.0 needs no Host", () =>
    Effect.gen(function* () {
      const host = "Host: api.example\r\n"
      for (const [line, headers, status] of [
        ["http://API.example/health HTTP/1.1", host, 200],
        ["http://api.example:80/health HTTP/1.1", host, 200],
        ["http://api.example:/health HTTP/1.1", host, 200],
        ["https://api.example:443/health HTTP/1.1", host, 200],
        ["https://api.example/health HTTP/1.1", "Host: api.example:443\r\n", 200],
        ["http://api.example/health?x=http://user@other.example/ HTTP/1.1", host, 200],
        ["http://other.example/health HTTP/1.0", "", 200],
        ["http://api.example HTTP/1.1", host, 404],
        ["http://api.example?x HTTP/1.1", host, 404],
        ["http://api.example:443/health HTTP/1.1", host, 400],
        ["http://api.example.other/health HTTP/1.1", host, 400],
        ["http://api.example/health HTTP/1.1", "", 400],
        ["http://other.example/health HTTP/1.0", host, 400],
        ["ftp://api.example/health HTTP/1.1", host, 400],
        ["http://api.example@other.example/health HTTP/1.1", host, 400],
        ["http://api.example#@other.example/health HTTP/1.1", host, 400]
      ] as const) {
        const text = yield* exchanged("customer", `GET ${line}\r\n${headers}Connection: close\r\n\r\n`)
        assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `), `${line} ${headers}`)
      }
    })
  )

  it.effect("an upgraded connection is read in the same way", () =>
    Effect.gen(function* () {
      const path = "/v1/kubernetes/api/v1/namespaces/some/pods/web/exec?command=sh"
      const rest = "Host: api.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
      for (const [target, status] of [
        [path, 401],
        [`http://api.example${path}`, 401],
        [`http://other.example${path}`, 400],
        [`http://user@api.example${path}`, 400]
      ] as const) {
        const text = yield* exchanged("customer", `GET ${target} HTTP/1.1\r\n${rest}`)
        assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `), target)
        // Only what answers upgrades closes a connection that the client would keep.
        assert.match(text, /connection: close/i)
      }
    })
  )

  it.effect("every spelling of a route has one name in metrics and records", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call, url } = yield* TestGateway
      const token = acme.tokens[2]
      const made = yield* call("customer", "POST", "/v1/object-storage/buckets", { token, body: { name: "one-name" } })
      assert.strictEqual(made.status, 201, made.text)
      const key = "/v1/object-storage/buckets/one-name/objects/:key/presigned"
      const route = "/v1/object-storage/buckets/:name/objects/:key/presigned"
      const body = { content_length: 7, content_type: "text/plain" }
      const spellings = ["a/b~c", "a%2Fb~c", "a%2fb%7Ec", "a/b%7ec"]
      for (const at of ["", url.customer]) {
        for (const spelling of spellings) {
          const path = `${at}${key.replace(":key", spelling)}`
          const answer = yield* call("customer", "POST", path, { token, body })
          assert.strictEqual(answer.status, 200, answer.text)
          assert.deepInclude((yield* recordOf(answer)).data, { route, resources: ["one-name", "a/b~c"] })
          const options = yield* call("customer", "OPTIONS", path, { token })
          assert.deepStrictEqual([options.status, options.headers["allow"]], [204, "GET, HEAD, OPTIONS, POST"])
        }
      }
      const deleted = "/v1/object-storage/buckets/one-name/objects/a/b"
      assert.strictEqual((yield* call("customer", "OPTIONS", deleted, { token })).headers["allow"], "DELETE, OPTIONS")
      const metrics = (yield* call("operator", "GET", "/metrics")).text.split("\n")
      const counted = metrics.find(
        (_) =>
          _.startsWith("portico_http_requests_total") &&
          _.includes(`route="${route}"`) &&
          _.includes(`"POST"`) &&
          _.includes(`"2xx"`)
      )
      assert.match(counted ?? "none", / 8$/)
      const again = { token, headers: { "idempotency-key": "once" }, body: { kind: "api-key", tier: 0, label: "once" } }
      const [one, two] = [
        yield* call("customer", "POST", "/v1/credentials", again),
        yield* call("customer", "POST", `${url.customer}/v1/credentials`, again)
      ]
      assert.strictEqual(jsonOf(one).credential_id, jsonOf(two).credential_id)
    })
  )
})
