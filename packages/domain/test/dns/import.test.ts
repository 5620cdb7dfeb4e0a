import { assert, describe, it } from "@effect/vitest"
import { importZone } from "@portico/domain/dns/importZone"
import { BadGateway, Invalid } from "@portico/contract/Failures"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { inTime, settle } from "@portico/testing/clock"
import { acmeWithZone, added, callsMade, writtenIn } from "./dns.ts"
import { from, seedOf } from "@portico/testing/cloud/seeded"

/** A zone with a recordset that the file has too, one that it has otherwise, and one that it lacks. */
const begun = from(
  await seedOf(
    Effect.gen(function* () {
      const { acme, globex, zone } = yield* acmeWithZone
      yield* added(acme, zone, { name: "same", type: "A", records: ["192.0.2.2", "192.0.2.1"] })
      yield* added(acme, zone, { name: "other", type: "TXT", records: ["old"], ttl: 60, description: "kept" })
      yield* added(acme, zone, { name: "lacking", type: "AAAA", records: ["2001:db8::1"] })
      yield* TestClock.adjust("5 seconds")
      return { acme, globex, zone }
    })
  )
)

const zonefile = `
$TTL 1h
@       IN SOA ns1.elsewhere.example. host 1 2 3 4 5
        IN NS  ns1.elsewhere.example.
same    A   192.0.2.1
        A   192.0.2.2
other   300 TXT new
new     CNAME same
        ; the end
`

const imported = (projectId: string, zone: string, more: Partial<Parameters<typeof importZone>[2]> = {}) =>
  inTime(importZone(projectId, zone, { zonefile, dry_run: true, prune: false, ...more }))

const plan = {
  create: [{ name: "new.example.org.", type: "CNAME", ttl: 3600, records: ["same.example.org."] }],
  update: [
    {
      before: { name: "other.example.org.", type: "TXT", ttl: 60, records: ['"old"'] },
      after: { name: "other.example.org.", type: "TXT", ttl: 300, records: ['"new"'] }
    }
  ],
  unchanged: 1,
  delete: [],
  skipped: [
    { line: 3, why: "SOA records are written by the platform alone" },
    { line: 4, why: "NS records are written by the platform alone" }
  ]
}

const before = [
  "lacking.example.org. AAAA 2001:db8::1",
  'other.example.org. TXT "old" 60',
  "same.example.org. A 192.0.2.2, 192.0.2.1"
]

const after = [
  "lacking.example.org. AAAA 2001:db8::1",
  "new.example.org. CNAME same.example.org. 3600",
  'other.example.org. TXT "new" 300',
  "same.example.org. A 192.0.2.2, 192.0.2.1"
]

/** What is written at Designate. */
const writes = Effect.map(callsMade, (calls) => calls.filter((_) => !_.includes(" GET ") && _.startsWith("designate")))

describe("an import", () => {
  it.effect("is a dry run by default, which shows its plan", () =>
    begun(({ acme, zone }) =>
      Effect.gen(function* () {
        yield* (yield* SimulatedCloud).clearCalls
        assert.deepStrictEqual(yield* imported(acme, zone), { dry_run: true, ...plan })
        assert.deepStrictEqual(yield* writes, [])
        assert.deepStrictEqual(yield* writtenIn(zone), before)
      })
    )
  )

  it.effect("carries out its plan, keeps records that the file lacks, and repeats without changes", () =>
    begun(({ acme, zone }) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* imported(acme, zone, { dry_run: false }), { dry_run: false, ...plan })
        assert.deepStrictEqual(yield* writtenIn(zone), after)
        const { world } = yield* SimulatedCloud
        const other = Object.values(world.designate.recordsets).find((_) => _.name === "other.example.org.")
        assert.strictEqual(other?.description, "kept")
        yield* (yield* SimulatedCloud).clearCalls
        const again = yield* imported(acme, zone, { dry_run: false })
        assert.deepStrictEqual(again, { ...plan, dry_run: false, create: [], update: [], unchanged: 3 })
        assert.deepStrictEqual(yield* writes, [])
      })
    )
  )

  it.effect("with prune removes records of supported types that the file lacks, and no others", () =>
    begun(({ acme, zone }) =>
      Effect.gen(function* () {
        const { world } = yield* SimulatedCloud
        const [one] = Object.values(world.designate.recordsets).filter((_) => _.zone_id === zone && !_.managed)
        if (one === undefined) return assert.fail("the zone is empty")
        const foreign = { ...one, id: crypto.randomUUID(), type: "SRV", name: "_a._tcp.example.org.", records: ["x"] }
        world.designate.recordsets[foreign.id] = foreign
        const pruned = yield* imported(acme, zone, { dry_run: false, prune: true })
        assert.deepStrictEqual(pruned.delete, [
          { name: "lacking.example.org.", type: "AAAA", ttl: null, records: ["2001:db8::1"] }
        ])
        const left = ["_a._tcp.example.org. SRV x", ...after.filter((_) => !_.startsWith("lacking"))]
        assert.deepStrictEqual(yield* writtenIn(zone), left)
        const empty = yield* imported(acme, zone, { zonefile: "; nothing", prune: true })
        assert.strictEqual(empty.delete.length, 3, "and of an empty file everything")
        assert.deepStrictEqual(yield* writtenIn(zone), left)
      })
    )
  )

  it.effect("with prune keeps records that the file has in the generic spelling", () =>
    begun(({ acme, zone }) =>
      Effect.gen(function* () {
        const generic =
          "same A 192.0.2.1\nsame TYPE1 \\# 4 C0000202\nlacking TYPE28 2001:db8::1\nother 60 TYPE16 \\# 4 036f6c64\n"
        const { create, skipped, unchanged, update, ...kept } = yield* imported(acme, zone, {
          zonefile: generic,
          dry_run: false,
          prune: true
        })
        assert.deepStrictEqual([create, update, kept.delete, skipped, unchanged], [[], [], [], [], 3])
        assert.deepStrictEqual(yield* writtenIn(zone), before)
      })
    )
  )

  it.effect("with prune is refused for an unknown type, which may be misspelled; without it is not", () =>
    begun(({ acme, zone }) =>
      Effect.gen(function* () {
        const file = "same A 192.0.2.1\n A 192.0.2.2\nother 60 TXT old\nlacking AAAAA 2001:db8::1\n"
        for (const dry_run of [true, false]) {
          const refused = yield* Effect.flip(imported(acme, zone, { zonefile: file, dry_run, prune: true }))
          if (!(refused instanceof Invalid)) return assert.fail(refused._tag)
          assert.deepStrictEqual(
            refused.detail.map((_) => [_.loc, _.msg]),
            [
              [
                ["body", "zonefile", 4],
                "line 4: the record type AAAAA is not known here, and prune could delete the records that it means: " +
                  "write TYPE and its number (RFC 3597), leave the line out, or import without prune"
              ]
            ]
          )
        }
        const { skipped, ...rest } = yield* imported(acme, zone, { zonefile: file, dry_run: false })
        assert.deepStrictEqual(skipped, [{ line: 4, why: "the record type AAAAA is not known here" }])
        assert.deepStrictEqual([rest.create, rest.update, rest.delete, rest.unchanged], [[], [], [], 2])
        const known = yield* imported(acme, zone, {
          zonefile: `${file.replace(/^lacking.*$/m, "x SRV 1 2 3 y")}`,
          prune: true
        })
        assert.deepStrictEqual(
          known.delete.map((_) => _.name),
          ["lacking.example.org."]
        )
        assert.deepStrictEqual(yield* writtenIn(zone), before)
      })
    )
  )

  it.effect("can replace records by an alias, if they may be removed", () =>
    begun(({ acme, zone }) =>
      Effect.gen(function* () {
        const zonefile = "same CNAME new\n"
        const refused = yield* Effect.flip(imported(acme, zone, { zonefile }))
        assert.strictEqual(
          refused.detail,
          "'same.example.org.' would have a CNAME beside other records; delete one of the two, or import with prune"
        )
        yield* imported(acme, zone, { zonefile, dry_run: false, prune: true })
        assert.deepStrictEqual(yield* writtenIn(zone), ["same.example.org. CNAME new.example.org."])
        const apex = yield* Effect.flip(imported(acme, zone, { zonefile: "@ CNAME www.elsewhere.example.\n" }))
        assert.strictEqual(apex._tag, "Conflict")
      })
    )
  )

  it.effect("of an invalid file is refused with every invalid line", () =>
    begun(({ acme, zone }) =>
      Effect.gen(function* () {
        const wrong = "a A 1\nb CNAME c\nb CNAME d\n$INCLUDE x\n"
        const refused = yield* Effect.flip(imported(acme, zone, { zonefile: wrong, dry_run: false }))
        if (!(refused instanceof Invalid)) return assert.fail(refused._tag)
        assert.deepStrictEqual(
          refused.detail.map((_) => [_.loc, _.msg]),
          [
            [["body", "zonefile", 1], "line 1: an A record is an IPv4 address such as 192.0.2.1"],
            [["body", "zonefile", 4], "line 4: $INCLUDE is not supported: write out what it stands for"],
            [["body", "zonefile", 3], "line 3: 'b.example.org.' has a CNAME already, in line 2"]
          ]
        )
        assert.deepStrictEqual(yield* writtenIn(zone), before)
      })
    )
  )

  const limits = [
    { limit: { zone_recordsets: 3 }, what: "recordsets in the zone", ceiling: { requested: 1, used: 3, limit: 3 } },
    { limit: { zone_records: 4 }, what: "records in the zone", ceiling: { requested: 5, used: 0, limit: 4 } },
    {
      limit: { recordset_records: 0 },
      what: "CNAME records of 'new.example.org.'",
      ceiling: { requested: 1, used: 0, limit: 0 }
    }
  ]
  for (const { ceiling, limit, what } of limits) {
    it.effect(`of too many ${what} is refused before any write`, () =>
      begun(({ acme, zone }) =>
        Effect.gen(function* () {
          const { world } = yield* SimulatedCloud
          world.designate.quotas[acme] = { project_id: acme, limits: limit }
          const refused = yield* Effect.flip(imported(acme, zone, { dry_run: false }))
          assert.include(String(refused.detail), `ceiling of ${what} is reached`)
          assert.deepInclude(refused, { ceiling: { ...ceiling, remaining: Math.max(0, ceiling.limit - ceiling.used) } })
          assert.deepStrictEqual(yield* writtenIn(zone), before)
        })
      )
    )
  }

  it.effect("into another tenant's zone or an unknown one is the same 404", () =>
    begun(({ globex, zone }) =>
      Effect.gen(function* () {
        const refused = yield* Effect.flip(imported(globex, zone, { dry_run: false }))
        assert.strictEqual(refused.detail, `Zone '${zone}' not found`)
        assert.deepStrictEqual(yield* writtenIn(zone), before)
      })
    )
  )

  it.effect("lists the applied changes when it stops, and continues there when repeated", () =>
    begun(({ acme, zone }) =>
      Effect.gen(function* () {
        const cloud = yield* SimulatedCloud
        const path = "/v2/zones/*/recordsets"
        yield* cloud.fault({ service: "designate", method: "POST", path, when: "before", as: { status: 503 } })
        const stopped = yield* Effect.flip(imported(acme, zone, { dry_run: false }))
        if (!(stopped instanceof BadGateway)) return assert.fail(stopped._tag)
        assert.deepInclude(stopped, { code: "zone_import_failed", transient: true })
        assert.deepStrictEqual(stopped.applied, ["update other.example.org. TXT"])
        const rest = yield* imported(acme, zone, { dry_run: false })
        assert.deepStrictEqual([rest.create.length, rest.update.length, rest.unchanged], [1, 0, 2])
        assert.deepStrictEqual(yield* writtenIn(zone), after)
      })
    )
  )

  it.effect("of a slow cloud ends at its time limit, with the applied changes", () =>
    begun(({ acme, zone }) =>
      Effect.gen(function* () {
        const cloud = yield* SimulatedCloud
        const as = { delay_ms: 9_000 }
        yield* cloud.fault({ service: "designate", method: "POST", path: "**", times: "always", when: "before", as })
        const zonefile = Array.from({ length: 20 }, (_, i) => `n${i} A 192.0.2.1\n`).join("")
        const stopped = yield* Effect.flip(imported(acme, zone, { zonefile, dry_run: false }))
        if (!(stopped instanceof BadGateway)) return assert.fail(stopped._tag)
        assert.strictEqual(stopped.detail, "The import stopped at create n6.example.org. A: not done within 45s")
        assert.strictEqual(stopped.applied?.length, 6)
      })
    )
  )

  it.effect("completes after its client disconnects, and excludes a second one meanwhile", () =>
    begun(({ acme, zone }) =>
      Effect.gen(function* () {
        const cloud = yield* SimulatedCloud
        const as = { delay_ms: 3_000 }
        for (const method of ["GET", "PUT", "POST"]) {
          yield* cloud.fault({ service: "designate", method, path: "**", times: "always", when: "before", as })
        }
        const gone = yield* Effect.forkChild(importZone(acme, zone, { zonefile, dry_run: false, prune: false }))
        yield* TestClock.adjust("4 seconds")
        yield* settle
        yield* Effect.forkChild(Fiber.interrupt(gone))
        yield* cloud.clearCalls
        const second = yield* imported(acme, zone, { dry_run: false })
        assert.deepStrictEqual([second.create.length, second.update.length, second.unchanged], [0, 0, 3])
        assert.deepStrictEqual(yield* writtenIn(zone), after)
      })
    )
  )
})
