import { assert, layer } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Clock, Effect, Fiber } from "effect"
import { STATUS_CODES } from "node:http"
import { Cast, operator } from "../harness/Cast.ts"
import { Logs } from "../harness/Logs.ts"
import { metrics, valueOf } from "../observability/exposition.ts"
import { Tapped } from "../proxy/odd.ts"
import { byCredential, byToken, compatible, key, login, refusalOf, stock } from "../harness/Stock.ts"
import { Tap } from "../harness/Tap.ts"
import { jsonOf, planes, TestGateway } from "../harness/TestGateway.ts"
import { inTime, settle, until } from "@portico/testing/clock"

const missing = { detail: "Missing or invalid Authorization header", code: "missing_authorization" }

layer(Tapped)("without the setting", (it) => {
  it.effect("versions and tokens are not served, and X-Auth-Token is ignored", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const headers = { "x-auth-token": acme.tokens[2] }
      const body = { auth: { identity: byToken(acme.tokens[2]) } }
      for (const plane of planes) {
        for (const [method, path] of [
          ["GET", "/identity"],
          ["GET", "/identity/v3"],
          ["POST", "/identity/v3/auth/tokens"],
          ["POST", "/identity/auth/tokens"],
          ["GET", "/identity/v3/auth/tokens"],
          ["GET", "/compute"],
          ["GET", "/compute/servers"],
          ["GET", "/network/v2.0/networks"]
        ] as const) {
          const answer = yield* call(plane, method, `/v1/iaas${path}`, {
            headers,
            body: method === "POST" ? body : undefined
          })
          assert.strictEqual(answer.status, 401, path)
          assert.deepStrictEqual(jsonOf(answer), missing)
        }
      }
    })
  )

  it.effect("only a Bearer token counts, and a version at the beginning of a path is part of it", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const { call } = yield* TestGateway
      const [, , token] = acme.tokens
      const get = (path: string, headers = {}) => call("customer", "GET", `/v1/iaas${path}`, { token, headers })
      assert.strictEqual((yield* get("/network/networks", { "x-auth-token": globex.tokens[0] })).status, 200)
      assert.strictEqual((yield* get("/network/v2.0/networks")).status, 404)
      assert.strictEqual((yield* call("customer", "GET", "/openstack/network/networks", { token })).status, 404)
      const refused = yield* call("customer", "POST", "/v1/iaas/identity/v3/auth/tokens", { token, body: {} })
      assert.deepStrictEqual([refused.status, jsonOf(refused).code], [403, "identity_route_refused"])
    })
  )
})

layer(compatible())("version discovery", (it) => {
  it.effect("Keystone's version is public, at the requested address", () =>
    Effect.gen(function* () {
      const { call, url } = yield* TestGateway
      for (const plane of planes) {
        const version = {
          id: "v3.14",
          status: "stable",
          updated: "2020-04-07T00:00:00Z",
          links: [{ rel: "self", href: `${url[plane]}/v1/iaas/identity/v3/` }],
          "media-types": [{ base: "application/json", type: "application/vnd.openstack.identity-v3+json" }]
        }
        for (const path of ["/identity", "/identity/"]) {
          const all = yield* call(plane, "GET", `/v1/iaas${path}`)
          assert.deepStrictEqual([all.status, jsonOf(all)], [300, { versions: { values: [version] } }])
          assert.match(all.headers["x-request-id"] ?? "", /^[0-9a-f]{32}$/)
        }
        for (const path of ["/identity/v3", "/identity/v3/"]) {
          const one = yield* call(plane, "GET", `/v1/iaas${path}`)
          assert.deepStrictEqual([one.status, jsonOf(one)], [200, { version }])
        }
        assert.strictEqual((yield* call(plane, "HEAD", "/v1/iaas/identity")).status, 300)
      }
    })
  )

  const own = (service: string, version: string) => (url: string) => [
    { rel: "self", href: `${url}/v1/iaas/${service}/${version}/` }
  ]

  it.effect("callers get a service's microversions, with links through the gateway alone", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { url } = yield* TestGateway
      const expected = {
        compute: {
          id: "v2.1",
          status: "CURRENT",
          version: "2.101",
          min_version: "2.1",
          updated: "2013-07-23T11:33:21Z",
          links: own("compute", "v2.1")(url.customer)
        },
        volume: {
          id: "v3.0",
          status: "CURRENT",
          version: "3.71",
          min_version: "3.0",
          updated: "2022-08-31T00:00:00Z",
          "media-types": [{ base: "application/json", type: "application/vnd.openstack.volume+json;version=3" }],
          links: own("volume", "v3")(url.customer)
        },
        network: { id: "v2.0", status: "CURRENT", links: own("network", "v2.0")(url.customer) }
      }
      for (const [service, version] of Object.entries(expected)) {
        const all = yield* stock(acme.tokens[0], "GET", `/${service}/`)
        assert.deepStrictEqual([all.status, jsonOf(all)], [200, { versions: [version] }])
        const at = version.links[0]!.href.slice(`${url.customer}/v1/iaas`.length)
        const one = yield* stock(acme.tokens[0], "GET", at)
        assert.deepStrictEqual([one.status, jsonOf(one)], [200, { version }])
      }
      for (const [service, version, count] of [
        ["image", "v2", 15],
        ["load-balancer", "v2", 27],
        ["key-manager", "v1", 1]
      ] as const) {
        const { versions } = jsonOf(yield* stock(acme.tokens[0], "GET", `/${service}`))
        assert.strictEqual(versions.length, count, service)
        for (const { links } of versions) assert.deepStrictEqual(links, own(service, version)(url.customer))
      }
      const { version } = jsonOf(yield* stock(acme.tokens[0], "GET", "/load-balancer/v2.0"))
      assert.deepStrictEqual([version.id, version.status], ["v2.26", "CURRENT"])
    })
  )

  it.effect("a version request counts as an upstream call", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const counted = Effect.map(metrics, (_) => valueOf(_, "portico_upstream_calls_total", { system: "glance" }))
      const before = yield* counted
      assert.strictEqual((yield* stock(acme.tokens[0], "GET", "/image")).status, 200)
      assert.strictEqual(yield* counted, before + 1)
    })
  )

  it.effect("other callers get a 401 that asks for a token", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { revoked } = yield* Cast
      for (const path of ["/compute", "/compute/v2.1/", "/key-manager"]) {
        const answer = yield* call("customer", "GET", `/v1/iaas${path}`)
        assert.deepStrictEqual(refusalOf(answer).status, 401)
        assert.strictEqual((yield* stock(revoked, "GET", path)).status, 401)
      }
    })
  )

  it.effect("a service's other format is understood, and one without versions has its base's", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { url } = yield* TestGateway
      const { fault } = yield* SimulatedCloud
      const get = (path: string) => Effect.map(stock(acme.tokens[0], "GET", path), ({ text }) => JSON.parse(text))
      const values = [{ id: "v1", status: "stable", links: [{ rel: "self", href: "http://elsewhere/v1/" }] }]
      yield* fault({
        service: "barbican",
        method: "GET",
        path: "/",
        when: "before",
        as: { status: 300, body: { versions: { values } } }
      })
      const [version] = (yield* get("/key-manager")).versions
      assert.deepStrictEqual(version, { id: "v1", status: "stable", links: own("key-manager", "v1")(url.customer) })
      yield* fault({ service: "nova", method: "GET", path: "/", times: 2, when: "before", as: "garbage" })
      const bare = { id: "v2.1", status: "CURRENT", links: own("compute", "v2.1")(url.customer) }
      assert.deepStrictEqual(yield* get("/compute"), { versions: [bare] })
      assert.deepStrictEqual(yield* get("/compute/v2.1"), { version: bare })
    })
  )

  it.effect("an unresponsive service is a 502", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { fault } = yield* SimulatedCloud
      yield* fault({ service: "nova", method: "GET", path: "/", times: "always", when: "before", as: "reset" })
      const { code, detail, status } = refusalOf(yield* stock(acme.tokens[0], "GET", "/compute"))
      assert.deepStrictEqual([status, code, detail], [502, "upstream_failed", "compute: no answer"])
    })
  )
})

const services = [
  ["identity", "keystone", "identity", ""],
  ["compute", "nova", "compute", "/v2.1"],
  ["network", "neutron", "network", ""],
  ["block-storage", "cinder", "volume", "/v3/{project}"],
  ["volumev3", "cinderv3", "volume", "/v3/{project}"],
  ["image", "glance", "image", ""],
  ["dns", "designate", "dns", ""],
  ["load-balancer", "octavia", "load-balancer", ""],
  ["key-manager", "barbican", "key-manager", ""]
] as const

layer(compatible())("the token call", (it) => {
  it.effect("returns for an application credential what the identity provider returns for the pair", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { world } = yield* SimulatedCloud
      const { call, url } = yield* TestGateway
      const { clientId, credentialId, secret } = yield* key(1, "for a stock client")
      const answer = yield* login(byCredential(clientId, secret))
      assert.strictEqual(answer.status, 201, answer.text)
      assert.strictEqual(answer.headers["cache-control"], "no-store")
      assert.strictEqual(answer.headers["vary"], "X-Auth-Token")
      const bearer = answer.headers["x-subject-token"]!
      const issued = world.zitadel.tokens[bearer]!
      assert.strictEqual(issued.userId, credentialId)

      const { token } = jsonOf(answer)
      const { audit_ids, catalog, expires_at, issued_at, ...rest } = token
      const domain = { id: "default", name: "Default" }
      assert.deepStrictEqual(rest, {
        methods: ["application_credential"],
        user: { id: credentialId, name: "for a stock client", domain, password_expires_at: null },
        project: { id: acme.projectId, name: "acme", domain },
        is_domain: false,
        roles: [
          { id: "reader", name: "reader" },
          { id: "member", name: "member" }
        ],
        application_credential: { id: clientId, name: "for a stock client", restricted: true }
      })
      assert.strictEqual(Date.parse(expires_at), Math.floor(issued.expiresAt / 1000) * 1000)
      assert.isBelow(Math.abs(Date.parse(issued_at) - (yield* Clock.currentTimeMillis)), 60_000)
      assert.strictEqual(audit_ids.length, 1)
      assert.notInclude(answer.text, bearer)
      assert.deepStrictEqual(
        catalog,
        services.map(([type, name, service, rest]) => ({
          id: type,
          type,
          name,
          endpoints: [
            {
              id: `${type}-public`,
              interface: "public",
              region: "RegionOne",
              region_id: "RegionOne",
              url: `${url.customer}/v1/iaas/${service}${rest.replace("{project}", acme.projectId)}`
            }
          ]
        }))
      )

      // It is a Bearer like any other, and the tier is that of the credential.
      const whoami = jsonOf(yield* call("customer", "GET", "/v1/whoami", { token: bearer }))
      assert.deepStrictEqual([whoami.credential_id, whoami.tier], [credentialId, 1])
      assert.strictEqual((yield* stock(bearer, "DELETE", "/compute/v2.1/servers/x")).status, 403)
    })
  )

  it.effect("returns a personal access token itself, with its tier's roles", () =>
    Effect.gen(function* () {
      const { acme, customerAdmin } = yield* Cast
      for (const [tier, pat] of acme.tokens.entries()) {
        const answer = yield* login(byToken(pat))
        assert.strictEqual(answer.status, 201, answer.text)
        assert.strictEqual(answer.headers["x-subject-token"], pat)
        const { token } = jsonOf(answer)
        assert.deepStrictEqual(token.methods, ["token"])
        assert.notProperty(token, "application_credential")
        assert.deepStrictEqual(
          token.roles.map((_: { readonly name: string }) => _.name),
          tier === 0 ? ["reader"] : ["reader", "member"]
        )
        assert.isAbove(Date.parse(token.expires_at), yield* Clock.currentTimeMillis)
      }
      const person = yield* login(byToken(customerAdmin))
      assert.strictEqual(jsonOf(person).token.user.name, "ada@people.example")
    })
  )

  it.effect("works with and without the version, on both planes, and without the catalog on request", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call, url } = yield* TestGateway
      const body = { auth: { identity: byToken(acme.tokens[0]) } }
      for (const plane of planes) {
        for (const path of ["/identity/v3/auth/tokens", "/identity/auth/tokens", "/identity/v3/auth/tokens/"]) {
          const answer = yield* call(plane, "POST", `/v1/iaas${path}`, { body })
          assert.strictEqual(answer.status, 201, path)
          assert.include(jsonOf(answer).token.catalog[0].endpoints[0].url, url[plane])
        }
      }
      const bare = yield* login(byToken(acme.tokens[0]), undefined, "?nocatalog")
      assert.deepStrictEqual([bare.status, jsonOf(bare).token.catalog], [201, undefined])
    })
  )

  it.effect("is scoped to the credential's own project, in any way of naming it", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const { clientId, secret } = yield* key(0, "scoped")
      const own: ReadonlyArray<unknown> = [
        undefined,
        { project: { id: acme.projectId } },
        { project: { name: "acme", domain: { id: "default" } } },
        { project: { name: "acme", domain: { name: "Default" } } }
      ]
      const others: ReadonlyArray<unknown> = [
        null,
        "unscoped",
        {},
        { unscoped: {} },
        { system: { all: true } },
        { domain: { id: "default" } },
        { "OS-TRUST:trust": { id: "x" } },
        { project: {} },
        { project: { id: globex.projectId } },
        { project: { id: "0".repeat(32) } },
        { project: { id: [acme.projectId] } },
        { project: { name: "acme" } },
        { project: { name: "globex", domain: { id: "default" } } },
        { project: { name: "acme", domain: { id: "other" } } },
        { project: { name: "acme", domain: {} } },
        { project: { id: acme.projectId, name: "globex" } },
        { project: { id: acme.projectId }, system: { all: true } }
      ]
      for (const identity of [byToken(acme.tokens[0]), byCredential(clientId, secret)]) {
        for (const scope of own) assert.strictEqual((yield* login(identity, scope)).status, 201, JSON.stringify(scope))
        for (const scope of others) {
          const answer = yield* login(identity, scope)
          assert.deepStrictEqual(
            refusalOf(answer),
            refused(
              403,
              "token_scope_refused",
              "A token is scoped to the credential's own project: name that project, or leave the scope out"
            ),
            JSON.stringify(scope)
          )
          assert.notProperty(answer.headers, "x-subject-token")
        }
      }
    })
  )

  it.effect("refuses any error in a pair with the same bytes", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme } = yield* Cast
      const { clientId, secret } = yield* key(2, "right")
      const gone = yield* key(2, "gone")
      yield* call("customer", "DELETE", `/v1/credentials/${gone.credentialId}`, { token: acme.tokens[2] })
      const expected = refused(
        401,
        "application_credential_refused",
        "The application credential is not accepted: its id must be a credential's client_id and its secret the client_secret, and the credential must not be revoked"
      )
      for (const [id, password] of [
        ["nobody", "guess"],
        [clientId, "guess"],
        [clientId, `${secret} `],
        ["nobody", secret],
        [`${clientId}:`, secret],
        [gone.clientId, gone.secret],
        ["ünïcode %00", "ü:%"]
      ] as const) {
        assert.deepStrictEqual(refusalOf(yield* login(byCredential(id, password))), expected, id)
      }
    })
  )

  it.effect("refuses inactive tokens, and callers without a project, with the contract's codes", () =>
    Effect.gen(function* () {
      const { expired, revoked, roleless, suspended, unbound } = yield* Cast
      for (const [token, status, detail] of [
        ["garbage", 401, "Token is not active"],
        ["not a token", 401, "Token is not active"],
        [revoked, 401, "Credential has been revoked"],
        [expired, 401, "Credential has expired"],
        [suspended, 401, "Credential is suspended"],
        [roleless, 403, "Token carries no project roles; tenant access denied"],
        [operator, 409, "A platform credential is scoped to no tenant; this endpoint needs the credential of a tenant"]
      ] as const) {
        const answer = yield* login(byToken(token))
        assert.deepInclude(refusalOf(answer), { status, detail })
        assert.deepStrictEqual(refusalOf(answer).error, { code: status, message: detail, title: STATUS_CODES[status] })
      }
      assert.strictEqual((yield* login(byToken(unbound))).status, 403)
    })
  )

  it.effect("supports no other methods", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const user = { name: "admin", domain: { id: "default" }, password: "guess" }
      for (const identity of [
        { methods: ["password"], password: { user } },
        { methods: [] },
        { methods: ["token", "application_credential"], token: { id: acme.tokens[2] } },
        { methods: ["token", "totp"], token: { id: acme.tokens[2] } },
        { methods: ["external"] }
      ]) {
        const { code, status } = refusalOf(yield* login(identity))
        assert.deepStrictEqual([status, code], [401, "auth_method_refused"])
      }
    })
  )

  it.effect("refuses an unsupported body without echoing it, and without an upstream call", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const { calls, clearCalls } = yield* SimulatedCloud
      yield* clearCalls
      const token = byToken(acme.tokens[2])
      const pair = byCredential("an-id", "a-secret-of-somebody")
      const bodies: ReadonlyArray<unknown> = [
        undefined,
        "no json",
        "null",
        Buffer.from([0x22, 0xff, 0x22]),
        [],
        {},
        { auth: token },
        { auth: { identity: { ...token, more: 1 } } },
        { auth: { identity: token, more: 1 } },
        { auth: { identity: token }, more: 1 },
        { auth: { identity: { methods: ["token"] } } },
        { auth: { identity: { methods: "token", token: { id: "x" } } } },
        { auth: { identity: byToken("") } },
        { auth: { identity: { methods: ["token"], token: { id: 1 } } } },
        { auth: { identity: { ...byToken("x"), methods: ["application_credential"] } } },
        { auth: { identity: byCredential("", "a-secret-of-somebody") } },
        { auth: { identity: byCredential("an-id", "") } },
        { auth: { identity: { methods: pair.methods, application_credential: { id: "an-id" } } } },
        {
          auth: {
            identity: {
              methods: pair.methods,
              application_credential: { name: "x", user: { id: "y" }, secret: "a-secret-of-somebody" }
            }
          }
        }
      ]
      for (const body of bodies) {
        const answer = yield* call("customer", "POST", "/v1/iaas/identity/v3/auth/tokens", { body })
        const { code, status } = refusalOf(answer)
        assert.deepStrictEqual([status, code], [400, "token_request_not_understood"], JSON.stringify(body))
        assert.notInclude(answer.text, "a-secret-of-somebody")
      }
      for (const chunked of [false, true]) {
        const body = JSON.stringify({ auth: { identity: byToken("x".repeat(20_000)) } })
        const large = yield* call("customer", "POST", "/v1/iaas/identity/v3/auth/tokens", { body, chunked })
        assert.deepStrictEqual([refusalOf(large).status, refusalOf(large).code], [413, "body_too_large"])
      }
      assert.deepStrictEqual(yield* calls, [])
    })
  )

  it.effect("is a 503 without the identity provider, logged with the reason and no secret", () =>
    Effect.gen(function* () {
      const { clearFaults, fault } = yield* SimulatedCloud
      const { forget, lines } = yield* Logs
      const { clientId, secret } = yield* key(0, "unlucky")
      const expected = refused(503, "identity_provider_unreachable", "The identity provider cannot be reached")
      yield* forget
      for (const as of [
        "reset",
        "garbage",
        { status: 500 },
        { status: 429 },
        { status: 400, body: { error: "invalid_scope" } }
      ] as const) {
        yield* fault({ service: "zitadel", method: "POST", path: "/oauth/v2/token", when: "before", as })
        assert.deepStrictEqual(refusalOf(yield* login(byCredential(clientId, secret))), expected, JSON.stringify(as))
      }
      yield* clearFaults
      const log = (yield* lines).join("\n")
      assert.strictEqual(log.split("a client's id and secret could not be exchanged").length, 6, log)
      assert.include(log, "zitadel get access token: no answer")
      for (const unsaid of [secret, clientId, Buffer.from(`${clientId}:${secret}`).toString("base64")]) {
        assert.notInclude(log, unsaid)
      }
      assert.strictEqual((yield* login(byCredential(clientId, secret))).status, 201)
    })
  )

  it.effect("asks about sixteen pairs at once; the others wait their turn", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const tap = yield* Tap
      const { clearFaults, fault } = yield* SimulatedCloud
      const slow = { service: "zitadel", method: "POST", path: "/oauth/v2/token", when: "before" } as const
      yield* fault({ ...slow, times: 16, as: { delay_ms: 3_000 } })
      yield* tap.forget
      const asked = Effect.map(tap.seen, (_) => _.filter(({ url }) => url === "/idp/oauth/v2/token").length)
      const pairs = Array.from({ length: 20 }, (_, n) => byCredential(`nobody-${n}`, "guess"))
      const all = yield* Effect.forkChild(Effect.forEach(pairs, (_) => login(_), { concurrency: "unbounded" }))
      yield* until(Effect.map(asked, (_) => _ >= 16))
      // Whoever has a token is not held up.
      assert.strictEqual((yield* login(byToken(acme.tokens[0]))).status, 201)
      assert.strictEqual(yield* asked, 16)
      yield* settle
      assert.strictEqual(yield* asked, 16)
      for (const { status } of yield* inTime(Fiber.join(all))) assert.strictEqual(status, 401)
      assert.strictEqual(yield* asked, 20)
      yield* clearFaults
    })
  )
})

const refused = (status: number, code: string, detail: string) => ({
  status,
  detail,
  code,
  error: { code: status, message: detail, title: STATUS_CODES[status] }
})

layer(compatible())("a token is read", (it) => {
  it.effect("by its holder alone", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const [read, operate] = acme.tokens
      const path = "/identity/v3/auth/tokens"
      const look = (subject: string | undefined) =>
        stock(read, "GET", path, subject === undefined ? {} : { headers: { "x-subject-token": subject } })
      const own = yield* look(read)
      assert.strictEqual(own.status, 200, own.text)
      assert.deepStrictEqual(
        [jsonOf(own).token.project.id, own.headers["x-subject-token"], own.headers["cache-control"]],
        [acme.projectId, read, "no-store"]
      )
      for (const other of [undefined, operate, "garbage", operator, ""]) {
        assert.deepStrictEqual(refusalOf(yield* look(other)), refused(404, "token_not_found", "Could not find token"))
      }
      const head = yield* stock(read, "HEAD", path, { headers: { "x-subject-token": read } })
      assert.deepStrictEqual([head.status, head.text], [200, ""])
      assert.strictEqual((yield* call("customer", "GET", `/v1/iaas${path}`)).status, 401)
      // To end it is a credential's revocation.
      const ended = yield* stock(acme.tokens[2], "DELETE", path, { headers: { "x-subject-token": read } })
      assert.deepStrictEqual([ended.status, jsonOf(ended).code], [403, "identity_route_refused"])
    })
  )
})

layer(
  compatible({
    CUSTOMER_PUBLIC_URL: "https://api.example.org/cloud/",
    OPENSTACK_REGION: "north",
    IAAS_KEY_MANAGER_URL: ""
  })
)("the catalog", (it) => {
  it.effect("has the plane's public address, the region, and the cloud's services", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { catalog } = jsonOf(yield* login(byToken(acme.tokens[0]))).token
      const types = catalog.map((_: { readonly type: string }) => _.type)
      assert.deepStrictEqual(
        types,
        services.map(([type]) => type).filter((_) => _ !== "key-manager")
      )
      const { endpoints } = catalog[2]
      assert.strictEqual(endpoints[0].url, "https://api.example.org/cloud/v1/iaas/network")
      assert.deepStrictEqual([endpoints[0].region, endpoints[0].region_id], ["north", "north"])
      const { versions } = jsonOf(yield* stock(acme.tokens[0], "GET", "/network"))
      assert.strictEqual(versions[0].links[0].href, "https://api.example.org/cloud/v1/iaas/network/v2.0/")
      assert.strictEqual((yield* stock(acme.tokens[0], "GET", "/key-manager")).status, 404)
    })
  )
})

layer(compatible())("below /openstack", (it) => {
  it.effect("a client finds the same services, in a catalog and versions below /openstack", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call, trace, url } = yield* TestGateway
      const at = `${url.customer}/openstack`
      const { versions } = jsonOf(yield* call("customer", "GET", "/openstack/identity/"))
      assert.strictEqual(versions.values[0].links[0].href, `${at}/identity/v3/`)
      const asked = { body: { auth: { identity: byToken(acme.tokens[0]) } } }
      const { token } = jsonOf(yield* call("customer", "POST", "/openstack/identity/v3/auth/tokens", asked))
      assert.deepStrictEqual(
        token.catalog.map((_: { endpoints: ReadonlyArray<{ url: string }> }) => _.endpoints[0]?.url),
        services.map(([, , service, rest]) => `${at}/${service}${rest.replace("{project}", acme.projectId)}`)
      )
      const headers = { "x-auth-token": acme.tokens[0] }
      const network = yield* call("customer", "GET", "/openstack/network/", { headers })
      assert.strictEqual(jsonOf(network).versions[0].links[0].href, `${at}/network/v2.0/`)
      assert.strictEqual((yield* call("customer", "GET", "/openstack/network/v2.0/networks", { headers })).status, 200)
      // It is a spelling, and no other way past a rule.
      const before = yield* trace
      const made = { headers, body: { network: { name: "x" } } }
      assert.strictEqual((yield* call("customer", "POST", "/openstack/network/v2.0/networks", made)).status, 403)
      assert.strictEqual((yield* call("customer", "GET", "/openstack/network/v2.0/networks")).status, 401)
      assert.strictEqual((yield* call("customer", "GET", "/openstack/../v1/whoami", { headers })).status, 400)
      assert.deepStrictEqual(yield* trace, before)
    })
  )
})

layer(compatible())("pages of images", (it) => {
  it.effect("continue in the caller's spelling", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const tap = yield* Tap
      const [, operate] = acme.tokens
      for (const name of ["a", "b", "c"]) {
        yield* stock(operate, "POST", "/image/v2/images", { body: { name } })
      }
      const next = (path: string) => Effect.map(stock(operate, "GET", path), (_) => String(jsonOf(_).next))
      assert.match(yield* next("/image/v2/images?limit=1"), /^\/v2\/images\?/)
      assert.match(yield* next("/image/images?limit=1"), /^\/v1\/iaas\/image\/images\?/)
      yield* tap.forget
      assert.strictEqual((yield* stock(operate, "GET", `/image${yield* next("/image/v2/images?limit=1")}`)).status, 200)
    })
  )
})
