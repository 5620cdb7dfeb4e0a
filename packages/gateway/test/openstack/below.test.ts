import { assert, layer } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Cast } from "../harness/Cast.ts"
import type { Asked } from "../harness/http.ts"
import { compatible } from "../harness/Stock.ts"
import { jsonOf, planes, TestGateway } from "../harness/TestGateway.ts"
import { metrics, valueOf } from "../observability/exposition.ts"
import { documents, violations } from "../routes/conforms.ts"

/** A call below `/openstack`, as a client of OpenStack makes it. */
const below = Effect.fnUntraced(function* (token: string | undefined, method: string, path: string, asked: Asked = {}) {
  const { call } = yield* TestGateway
  const headers = { ...asked.headers, ...(token === undefined ? {} : { "x-auth-token": token }) }
  return yield* call("customer", method, `/openstack${path}`, { ...asked, headers })
})

layer(compatible())("the versions of a service below /openstack", (it) => {
  it.effect("are public in the service's own form, at the requested address", () =>
    Effect.gen(function* () {
      const { call, url } = yield* TestGateway
      for (const plane of planes) {
        for (const [service, status, version] of [
          ["identity", 300, "v3"],
          ["compute", 200, "v2.1"],
          ["network", 200, "v2.0"],
          ["volume", 300, "v3"],
          ["image", 300, "v2"],
          ["dns", 200, "v2"],
          ["load-balancer", 200, "v2"],
          ["key-manager", 300, "v1"]
        ] as const) {
          const answer = yield* call(plane, "GET", `/openstack/${service}`)
          assert.strictEqual(answer.status, status, service)
          const { versions } = jsonOf(answer)
          const nested = service === "identity" || service === "key-manager"
          const list: ReadonlyArray<{ readonly links: ReadonlyArray<{ readonly href: string }> }> = nested
            ? versions.values
            : versions
          assert.isNotEmpty(list)
          for (const { links } of list) {
            assert.strictEqual(links[0]?.href, `${url[plane]}/openstack/${service}/${version}/`)
          }
          assert.match(
            answer.headers["x-openstack-request-id"] ?? "",
            /^req-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
          )
        }
      }
      const one = yield* below(undefined, "GET", "/compute/v2.1/")
      assert.deepStrictEqual([one.status, jsonOf(one).version.id], [200, "v2.1"])
      const listed = yield* below(undefined, "GET", "/volume/v3/")
      assert.deepStrictEqual([listed.status, jsonOf(listed).versions.length], [200, 1])
    })
  )

  it.effect("cost the service one call a minute, with any token", () =>
    Effect.gen(function* () {
      const { revoked } = yield* Cast
      const calls = Effect.map(metrics, (_) => valueOf(_, "portico_upstream_calls_total", { system: "nova" }) ?? 0)
      yield* TestClock.adjust("2 minutes")
      const before = yield* calls
      for (const token of [undefined, revoked, "garbage"]) {
        assert.strictEqual((yield* below(token, "GET", "/compute")).status, 200)
      }
      assert.strictEqual(yield* calls, before + 1)
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual((yield* below(undefined, "GET", "/compute")).status, 200)
      assert.strictEqual(yield* calls, before + 2)
    })
  )

  it.effect("are a 502 when a service does not answer them, and are read again", () =>
    Effect.gen(function* () {
      const { fault } = yield* SimulatedCloud
      yield* TestClock.adjust("2 minutes")
      yield* fault({ service: "nova", method: "GET", path: "/", when: "before", as: "reset" })
      const answer = yield* below(undefined, "GET", "/compute")
      const message = "compute: no answer"
      assert.deepStrictEqual(
        [answer.status, jsonOf(answer)],
        [502, { computeFault: { code: 502, message }, detail: message, code: "upstream_failed", transient: true }]
      )
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* below(undefined, "GET", "/compute")).status, 200)
    })
  )

  it.effect("are all that is public: other paths need a token", () =>
    Effect.gen(function* () {
      for (const path of [
        "/compute/v2.1/servers",
        "/network/v2.0/",
        "/network/v2.0/networks",
        "/volume/v3/x/volumes"
      ]) {
        assert.strictEqual((yield* below(undefined, "GET", path)).status, 401, path)
      }
    })
  )
})

const tierTooLow =
  "Insufficient credential tier: DELETE requires tier 2, the caller's credential is tier 0. Tiers: 0 read-only, 1 operate (writes), 2 destructive (deletes)."

layer(compatible())("a refusal below /openstack", (it) => {
  const contract = { detail: tierTooLow, code: "tier_too_low" }

  it.effect("has the shape of the service's own refusals", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const fault = { forbidden: { code: 403, message: tierTooLow }, ...contract }
      for (const [path, body, accept] of [
        ["/identity/v3/projects/x", { error: { code: 403, message: tierTooLow, title: "Forbidden" }, ...contract }],
        ["/compute/v2.1/servers/x", fault],
        ["/volume/v3/volumes/x", fault],
        [
          "/network/v2.0/networks/x",
          { NeutronError: { type: "tier_too_low", message: tierTooLow, detail: "" }, ...contract }
        ],
        [
          "/image/v2/images/x",
          { message: tierTooLow, code: "403 Forbidden", title: "Forbidden", detail: tierTooLow },
          "application/json"
        ],
        ["/key-manager/v1/secrets/x", { title: "Forbidden", description: tierTooLow, code: 403, detail: tierTooLow }],
        [
          "/load-balancer/v2.0/lbaas/pools/x",
          { faultcode: "Client", faultstring: tierTooLow, debuginfo: null, ...contract }
        ]
      ] as const) {
        const headers = accept === undefined ? {} : { accept }
        const answer = yield* below(acme.tokens[0], "DELETE", path, { headers })
        assert.deepStrictEqual([answer.status, jsonOf(answer)], [403, body], path)
        // Clients of Nova and Cinder take the first field for the one with the message.
        assert.strictEqual(Object.keys(jsonOf(answer))[0], Object.keys(body)[0])
        const id = answer.headers["x-openstack-request-id"]
        assert.strictEqual(id?.replaceAll("-", ""), `req${answer.headers["x-request-id"]}`)
        assert.strictEqual(answer.headers["x-compute-request-id"], path.startsWith("/compute") ? id : undefined)
      }
      const dns = yield* below(acme.tokens[0], "DELETE", "/dns/v2/zones/x")
      assert.deepStrictEqual(jsonOf(dns), {
        code: 403,
        type: "tier_too_low",
        message: tierTooLow,
        request_id: dns.headers["x-openstack-request-id"],
        detail: tierTooLow
      })
    })
  )

  it.effect("of the image service is HTML or text, unless the client asks for JSON alone", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      for (const [accept, type] of [
        ["*/*", "text/html; charset=UTF-8"],
        ["text/html, application/json", "text/html; charset=UTF-8"],
        ["text/plain", "text/plain; charset=UTF-8"],
        ["application/json", "application/json"]
      ] as const) {
        const answer = yield* below(acme.tokens[0], "DELETE", "/image/v2/images/x", { headers: { accept } })
        assert.deepStrictEqual([answer.status, answer.headers["content-type"]], [403, type])
        assert.include(answer.text, tierTooLow)
      }
      const odd = yield* below(acme.tokens[0], "GET", "/image/v2/im<b>ages", { headers: { accept: "*/*" } })
      assert.strictEqual(odd.status, 400)
      assert.notInclude(odd.text, "<b>")
    })
  )

  it.effect("is the same for a client with a Bearer token", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const answer = yield* call("customer", "DELETE", "/openstack/compute/servers/x", { token: acme.tokens[0] })
      assert.deepStrictEqual(jsonOf(answer), { forbidden: { code: 403, message: tierTooLow }, ...contract })
    })
  )

  it.effect("leaves the service's own answers unchanged", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const answer = yield* below(acme.tokens[0], "GET", "/compute/v2.1/servers/00000000-0000-0000-0000-000000000000")
      assert.deepStrictEqual([answer.status, Object.keys(jsonOf(answer))], [404, ["itemNotFound"]])
    })
  )
})

layer(compatible())("an answer below /openstack", (it) => {
  it.effect("has links back below /openstack", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { url } = yield* TestGateway
      const page = yield* below(acme.tokens[0], "GET", "/network/v2.0/security-group-rules?limit=1")
      const [next] = jsonOf(page).security_group_rules_links
      assert.match(next.href, new RegExp(`^${url.customer}/openstack/network/`))
      const image = { name: "x", disk_format: "raw", container_format: "bare" }
      const created = yield* below(acme.tokens[1], "POST", "/image/v2/images", { body: image })
      assert.strictEqual(created.status, 201, created.text)
      assert.match(created.headers["location"] ?? "", new RegExp(`^${url.customer}/openstack/image/`))
      const unversioned = yield* below(acme.tokens[0], "GET", `/image/images/${jsonOf(created).id}`)
      assert.strictEqual(jsonOf(unversioned).self, `/openstack/image/images/${jsonOf(created).id}`)
    })
  )

  it.effect("has a container's secrets in the shown spelling", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const secret = { name: "s", payload: "x", payload_content_type: "text/plain" }
      const { secret_ref } = jsonOf(yield* below(acme.tokens[1], "POST", "/key-manager/v1/secrets", { body: secret }))
      assert.include(secret_ref, "/openstack/key-manager/")
      const container = yield* below(acme.tokens[1], "POST", "/key-manager/v1/containers", {
        body: { type: "certificate", name: "c", secret_refs: [{ name: "certificate", secret_ref }] }
      })
      assert.strictEqual(container.status, 201, container.text)
    })
  )

  it.effect("has one project to choose from, the caller's own", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const { token } = jsonOf(
        yield* below(undefined, "POST", "/identity/v3/auth/tokens", {
          body: { auth: { identity: { methods: ["token"], token: { id: acme.tokens[0] } } } }
        })
      )
      const ids = Effect.fnUntraced(function* (path: string) {
        const answer = yield* below(acme.tokens[0], "GET", `/identity/v3/${path}`)
        return answer.status === 200 ? jsonOf(answer).projects.map((_: { readonly id: string }) => _.id) : answer.status
      })
      for (const path of ["projects", "auth/projects", `users/${token.user.id}/projects`, "projects?name=acme"]) {
        assert.deepStrictEqual(yield* ids(path), [acme.projectId], path)
      }
      for (const path of ["projects?name=globex", `projects?id=${globex.projectId}`, "projects?enabled=False"]) {
        assert.deepStrictEqual(yield* ids(path), [], path)
      }
      assert.strictEqual(yield* ids("users/another/projects"), 403)
      assert.strictEqual((yield* below(undefined, "GET", "/identity/v3/projects")).status, 401)
    })
  )

  it.effect("has the network's resources, extensions, and the own quota in detail", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const get = (path: string) => below(acme.tokens[0], "GET", `/network/v2.0/${path}`)
      const { url } = yield* TestGateway
      const [network] = jsonOf(yield* get("")).resources
      assert.deepStrictEqual([network.name, network.collection], ["network", "networks"])
      assert.match(network.links[0].href, new RegExp(`^${url.customer}/openstack/network/.*networks$`))
      assert.strictEqual((yield* get("extensions/auto-allocated-topology")).status, 200)
      assert.strictEqual((yield* get("auto-allocated-topology/x")).status, 403)
      const [plain, json] = yield* Effect.all([
        get(`quotas/${acme.projectId}/details`),
        get(`quotas/${acme.projectId}/details.json`)
      ])
      assert.deepStrictEqual([json.status, json.text], [plain.status, plain.text])
      assert.strictEqual((yield* get(`quotas/${acme.projectId}.json`)).status, 400)
    })
  )

  it.effect("has the import methods of images open to a tenant", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const answer = yield* below(acme.tokens[0], "GET", "/image/v2/info/import")
      assert.includeMembers(jsonOf(answer)["import-methods"].value, ["glance-direct"])
      assert.notInclude(answer.text, "web-download")
    })
  )

  it.effect("has a documented 401 with and without Keystone's form", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      for (const token of [undefined, "garbage"]) {
        const answer = yield* call("customer", "GET", "/v1/iaas/compute/servers", { token })
        assert.strictEqual("error" in jsonOf(answer), token === undefined)
        assert.deepStrictEqual(violations(documents.customer, "GET", "/v1/iaas/{path}", answer), [])
      }
    })
  )
})

layer(compatible())("a call below /openstack", (it) => {
  it.effect("with an empty id is a 404, like in the service's router", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      for (const [method, path, status] of [
        ["GET", "/compute/v2.1/servers/", 404],
        ["POST", "/compute/v2.1/servers/", 404],
        ["GET", "/volume/v3/volumes/?limit=1", 404],
        ["DELETE", "/image/v2/images/", 404],
        ["DELETE", "/network/v2.0/networks/", 404],
        ["GET", "/network/v2.0/networks/", 200],
        ["GET", "/network/v2.0/networks?name=a/", 200]
      ] as const) {
        const answer = yield* below(acme.tokens[2], method, path)
        assert.strictEqual(answer.status, status, `${method} ${path}: ${answer.text}`)
        if (status === 404) assert.match(answer.text, /No such route|Not Found/, path)
      }
    })
  )

  it.effect("for another project is not carried out in the own one, and a read shows the own", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const body = { network: { name: "mine" } }
      const { id } = jsonOf(yield* below(acme.tokens[2], "POST", "/network/v2.0/networks", { body })).network
      const path = `/network/v2.0/networks/${id}`
      for (const [query, headers] of [
        ["?all_tenants=1", {}],
        ["?all%5Fprojects=true", {}],
        ["", { "X-Auth-All-Projects": "true" }],
        ["", { "X-Auth-Sudo-Project-ID": globex.projectId }],
        ["", { "X-Auth-Sudo-Tenant-ID": globex.projectId }]
      ] as const) {
        const refused = yield* below(acme.tokens[2], "DELETE", `${path}${query}`, { headers })
        assert.strictEqual(refused.status, 403, refused.text)
        assert.include(refused.text, "asks for other projects than the credential's")
        const read = yield* below(acme.tokens[2], "GET", `${path}${query}`, { headers })
        assert.deepStrictEqual([read.status, jsonOf(read).network?.id], [200, id], read.text)
      }
      const own = { "X-Auth-All-Projects": "False", "X-Auth-Sudo-Project-ID": acme.projectId }
      const deleted = yield* below(acme.tokens[2], "DELETE", `${path}?all_tenants=0`, { headers: own })
      assert.strictEqual(deleted.status, 204, deleted.text)
    })
  )

  it.effect("answers the same about a token each time", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const token = acme.tokens[1]
      const looked = Effect.map(
        below(token, "GET", "/identity/v3/auth/tokens?nocatalog", { headers: { "x-subject-token": token } }),
        jsonOf
      )
      const first = yield* looked
      yield* TestClock.adjust("90 seconds")
      assert.deepStrictEqual(yield* looked, first)
    })
  )
})
