import { assert, describe, it } from "@effect/vitest"
import { cursorOf, positionOf } from "@portico/contract/Page"
import { createZone } from "@portico/domain/dns/createZone"
import { checkDelegation } from "@portico/domain/dns/delegation"
import { changeRecordset, createRecordset, listRecordsets, removeRecordset } from "@portico/domain/dns/recordsets"
import { changeZone, listZones, removeZone, showZone } from "@portico/domain/dns/zones"
import { suspend } from "@portico/domain/tenants/suspend"
import { nameServers } from "@portico/simulator/designate/state"
import { publish } from "@portico/simulator/dns/state"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import { inTime } from "@portico/testing/clock"
import { acmeWithZone, added, callsMade, page, recordsetNamed, writtenIn, zonesOf } from "./dns.ts"
import { from, seedOf } from "@portico/testing/cloud/seeded"
import { tenantOf } from "@portico/testing/tenants/tenant"

const begun = from(await seedOf(acmeWithZone))

const absent = "11111111-2222-4333-8444-555555555555"

/** `tag: detail` of a failure. */
const refusal = <A, R>(effect: Effect.Effect<A, { readonly _tag: string; readonly detail: unknown }, R>) =>
  Effect.map(Effect.flip(inTime(effect)), (_) => `${_._tag}: ${String(_.detail)}`)

describe("a zone", () => {
  it.effect("is pending, then active, then leaving; and has its name servers", () =>
    begun(({ acme }) =>
      Effect.gen(function* () {
        const made = yield* inTime(createZone(acme, { name: "Shop.Example.", ttl: 300, description: "ours" }))
        assert.deepInclude(made, {
          name: "shop.example.",
          email: "hostmaster@shop.example",
          ttl: 300,
          description: "ours",
          status: "PENDING",
          action: "CREATE"
        })
        assert.match(made.created_at, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
        yield* TestClock.adjust("5 seconds")
        assert.deepInclude(yield* inTime(showZone(acme, made.zone_id)), { status: "ACTIVE", action: "NONE" })
        const changed = yield* inTime(changeZone(acme, made.zone_id, { email: "dns@shop.example", description: null }))
        assert.deepInclude(changed, { email: "dns@shop.example", description: null, ttl: 300, action: "UPDATE" })
        assert.strictEqual((yield* inTime(changeZone(acme, made.zone_id, {}))).email, "dns@shop.example")
        const leaving = yield* inTime(removeZone(acme, made.zone_id))
        assert.deepInclude(leaving, { name: "shop.example.", status: "PENDING", action: "DELETE" })
        assert.deepStrictEqual((yield* inTime(removeZone(acme, made.zone_id))).action, "DELETE", "a second time")
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual(yield* refusal(showZone(acme, made.zone_id)), `NotFound: Zone '${made.zone_id}' not found`)
      })
    )
  )

  it.effect("of another tenant, an unknown one and a malformed id are the same 404", () =>
    begun(({ globex, zone }) =>
      Effect.gen(function* () {
        for (const id of [zone, absent, "x", zone.replaceAll("-", ""), zone.toUpperCase(), `${zone}/recordsets`, ""]) {
          const words = `NotFound: Zone '${id}' not found`
          assert.strictEqual(yield* refusal(showZone(globex, id)), words)
          assert.strictEqual(yield* refusal(changeZone(globex, id, { ttl: 60 })), words)
          assert.strictEqual(yield* refusal(removeZone(globex, id)), words)
          assert.strictEqual(yield* refusal(listRecordsets(globex, id, {}, page)), words)
          assert.strictEqual(yield* refusal(removeRecordset(globex, id, absent)), words)
          assert.strictEqual(yield* refusal(checkDelegation(globex, id)), words)
        }
        assert.deepStrictEqual((yield* inTime(listZones(globex, page))).zones, [])
      })
    )
  )

  it.effect("shared by another project belongs to that project alone", () =>
    begun(({ acme, globex }) =>
      Effect.gen(function* () {
        // As a release that can share zones shows one: it is in the list, and can be read.
        const cloud = yield* SimulatedCloud
        const shown = {
          id: absent,
          project_id: acme,
          name: "shared.example.",
          email: "a@b.example",
          ttl: 60,
          serial: 1,
          description: null,
          status: "ACTIVE",
          action: "NONE",
          created_at: "2026-01-01T00:00:00.000000",
          updated_at: null
        }
        const answers = { service: "designate", method: "GET", when: "before", times: "always" } as const
        yield* cloud.fault({ ...answers, path: "/v2/zones", as: { status: 200, body: { zones: [shown] } } })
        yield* cloud.fault({ ...answers, path: "/v2/zones/*", as: { status: 200, body: shown } })
        assert.deepStrictEqual(yield* inTime(listZones(globex, page)), { count: 0, next_cursor: null, zones: [] })
        assert.strictEqual(yield* refusal(showZone(globex, absent)), `NotFound: Zone '${absent}' not found`)
        const { zones, ...counted } = yield* inTime(listZones(acme, page))
        assert.strictEqual(counted.count, 1)
        const name = zones[0]?.name ?? ""
        for (const spelled of [name, name.slice(0, -1), name.toUpperCase()]) {
          assert.deepStrictEqual(yield* inTime(listZones(acme, page, spelled)), { ...counted, zones })
        }
        for (const other of [`x${name}`, name.slice(1), "."]) {
          assert.strictEqual((yield* inTime(listZones(acme, page, other))).count, 0, other)
        }
      })
    )
  )

  it.effect("is refused with Designate's message within another tenant's zone, and with zones below it", () =>
    begun(({ acme, globex, zone }) =>
      Effect.gen(function* () {
        const refused = (name: string) => refusal(createZone(globex, { name }))
        assert.strictEqual(yield* refused("example.org."), "Conflict: Zone already exists, owned by a different tenant")
        assert.strictEqual(
          yield* refused("sub.example.org."),
          "Conflict: Unable to create subzone in another tenants zone"
        )
        assert.strictEqual(yield* refused("org."), "Unprocessable: More than one label is required")
        assert.strictEqual(yield* refusal(createZone(acme, { name: "example.org." })), "Conflict: Duplicate Zone")
        yield* inTime(createZone(acme, { name: "sub.example.org." }))
        assert.strictEqual(
          yield* refusal(removeZone(acme, zone)),
          "Conflict: Please delete any subzones before deleting this zone"
        )
        assert.strictEqual(
          yield* refused("example.org"),
          "Unprocessable: a zone's name ends with a dot: send 'example.org.'"
        )
      })
    )
  )

  it.effect("has a tier limit, which Designate gets too; a suspended tenant's is 0", () =>
    begun(({ acme }) =>
      Effect.gen(function* () {
        const { world } = yield* SimulatedCloud
        for (let i = 2; i <= 5; i++) yield* inTime(createZone(acme, { name: `z${i}.example.` }))
        assert.strictEqual(world.designate.quotas[acme]?.limits["zones"], 5)
        const full = yield* Effect.flip(inTime(createZone(acme, { name: "z6.example." })))
        assert.deepInclude(full, {
          code: "ceiling_reached",
          ceiling: { requested: 1, used: 5, limit: 5, remaining: 0 }
        })
        assert.strictEqual((yield* zonesOf(acme)).length, 5)
        yield* inTime(suspend(acme))
        const suspended = yield* Effect.flip(inTime(createZone(acme, { name: "z7.example." })))
        assert.deepInclude(suspended, { ceiling: { requested: 1, used: 5, limit: 0, remaining: 0 } })
        assert.strictEqual(world.designate.quotas[acme]?.limits["zones"], 0)
        const standard = yield* tenantOf("standard", "Initech")
        for (let i = 1; i <= 20; i++) yield* inTime(createZone(standard, { name: `i${i}.example.` }))
        assert.strictEqual((yield* zonesOf(standard)).length, 20, "more than Designate has for a project by itself")
      })
    )
  )

  it.effect("the last one is created once among many concurrent requests", () =>
    begun(({ acme }) =>
      Effect.gen(function* () {
        for (let i = 2; i <= 4; i++) yield* inTime(createZone(acme, { name: `z${i}.example.` }))
        const asked = Array.from({ length: 6 }, (_, i) => Effect.exit(createZone(acme, { name: `last${i}.example.` })))
        const exits = yield* inTime(Effect.all(asked, { concurrency: "unbounded" }))
        assert.strictEqual(exits.filter(Exit.isSuccess).length, 1)
        for (const exit of exits.filter(Exit.isFailure)) {
          assert.deepInclude(yield* Effect.flip(exit), { code: "ceiling_reached" }, "nobody was sent to Designate")
        }
        assert.strictEqual((yield* zonesOf(acme)).length, 5)
      })
    )
  )

  it.effect("is listed on pages that continue after a removal, with one call each", () =>
    begun(({ acme }) =>
      Effect.gen(function* () {
        for (let i = 2; i <= 5; i++) {
          yield* TestClock.adjust("1 second")
          yield* inTime(createZone(acme, { name: `z${i}.example.` }))
        }
        const cloud = yield* SimulatedCloud
        yield* inTime(listZones(acme, page))
        yield* cloud.clearCalls
        const first = yield* inTime(listZones(acme, { limit: 2, after: undefined }))
        assert.deepStrictEqual(yield* callsMade, ["designate GET /v2/zones"])
        assert.deepStrictEqual([first.count, ...first.zones.map((_) => _.name)], [5, "example.org.", "z2.example."])
        yield* inTime(removeZone(acme, first.zones[1]?.zone_id ?? ""))
        yield* TestClock.adjust("5 seconds")
        const after = positionOf(first.next_cursor ?? "")
        const second = yield* inTime(listZones(acme, { limit: 2, after }))
        assert.deepStrictEqual([second.count, ...second.zones.map((_) => _.name)], [4, "z3.example.", "z4.example."])
        const last = yield* inTime(listZones(acme, { limit: 2, after: positionOf(second.next_cursor ?? "") }))
        assert.deepStrictEqual([last.next_cursor, ...last.zones.map((_) => _.name)], [null, "z5.example."])
        const beyond = { limit: 2, after: positionOf(cursorOf({ at: 9e14, id: "x" })) }
        assert.deepStrictEqual(yield* inTime(listZones(acme, beyond)), { count: 4, next_cursor: null, zones: [] })
      })
    )
  )

  it.effect("lists more zones than Designate's page has", () =>
    begun(({ acme, zone }) =>
      Effect.gen(function* () {
        const { world } = yield* SimulatedCloud
        const one = world.designate.zones[zone]
        if (one === undefined) return assert.fail("there is no zone")
        for (let i = 0; i < 1200; i++) {
          const id = `00000000-0000-4000-8000-${String(i).padStart(12, "0")}`
          world.designate.zones[id] = { ...one, id, name: `n${i}.example.` }
        }
        const { count, zones } = yield* inTime(listZones(acme, { limit: 1000, after: undefined }))
        assert.deepStrictEqual([count, zones.length, new Set(zones.map((_) => _.zone_id)).size], [1201, 1000, 1000])
      })
    )
  )
})

describe("a recordset", () => {
  it.effect("is added, changed in place, and removed", () =>
    begun(({ acme, zone }) =>
      Effect.gen(function* () {
        const made = yield* added(acme, zone, { name: "www", type: "A", records: ["192.0.2.1"], ttl: 60 })
        assert.deepInclude(made, { name: "www.example.org.", records: ["192.0.2.1"], ttl: 60, status: "PENDING" })
        assert.isFalse(made.read_only)
        const change = (patch: Parameters<typeof changeRecordset>[3]) =>
          inTime(changeRecordset(acme, zone, made.recordset_id, patch))
        const changed = yield* change({ records: ["192.0.2.2", "192.0.2.3"] })
        assert.deepInclude(changed, { records: ["192.0.2.2", "192.0.2.3"], ttl: 60, recordset_id: made.recordset_id })
        assert.deepInclude(yield* change({ ttl: null, description: "web" }), { ttl: null, description: "web" })
        assert.deepInclude(yield* change({}), { ttl: null, description: "web", records: ["192.0.2.2", "192.0.2.3"] })
        assert.deepStrictEqual(yield* writtenIn(zone), ["www.example.org. A 192.0.2.2, 192.0.2.3"])
        const removed = yield* inTime(removeRecordset(acme, zone, made.recordset_id))
        assert.deepInclude(removed, { name: "www.example.org.", status: "PENDING", action: "DELETE" })
        assert.strictEqual(
          yield* refusal(removeRecordset(acme, zone, made.recordset_id)),
          `NotFound: Recordset '${made.recordset_id}' not found`
        )
      })
    )
  )

  it.effect("of each type is validated, and an invalid one does not reach Designate", () =>
    begun(({ acme, zone }) =>
      Effect.gen(function* () {
        const cloud = yield* SimulatedCloud
        yield* added(acme, zone, { name: "six", type: "AAAA", records: ["2001:DB8::1"] })
        yield* added(acme, zone, { name: "@", type: "MX", records: ["10 Mail.example.net."] })
        yield* added(acme, zone, { name: "", type: "TXT", records: ["v=spf1 -all", "x".repeat(300)] })
        yield* added(acme, zone, { name: "docs.example.org.", type: "CNAME", records: ["www.example.net."] })
        assert.deepStrictEqual(yield* writtenIn(zone), [
          "docs.example.org. CNAME www.example.net.",
          "example.org. MX 10 mail.example.net.",
          `example.org. TXT "v=spf1 -all", "${"x".repeat(253)}" "${"x".repeat(47)}"`,
          "six.example.org. AAAA 2001:db8::1"
        ])
        yield* cloud.clearCalls
        assert.strictEqual(
          yield* refusal(createRecordset(acme, zone, { name: "a", type: "A", records: ["192.0.2.1", "no"] })),
          "Unprocessable: records[1]: an A record is an IPv4 address such as 192.0.2.1"
        )
        assert.strictEqual(
          yield* refusal(createRecordset(acme, zone, { name: "www.example.org", type: "A", records: ["192.0.2.1"] })),
          "Unprocessable: 'www.example.org' would be 'www.example.org.example.org.': send 'www.example.org.' or 'www'"
        )
        assert.deepStrictEqual([...new Set(yield* callsMade)], ["designate GET /v2/zones/*"])
      })
    )
  )

  it.effect("is not overwritten: an existing one is a conflict with Designate's message", () =>
    begun(({ acme, zone }) =>
      Effect.gen(function* () {
        yield* added(acme, zone, { name: "www", type: "A", records: ["192.0.2.1"] })
        const again = createRecordset(acme, zone, { name: "WWW", type: "A", records: ["192.0.2.2"] })
        assert.strictEqual(yield* refusal(again), "Conflict: Duplicate RecordSet")
        assert.deepStrictEqual(yield* writtenIn(zone), ["www.example.org. A 192.0.2.1"])
        const many = Array.from({ length: 21 }, (_, i) => `192.0.2.${i}`)
        assert.strictEqual(
          yield* refusal(createRecordset(acme, zone, { name: "many", type: "A", records: many })),
          "Conflict: Quota exceeded for recordset_records."
        )
        assert.strictEqual(
          yield* refusal(createRecordset(acme, zone, { name: "www", type: "CNAME", records: ["a.example."] })),
          "Unprocessable: CNAME recordsets may not share a name with any other records"
        )
      })
    )
  )

  it.effect("of the platform, or of an unsupported type, is shown and left unchanged", () =>
    begun(({ acme, zone }) =>
      Effect.gen(function* () {
        const { count, recordsets } = yield* inTime(listRecordsets(acme, zone, {}, page))
        assert.strictEqual(count, 2)
        assert.deepStrictEqual(
          recordsets.map((_) => [_.type, _.read_only]),
          recordsets.map((_) => [_.type, true])
        )
        for (const type of ["SOA", "NS"]) {
          const { recordset_id } = yield* recordsetNamed(acme, zone, "@", type)
          const words =
            `Conflict: The ${type} records of 'example.org.' are read-only here: only A, AAAA, CNAME, TXT and MX ` +
            "records are written"
          assert.strictEqual(yield* refusal(changeRecordset(acme, zone, recordset_id, { ttl: 60 })), words)
          assert.strictEqual(yield* refusal(removeRecordset(acme, zone, recordset_id)), words)
        }
      })
    )
  )

  it.effect("is found by name and type, short or absolute, in any case", () =>
    begun(({ acme, zone }) =>
      Effect.gen(function* () {
        yield* added(acme, zone, { name: "www", type: "A", records: ["192.0.2.1"] })
        yield* added(acme, zone, { name: "www", type: "TXT", records: ["hi"] })
        const found = (filter: Parameters<typeof listRecordsets>[2]) =>
          Effect.map(inTime(listRecordsets(acme, zone, filter, page)), (_) => [
            _.count,
            ..._.recordsets.map((r) => r.type).toSorted()
          ])
        assert.deepStrictEqual(yield* found({ name: "WWW" }), [2, "A", "TXT"])
        assert.deepStrictEqual(yield* found({ name: "www.example.org.", type: "TXT" }), [1, "TXT"])
        assert.deepStrictEqual(yield* found({ type: "MX" }), [0])
      })
    )
  )

  it.effect("of another zone is 404", () =>
    begun(({ acme, zone }) =>
      Effect.gen(function* () {
        const other = yield* inTime(createZone(acme, { name: "other.example." }))
        const made = yield* added(acme, zone, { name: "www", type: "A", records: ["192.0.2.1"] })
        const words = `NotFound: Recordset '${made.recordset_id}' not found`
        assert.strictEqual(yield* refusal(removeRecordset(acme, other.zone_id, made.recordset_id)), words)
        assert.strictEqual(yield* refusal(changeRecordset(acme, other.zone_id, made.recordset_id, { ttl: 1 })), words)
        assert.strictEqual(yield* refusal(removeRecordset(acme, zone, "x")), "NotFound: Recordset 'x' not found")
      })
    )
  )
})

describe("a zone with three megabytes of records", () => {
  it.effect("is read completely, in pages within the limit", () =>
    begun(({ acme, zone }) =>
      Effect.gen(function* () {
        const { world } = yield* SimulatedCloud
        const id = (yield* added(acme, zone, { name: "long", type: "TXT", records: ['"x"'] })).recordset_id
        const one = world.designate.recordsets[id] ?? assert.fail("no record")
        for (let n = 0; n < 30; n++) {
          const copy = `${String(n).padStart(8, "0")}${id.slice(8)}`
          world.designate.recordsets[copy] = {
            ...one,
            id: copy,
            name: `n${n}.example.org.`,
            records: ["x".repeat(100_000)]
          }
        }
        const before = (yield* callsMade).length
        const { recordsets } = yield* inTime(listRecordsets(acme, zone, { type: "TXT" }, page))
        assert.lengthOf(recordsets, 31)
        const lists = (yield* callsMade)
          .slice(before)
          .filter((_) => _.startsWith("designate GET") && _.endsWith("recordsets"))
        assert.isAbove(lists.length, 1)
      })
    )
  )
})

describe("the delegation of a zone", () => {
  const states = [
    { of: "no server", servers: [], status: "absent", missing: [...nameServers], extra: [] },
    { of: "the platform", servers: nameServers, status: "delegated", missing: [], extra: [] },
    {
      of: "another server",
      servers: ["ns.elsewhere.example."],
      status: "elsewhere",
      missing: [...nameServers],
      extra: ["ns.elsewhere.example."]
    },
    {
      of: "both",
      servers: ["NS1.dns.simulated.", "ns.elsewhere.example."],
      status: "partial",
      missing: ["ns2.dns.simulated."],
      extra: ["ns.elsewhere.example."]
    }
  ] as const
  for (const { extra, missing, of, servers, status } of states) {
    it.effect(`to ${of} is ${status}`, () =>
      begun(({ acme, zone }) =>
        Effect.gen(function* () {
          publish((yield* SimulatedCloud).world.dns, "example.org", "NS", servers)
          const found = servers.map((_) => _.toLowerCase()).toSorted()
          const checked = yield* inTime(checkDelegation(acme, zone))
          const delegated = status === "delegated"
          assert.deepInclude<object>(checked, { zone: "example.org.", found, status, missing, extra, delegated })
          assert.deepStrictEqual(checked.expected, [...nameServers])
          assert.match(checked.checked_at, /Z$/)
        })
      )
    )
  }

  it.effect("is a 502 when the look-up fails, not a missing delegation", () =>
    begun(({ acme, zone }) =>
      Effect.gen(function* () {
        const cloud = yield* SimulatedCloud
        for (const as of [{ status: 503 }, "hang", "reset", "garbage"] as const) {
          yield* cloud.fault({ service: "resolver", method: "GET", path: "**", times: "always", when: "before", as })
          const failure = yield* Effect.flip(inTime(checkDelegation(acme, zone)))
          assert.deepInclude(failure, { _tag: "BadGateway", transient: true }, JSON.stringify(as))
          yield* cloud.clearFaults
        }
      })
    )
  )
})
