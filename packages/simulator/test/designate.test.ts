import { assert, describe, it } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ask, controlToken, tenantToken } from "./ask.ts"

const v2 = "/dns/v2"

const createZone = (token: string, name: string, more: Readonly<Record<string, unknown>> = {}) =>
  ask("POST", `${v2}/zones`, { token, json: { name, email: "hostmaster@example.org", ...more } })

/** A tenant with a zone that its name servers know. */
const zoned = Effect.fnUntraced(function* (tenant: string, zone: string) {
  const { projectId, token } = yield* tenantToken(tenant)
  const created = yield* createZone(token, zone)
  assert.strictEqual(created.status, 202, created.body)
  yield* TestClock.adjust("5 seconds")
  const id: string = created.json.id
  return { projectId, token, id, url: `${v2}/zones/${id}` }
})

const createRecordset = (token: string, zoneUrl: string, json: unknown) =>
  ask("POST", `${zoneUrl}/recordsets`, { token, json })

const www = { name: "www.example.org.", type: "A", records: ["192.0.2.1"] }

const everywhere = { "x-auth-all-projects": "true" }

const cloud = Effect.provide(SimulatedCloud.layerMemory)

it.effect("a zone is pending until the name servers serve it, and holds its name until they drop it", () =>
  Effect.gen(function* () {
    const { projectId, token } = yield* tenantToken("acme")
    const created = yield* createZone(token, "example.org.", { ttl: 300, description: "ours" })
    assert.strictEqual(created.status, 202)
    const { id, serial } = created.json
    const url = `${v2}/zones/${id}`
    assert.deepInclude(created.json, {
      name: "example.org.",
      project_id: projectId,
      status: "PENDING",
      action: "CREATE",
      type: "PRIMARY",
      ttl: 300,
      description: "ours",
      links: { self: `http://cloud.simulated${url}` }
    })
    assert.strictEqual(created.headers["location"], `http://cloud.simulated${url}`)
    yield* TestClock.adjust("5 seconds")
    const shown = yield* ask("GET", url, { token })
    assert.deepStrictEqual([shown.status, shown.json.status, shown.json.action], [200, "ACTIVE", "NONE"])
    const patched = yield* ask("PATCH", url, { token, json: { email: "dns@example.org", description: null } })
    assert.strictEqual(patched.status, 202)
    assert.deepInclude(patched.json, { email: "dns@example.org", description: null, ttl: 300, action: "UPDATE" })
    assert.isAbove(patched.json.serial, serial)
    const { nameservers } = (yield* ask("GET", `${url}/nameservers`, { token })).json
    assert.deepStrictEqual(
      nameservers.map((_: { priority: number }) => _.priority),
      [1, 2]
    )
    const removed = yield* ask("DELETE", url, { token })
    assert.deepStrictEqual([removed.status, removed.json.status, removed.json.action], [202, "PENDING", "DELETE"])
    assert.strictEqual((yield* createZone(token, "example.org.")).status, 409)
    assert.strictEqual((yield* ask("PATCH", url, { token, json: { ttl: 60 } })).status, 400)
    assert.strictEqual((yield* createRecordset(token, url, www)).status, 400)
    yield* TestClock.adjust("5 seconds")
    assert.strictEqual((yield* ask("DELETE", url, { token })).status, 404)
    const state = yield* (yield* SimulatedCloud).state
    assert.deepStrictEqual([state["designate.zones"], state["designate.recordsets"]], [[], []])
    assert.strictEqual((yield* createZone(token, "example.org.")).status, 202)
  }).pipe(cloud)
)

it.effect("names are one tree for all tenants", () =>
  Effect.gen(function* () {
    const acme = yield* zoned("acme", "example.org.")
    const globex = yield* tenantToken("globex")
    const refusals: ReadonlyArray<readonly [string, string, number, string]> = [
      [globex.token, "example.org.", 409, "duplicate_zone"],
      [globex.token, "EXAMPLE.org.", 409, "duplicate_zone"],
      [globex.token, "a.b.example.org.", 403, "illegal_child"],
      [acme.token, "org.", 400, "invalid_zone_name"]
    ]
    for (const [token, name, status, type] of refusals) {
      const answer = yield* createZone(token, name)
      assert.deepStrictEqual([answer.status, answer.json.code, answer.json.type], [status, status, type], name)
      assert.match(answer.json.request_id, /^req-/)
    }
    assert.strictEqual((yield* createZone(acme.token, "sub.a.example.org.")).status, 202)
    const held = yield* ask("DELETE", acme.url, { token: acme.token })
    assert.deepStrictEqual([held.status, held.json.type], [400, "zone_has_sub_zone"])
    assert.strictEqual((yield* createZone(globex.token, "b.sub.globex.org.")).status, 202)
    const above = yield* createZone(acme.token, "globex.org.")
    assert.deepStrictEqual([above.status, above.json.type], [403, "illegal_parent"])
  }).pipe(cloud)
)

describe("bodies of requests", () => {
  const required = (property: string, path: ReadonlyArray<unknown>, validator_value: unknown) => ({
    errors: {
      errors: [{ path, message: `'${property}' is a required property`, validator: "required", validator_value }]
    }
  })
  const misvalued = (why: string) => ({
    message: `Provided object is not valid. Got a ValueError error with message ${why}`
  })
  const zones: ReadonlyArray<readonly [string, unknown, object]> = [
    ["a name without its dot", { name: "example.org" }, misvalued("Domain example.org does not end with a dot")],
    ["a name with a blank", { name: "a b.org." }, misvalued("Domain a b.org. is invalid")],
    ["a name that is too long", { name: `${"x".repeat(64)}.org.` }, misvalued(`Host ${"x".repeat(64)} is too long`)],
    ["no name", { name: undefined }, required("name", ["records", 0, "name"], ["name"])],
    ["no address", { email: undefined }, required("email", ["type", "email"], "email")],
    ["no good address", { email: "hostmaster" }, misvalued("hostmaster is not an email")],
    ["a negative time to live", { ttl: -1 }, misvalued("Value must be >= 0 for field ttl")],
    ["an odd type", { type: "ODD" }, misvalued("Field value ODD is invalid")]
  ]
  it.effect.each(zones)("a zone with %s is an invalid object", ([, given, why]) =>
    Effect.gen(function* () {
      const { token } = yield* tenantToken("acme")
      const answer = yield* ask("POST", `${v2}/zones`, {
        token,
        json: { name: "example.org.", email: "a@example.org", ...(given as object) }
      })
      const { request_id: _, ...json } = answer.json
      assert.strictEqual(answer.status, 400)
      assert.deepStrictEqual(json, { code: 400, type: "invalid_object", ...why })
    }).pipe(cloud)
  )

  const data: ReadonlyArray<readonly [string, string, boolean]> = [
    ["A", "192.0.2.1", true],
    ["A", "192.0.2", false],
    ["A", "2001:db8::1", false],
    ["AAAA", "2001:db8::1", true],
    ["AAAA", "192.0.2.1", false],
    ["CNAME", "other.example.org.", true],
    ["CNAME", "other.example.org", false],
    ["MX", "10 mail.example.org.", true],
    ["MX", "10 mail.example.org", false],
    ["MX", "mail.example.org.", false],
    ["MX", "70000 mail.example.org.", false],
    ["TXT", '"v=spf1 -all"', true],
    ["TXT", "v=spf1 -all", false],
    ["TXT", "one-word", true],
    ["TXT", '"a"b"', false],
    ["TXT", "end\\", false]
  ]
  it.effect.each(data)("%s %s", ([type, record, good]) =>
    Effect.gen(function* () {
      const { token, url } = yield* zoned("acme", "example.org.")
      const answer = yield* createRecordset(token, url, { name: "www.example.org.", type, records: [record] })
      assert.strictEqual(answer.status, good ? 202 : 400, answer.body)
      if (!good) {
        const message = `'${record}' is not a '${type}' Record`
        const flaw = { path: ["records", 0], message, validator: "format", validator_value: [type] }
        assert.deepStrictEqual(answer.json.errors.errors, [flaw])
      }
    }).pipe(cloud)
  )

  it.effect("unknown or fixed keys, malformed bodies, media types and ids have their own errors", () =>
    Effect.gen(function* () {
      const { token, url } = yield* zoned("acme", "example.org.")
      const json = { headers: { "content-type": "application/json" } }
      const wrongKey = (key: string, resource: string) =>
        `Provided object does not match schema. Keys ['${key}'] are not valid for ${resource}`
      const table: ReadonlyArray<readonly [string, string, object, number, string, string | undefined]> = [
        ["PATCH", url, { json: { name: "example.com." } }, 400, "invalid_object", wrongKey("name", "zone")],
        ["PATCH", url, { json: { project_id: "x" } }, 400, "invalid_object", wrongKey("project_id", "zone")],
        ["PATCH", url, { json: { colour: 1 } }, 400, "invalid_object", wrongKey("colour", "zone")],
        ["POST", `${v2}/zones`, {}, 415, "unsupported_content_type", "Content-type must be application/json"],
        ["POST", `${v2}/zones`, json, 400, "empty_request_body", "Request Body is empty"],
        ["POST", `${v2}/zones`, { ...json, body: "{" }, 400, "invalid_json", undefined],
        ["POST", `${v2}/zones`, { body: "{}" }, 415, "unsupported_content_type", undefined],
        ["GET", `${v2}/zones/none`, {}, 400, "invalid_uuid", "Invalid UUID zone_id: none"],
        ["PUT", url, { json: {} }, 405, "method_not_allowed", undefined]
      ]
      for (const [method, path, options, status, type, message] of table) {
        const answer = yield* ask(method, path, { token, ...options })
        assert.deepStrictEqual([answer.status, answer.json.type], [status, type], `${method} ${path} ${answer.body}`)
        if (message !== undefined) assert.strictEqual(answer.json.message, message)
      }
      // What is there already is no change.
      const same = yield* ask("PATCH", url, { token, json: { name: "example.org.", ttl: 60 } })
      assert.deepStrictEqual([same.status, same.json.ttl], [202, 60])
    }).pipe(cloud)
  )
})

it.effect("a recordset is created, replaced with PUT, never patched, and removed at once", () =>
  Effect.gen(function* () {
    const { token, url } = yield* zoned("acme", "example.org.")
    const { serial } = (yield* ask("GET", url, { token })).json
    const created = yield* createRecordset(token, url, { ...www, records: ["192.0.2.1", "192.0.2.1"], ttl: 60 })
    assert.strictEqual(created.status, 202)
    assert.deepInclude(created.json, {
      ...www,
      ttl: 60,
      status: "PENDING",
      action: "CREATE",
      zone_name: "example.org."
    })
    const one = `${url}/recordsets/${created.json.id}`
    assert.strictEqual(created.headers["location"], `http://cloud.simulated${one}`)
    const zone = (yield* ask("GET", url, { token })).json
    assert.deepStrictEqual([zone.status, zone.action], ["PENDING", "UPDATE"])
    assert.isAbove(zone.serial, serial)
    yield* TestClock.adjust("5 seconds")
    assert.strictEqual((yield* ask("GET", one, { token })).json.status, "ACTIVE")
    const patched = yield* ask("PATCH", one, { token, json: { ttl: 1 } })
    assert.deepStrictEqual([patched.status, patched.json.type], [405, "method_not_allowed"])
    const put = yield* ask("PUT", one, { token, json: { records: ["192.0.2.7"] } })
    assert.deepStrictEqual([put.status, put.json.records, put.json.ttl, put.json.version], [202, ["192.0.2.7"], 60, 2])
    assert.strictEqual((yield* ask("PUT", one, { token, json: { type: "TXT" } })).json.type, "invalid_object")
    assert.strictEqual((yield* ask("PUT", one, { token, json: { records: ["x"] } })).status, 400)
    const moved = yield* ask("GET", `${v2}/recordsets/${created.json.id}`, { token })
    assert.deepStrictEqual([moved.status, moved.headers["location"]], [301, `http://cloud.simulated${one}`])
    const removed = yield* ask("DELETE", one, { token })
    assert.deepStrictEqual([removed.status, removed.json.action], [202, "DELETE"])
    const again = yield* ask("DELETE", one, { token })
    assert.deepStrictEqual([again.status, again.json.type], [404, "recordset_not_found"])
  }).pipe(cloud)
)

it.effect("names and types are restricted to their places", () =>
  Effect.gen(function* () {
    const { token, url } = yield* zoned("acme", "example.org.")
    yield* createZone(token, "sub.example.org.")
    assert.strictEqual((yield* createRecordset(token, url, www)).status, 202)
    const cname = { type: "CNAME", records: ["other.example.com."] }
    const aliased = yield* createRecordset(token, url, { ...cname, name: "alias.example.org." })
    assert.strictEqual(aliased.status, 202)
    const table: ReadonlyArray<readonly [object, number, string]> = [
      [www, 409, "duplicate_recordset"],
      [{ ...www, name: "www.example.com." }, 400, "invalid_recordset_location"],
      [{ ...www, name: "badexample.org." }, 400, "invalid_recordset_location"],
      [{ ...www, name: "x.sub.example.org." }, 400, "invalid_recordset_location"],
      [{ ...cname, name: "example.org." }, 400, "invalid_recordset_location"],
      [{ ...cname, name: "www.example.org." }, 400, "invalid_recordset_location"],
      [{ ...www, name: "alias.example.org." }, 400, "invalid_recordset_location"],
      [{ type: "CNAME", name: "two.example.org.", records: ["a.example.org.", "b.example.org."] }, 400, "bad_request"],
      [{ ...www, name: "*.example.org." }, 202, ""],
      [{ ...www, name: "www" }, 400, "invalid_object"],
      [{ ...www, name: "none.example.org.", records: [] }, 201, "A"],
      [{ ...www, name: "odd.example.org.", type: "ODD" }, 400, "invalid_object"],
      [{ name: "example.org.", type: "NS", records: ["ns.example.com."] }, 409, "duplicate_recordset"],
      [{ name: "example.org.", type: "SOA", records: ["ns1. a. 1 2 3 4 5"] }, 400, "bad_request"]
    ]
    for (const [json, status, type] of table) {
      const answer = yield* createRecordset(token, url, json)
      const seen = [answer.status, status === 202 ? "" : answer.json.type]
      assert.deepStrictEqual(seen, [status, type], JSON.stringify(json))
    }
  }).pipe(cloud)
)

it.effect("SOA and NS of the apex belong to the service, unless an administrator overrides them", () =>
  Effect.gen(function* () {
    const { id, token, url } = yield* zoned("acme", "example.org.")
    const { serial } = (yield* ask("GET", url, { token })).json
    const managed: ReadonlyArray<{ id: string; type: string; records: ReadonlyArray<string> }> = (yield* ask(
      "GET",
      `${url}/recordsets`,
      { token }
    )).json.recordsets
    assert.sameMembers(
      managed.map((_) => _.type),
      ["SOA", "NS"]
    )
    const of = (type: string) => managed.find((_) => _.type === type)
    assert.deepStrictEqual(of("SOA")?.records, [
      `ns1.dns.simulated. hostmaster.example.org. ${serial} 3600 600 86400 3600`
    ])
    const admin = yield* controlToken
    const edit = { ...everywhere, "x-designate-edit-managed-records": "true" }
    const table: ReadonlyArray<readonly [string, string, string, Readonly<Record<string, string>>, number]> = [
      ["PUT", "NS", token, {}, 400],
      ["PUT", "SOA", token, {}, 400],
      ["DELETE", "NS", token, {}, 400],
      ["DELETE", "SOA", token, {}, 400],
      ["PUT", "NS", token, { "x-designate-edit-managed-records": "true" }, 403],
      ["PUT", "NS", admin, edit, 400],
      ["PUT", "SOA", admin, edit, 400],
      ["DELETE", "SOA", admin, edit, 400],
      ["DELETE", "NS", admin, edit, 202]
    ]
    for (const [method, type, as, headers, status] of table) {
      const path = `${v2}/zones/${id}/recordsets/${of(type)?.id}`
      const json = method === "PUT" ? { records: ["ns.example.com."] } : undefined
      assert.strictEqual((yield* ask(method, path, { token: as, headers, json })).status, status, `${method} ${type}`)
    }
  }).pipe(cloud)
)

it.effect("lists have filters, pages and counts, and links that begin with the requested host", () =>
  Effect.gen(function* () {
    const { token } = yield* tenantToken("acme")
    for (const n of [1, 2, 3]) {
      assert.strictEqual((yield* createZone(token, `z${n}.example.org.`)).status, 202)
      yield* TestClock.adjust("1 second")
    }
    const list = (query: string, headers = {}) => ask("GET", `${v2}/zones${query}`, { token, headers })
    const names = (answer: Effect.Success<ReturnType<typeof list>>) =>
      answer.json.zones.map((_: { name: string }) => _.name.slice(0, 2))
    const first = yield* list("?limit=2")
    assert.deepStrictEqual([names(first), first.json.metadata], [["z1", "z2"], { total_count: 3 }])
    assert.strictEqual(first.json.links.self, "http://cloud.simulated/dns/v2/zones?limit=2")
    const next = new URL(first.json.links.next)
    assert.strictEqual(next.pathname, "/dns/v2/zones")
    const second = yield* list(next.search)
    assert.deepStrictEqual([names(second), "next" in second.json.links], [["z3"], false])
    assert.deepStrictEqual(names(yield* list("?sort_key=name&sort_dir=desc")), ["z3", "z2", "z1"])
    assert.deepStrictEqual(names(yield* list("?name=z2.example.org.")), ["z2"])
    assert.deepStrictEqual(names(yield* list("?name=z*&status=PENDING")), ["z3"])
    const hidden = yield* list("", { "openstack-dns-hide-counts": "true" })
    assert.deepStrictEqual(hidden.json.metadata, {})
    const refused: ReadonlyArray<readonly [string, string]> = [
      ["?colour=red", "bad_request"],
      ["?limit=0", "invalid_limit"],
      ["?sort_key=colour", "invalid_sort_key"],
      ["?sort_dir=up", "invalid_sort_dir"],
      ["?marker=00000000-0000-4000-8000-000000000000", "marker_not_found"]
    ]
    for (const [query, type] of refused) {
      const answer = yield* list(query)
      assert.deepStrictEqual([answer.status, answer.json.type], [400, type], query)
    }
    const byData = yield* ask("GET", `${v2}/recordsets?data=*z2*&type=SOA`, { token })
    assert.strictEqual(byData.json.recordsets.length, 0)
    const soas = yield* ask("GET", `${v2}/recordsets?type=SOA`, { token })
    assert.strictEqual(soas.json.metadata.total_count, 3)
  }).pipe(cloud)
)

it.effect("another project's zones are absent, and only an administrator looks across or acts as another", () =>
  Effect.gen(function* () {
    const acme = yield* zoned("acme", "example.org.")
    const globex = yield* tenantToken("globex")
    const admin = yield* controlToken
    const recordset = (yield* createRecordset(acme.token, acme.url, www)).json.id
    const one = `${acme.url}/recordsets/${recordset}`
    const hidden: ReadonlyArray<readonly [string, string, unknown]> = [
      ["GET", acme.url, undefined],
      ["PATCH", acme.url, { ttl: 1 }],
      ["DELETE", acme.url, undefined],
      ["GET", `${acme.url}/nameservers`, undefined],
      ["GET", `${acme.url}/recordsets`, undefined],
      ["POST", `${acme.url}/recordsets`, { ...www, name: "x.example.org." }],
      ["PUT", one, { ttl: 1 }],
      ["DELETE", one, undefined],
      ["GET", `${v2}/recordsets/${recordset}`, undefined],
      ["POST", `${acme.url}/tasks/export`, undefined],
      ["POST", `${acme.url}/tasks/transfer_requests`, {}]
    ]
    for (const token of [globex.token, admin]) {
      for (const [method, path, json] of hidden) {
        assert.strictEqual((yield* ask(method, path, { token, json })).status, 404, `${method} ${path}`)
      }
      assert.deepStrictEqual((yield* ask("GET", `${v2}/zones`, { token })).json.zones, [])
    }
    const wide: ReadonlyArray<readonly [string, Readonly<Record<string, string>>]> = [
      ["", everywhere],
      ["?all_tenants=1", {}],
      ["?all_projects=true", {}],
      ["", { "x-auth-sudo-project-id": acme.projectId }],
      ["", { "x-auth-sudo-tenant-id": acme.projectId }]
    ]
    for (const [query, headers] of wide) {
      const mine = yield* ask("GET", `${v2}/zones${query}`, { token: admin, headers })
      assert.deepStrictEqual([mine.status, mine.json.zones.length], [200, 1], JSON.stringify(headers))
      const theirs = yield* ask("GET", `${v2}/zones${query}`, { token: globex.token, headers })
      assert.deepStrictEqual([theirs.status, theirs.body], [403, ""], JSON.stringify(headers))
    }
    const narrow = yield* ask("GET", `${v2}/zones?all_tenants=0`, { token: globex.token })
    assert.deepStrictEqual([narrow.status, narrow.json.zones], [200, []])
    const stamped = yield* ask("GET", acme.url, { token: globex.token, headers: { "x-project-id": acme.projectId } })
    assert.strictEqual(stamped.status, 404)
    const made = yield* ask("POST", `${v2}/zones`, {
      token: admin,
      headers: { "x-auth-sudo-project-id": globex.projectId },
      json: { name: "globex.org.", email: "a@globex.org" }
    })
    assert.deepStrictEqual([made.status, made.json.project_id], [202, globex.projectId])
    assert.strictEqual((yield* ask("GET", `${v2}/zones`)).status, 401)
  }).pipe(cloud)
)

it.effect("quotas are limits without usage; another project's need the all-projects flag", () =>
  Effect.gen(function* () {
    const { projectId, token, url } = yield* zoned("acme", "example.org.")
    const admin = yield* controlToken
    const quotas = `${v2}/quotas/${projectId}`
    assert.deepStrictEqual((yield* ask("GET", quotas, { token })).json, {
      zones: 10,
      zone_recordsets: 500,
      zone_records: 500,
      recordset_records: 20,
      api_export_size: 1000
    })
    const patch = (json: unknown, as = admin, headers = everywhere) =>
      ask("PATCH", quotas, { token: as, headers, json })
    assert.strictEqual((yield* ask("GET", quotas, { token: admin })).status, 403)
    assert.strictEqual((yield* ask("PATCH", quotas, { token: admin, json: { zones: 1 } })).status, 403)
    assert.strictEqual((yield* ask("PATCH", quotas, { token, json: { zones: 99 } })).status, 403)
    assert.strictEqual((yield* ask("PUT", quotas, { token: admin, headers: everywhere, json: {} })).status, 405)
    assert.strictEqual((yield* patch({ zones: -2 })).status, 400)
    assert.strictEqual((yield* patch({ colours: 2 })).status, 400)
    const written = yield* patch({ zones: 1, recordset_records: 1, zone_recordsets: 2 })
    assert.deepInclude(written.json, { zones: 1, recordset_records: 1, api_export_size: 1000 })
    const over = yield* createZone(token, "example.com.")
    const { request_id: _, ...json } = over.json
    assert.strictEqual(over.status, 413)
    assert.deepStrictEqual(json, { code: 413, type: "over_quota", message: "Quota exceeded for zones." })
    const two = yield* createRecordset(token, url, { ...www, records: ["192.0.2.1", "192.0.2.2"] })
    assert.strictEqual(two.json.message, "Quota exceeded for recordset_records.")
    const names = ["a", "b", "c"].map((_) => ({ ...www, name: `${_}.example.org.` }))
    const statuses = yield* Effect.forEach(names, (_) => createRecordset(token, url, _))
    assert.deepStrictEqual(
      statuses.map((_) => _.status),
      [202, 202, 413]
    )
    assert.strictEqual((yield* patch({ zones: 0 })).status, 200)
    assert.strictEqual((yield* ask("DELETE", quotas, { token: admin, headers: everywhere })).status, 204)
    assert.strictEqual((yield* createZone(token, "example.com.")).status, 202)
  }).pipe(cloud)
)

const zoneFile = `$ORIGIN example.org.
$TTL 300
@ IN SOA ns1.example.org. host.example.org. (
    2026010101 ; serial
    3600 600 86400 300 )
  IN NS ns1.example.org.
www 60 IN A 192.0.2.1
    60 IN A 192.0.2.2
@ IN MX 10 mail
txt IN TXT "a; b" "c"
`

it.effect("a zone file becomes a new zone, and a zone becomes a zone file", () =>
  Effect.gen(function* () {
    const { token } = yield* tenantToken("acme")
    const imports = `${v2}/zones/tasks/imports`
    const load = (body: string, type = "text/dns") =>
      ask("POST", imports, { token, body, headers: { "content-type": type } })
    assert.strictEqual((yield* load(zoneFile, "text/plain")).status, 415)
    const asked = yield* load(zoneFile)
    assert.strictEqual(asked.status, 202)
    assert.deepInclude(asked.json, { status: "PENDING", zone_id: null, message: null })
    yield* TestClock.adjust("5 seconds")
    const done = (yield* ask("GET", `${imports}/${asked.json.id}`, { token })).json
    assert.deepInclude(done, { status: "COMPLETE", message: "example.org. imported" })
    const url = `${v2}/zones/${done.zone_id}`
    assert.deepInclude((yield* ask("GET", url, { token })).json, { email: "host@example.org", ttl: 300 })
    const { recordsets } = (yield* ask("GET", `${url}/recordsets`, { token })).json
    const rows = recordsets.map((_: Record<string, unknown>) => [_["name"], _["type"], _["ttl"], _["records"]])
    assert.sameDeepMembers(
      rows.filter((_: ReadonlyArray<unknown>) => _[1] !== "SOA" && _[1] !== "NS"),
      [
        ["www.example.org.", "A", 60, ["192.0.2.1", "192.0.2.2"]],
        ["example.org.", "MX", 300, ["10 mail.example.org."]],
        ["txt.example.org.", "TXT", 300, ['"a; b" "c"']]
      ]
    )
    const bad: ReadonlyArray<readonly [string, string]> = [
      ["www IN A 192.0.2.1", "The $ORIGIN statement is required and must be the first statement in the zonefile."],
      [zoneFile, "Duplicate zone."],
      ["$ORIGIN a.org.\nwww IN A", "Malformed zonefile."],
      [zoneFile.replace("example.org.", "a.org.").replace("192.0.2.1", "x"), "Malformed zonefile."]
    ]
    for (const [text, message] of bad) {
      const { id } = (yield* load(text)).json
      yield* TestClock.adjust("5 seconds")
      const failed = (yield* ask("GET", `${imports}/${id}`, { token })).json
      assert.deepStrictEqual([failed.status, failed.message, failed.zone_id], ["ERROR", message, null])
    }
    assert.strictEqual((yield* ask("GET", `${v2}/zones`, { token })).json.zones.length, 1)
    const exported = yield* ask("POST", `${url}/tasks/export`, { token })
    assert.deepStrictEqual([exported.status, exported.json.status], [202, "PENDING"])
    const task = `${v2}/zones/tasks/exports/${exported.json.id}`
    assert.strictEqual((yield* ask("GET", `${task}/export`, { token, headers: { accept: "text/dns" } })).status, 400)
    yield* TestClock.adjust("5 seconds")
    const { links, status } = (yield* ask("GET", task, { token })).json
    assert.deepStrictEqual([status, links.export], ["COMPLETE", `http://cloud.simulated${task}/export`])
    const file = yield* ask("GET", `${task}/export`, { token, headers: { accept: "text/dns" } })
    assert.deepStrictEqual([file.status, file.headers["content-type"]], [200, "text/dns"])
    assert.include(file.body, "www.example.org. 60 IN A 192.0.2.2\n")
    const globex = yield* tenantToken("globex")
    for (const path of [`${imports}/${asked.json.id}`, task, `${task}/export`]) {
      const headers = { accept: "application/json, text/dns" }
      assert.strictEqual((yield* ask("GET", path, { token: globex.token, headers })).status, 404)
    }
    assert.strictEqual((yield* ask("DELETE", `${imports}/${asked.json.id}`, { token })).status, 204)
    assert.strictEqual((yield* ask("DELETE", task, { token })).status, 204)
  }).pipe(cloud)
)

it.effect("a transfer moves a zone to any project with the key, or to the named project alone", () =>
  Effect.gen(function* () {
    const acme = yield* zoned("acme", "example.org.")
    const globex = yield* tenantToken("globex")
    const initech = yield* tenantToken("initech")
    const tasks = `${v2}/zones/tasks`
    const offer = ask("POST", `${acme.url}/tasks/transfer_requests`, {
      token: acme.token,
      json: { target_project_id: globex.projectId }
    })
    const offered = yield* offer
    assert.strictEqual(offered.status, 201)
    const { id, key } = offered.json
    assert.match(key, /^[0-9A-Z]{8}$/)
    assert.strictEqual((yield* offer).status, 409)
    const one = `${tasks}/transfer_requests/${id}`
    const seen = yield* ask("GET", one, { token: globex.token })
    assert.deepStrictEqual(Object.keys(seen.json).toSorted(), [
      "description",
      "id",
      "links",
      "status",
      "zone_id",
      "zone_name"
    ])
    assert.strictEqual((yield* ask("GET", one, { token: initech.token })).status, 403)
    const listed = (token: string) =>
      Effect.map(ask("GET", `${tasks}/transfer_requests`, { token }), (_) => _.json.transfer_requests.length)
    assert.deepStrictEqual(
      [yield* listed(acme.token), yield* listed(globex.token), yield* listed(initech.token)],
      [1, 1, 0]
    )
    assert.strictEqual((yield* ask("DELETE", one, { token: globex.token })).status, 403)
    assert.strictEqual((yield* ask("DELETE", one, { token: initech.token })).status, 404)
    const accept = (token: string, given: string) =>
      ask("POST", `${tasks}/transfer_accepts`, { token, json: { key: given, zone_transfer_request_id: id } })
    const refusals: ReadonlyArray<readonly [string, string, string]> = [
      [globex.token, "WRONG", "invalid_key"],
      [initech.token, key, "forbidden"]
    ]
    for (const [token, given, type] of refusals) {
      const answer = yield* accept(token, given)
      assert.deepStrictEqual([answer.status, answer.json.type], [403, type])
    }
    const accepted = yield* accept(globex.token, key)
    assert.strictEqual(accepted.status, 201)
    assert.deepInclude(accepted.json, { status: "COMPLETE", project_id: globex.projectId, zone_id: acme.id })
    assert.strictEqual((yield* ask("GET", acme.url, { token: acme.token })).status, 404)
    assert.strictEqual((yield* ask("GET", `${acme.url}/recordsets`, { token: globex.token })).status, 200)
    assert.strictEqual((yield* accept(globex.token, key)).json.type, "invalid_zone_transfer_request")
    assert.strictEqual((yield* ask("GET", `${tasks}/transfer_accepts`, { token: globex.token })).status, 403)
    const entry = `${tasks}/transfer_accepts/${accepted.json.id}`
    assert.strictEqual((yield* ask("GET", entry, { token: globex.token })).status, 200)
    assert.strictEqual((yield* ask("GET", entry, { token: acme.token })).status, 404)
  }).pipe(cloud)
)
