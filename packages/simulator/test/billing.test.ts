import { assert, describe, it } from "@effect/vitest"
import { meter, totalOf } from "@portico/simulator/billing/meter"
import { type BillingState, billing, type LedgerEvent } from "@portico/simulator/billing/state"
import { fixtures } from "@portico/simulator/Fixtures"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { ask } from "./ask.ts"
import { countedSecondBySecond } from "./secondBySecond.ts"

const authorization = `Bearer ${fixtures.billing.token}`

const bill = (method: string, path: string, json?: unknown) =>
  ask(method, `/billing/v1${path}`, { headers: { authorization }, ...(json === undefined ? {} : { json }) })

let events = 0

const event = (kind: string, id: string, at: string, more: { project?: string | null; detail?: object } = {}) => ({
  id: `event-${(events += 1)}`,
  topic: "billing.lifecycle",
  kind,
  at,
  key: id,
  project_id: more.project === undefined ? "acme" : more.project,
  data: { resource_type: kind.split(".")[0], resource_id: id, detail: more.detail ?? {} }
})

const ingest = (...given: ReadonlyArray<unknown>) => bill("POST", "/events", { events: given })

const goTo = (iso: string) => TestClock.setTime(Date.parse(iso))

const january = "start=2026-01-01T00:00:00Z&end=2026-02-01T00:00:00Z"

const rows = Effect.fnUntraced(function* (project: string, span = january, group = "line") {
  const { json } = yield* bill("GET", `/cost/breakdown?project_id=${project}&${span}&group_by=${group}`)
  return json.rows.map((_: { service: string; quantity: string }) => `${_.service} ${_.quantity}`)
})

const story = <E>(title: string, test: () => Effect.Effect<void, E, SimulatedCloud>) =>
  it.effect(title, () => Effect.provide(test(), SimulatedCloud.layerMemory))

describe("the ledger", () => {
  story("counts a server's seconds from its beginning, and not the one in which it ends", () =>
    Effect.gen(function* () {
      yield* goTo("2026-01-10T00:00:00Z")
      const detail = { flavor: "2" }
      yield* ingest(event("server.create", "s", "2026-01-05T10:00:00.000Z", { detail }))
      assert.deepStrictEqual(yield* rows("acme"), ["compute.m1.small 396000"])
      yield* ingest(event("server.delete", "s", "2026-01-05T10:00:10.000Z"))
      assert.deepStrictEqual(yield* rows("acme"), ["compute.m1.small 10"])
    })
  )

  for (const [what, start, end, seconds] of [
    ["within a second", "10:00:00.300", "10:00:00.900", 0],
    ["across the beginning of a second", "10:00:00.900", "10:00:01.100", 1],
    ["at whole seconds", "10:00:00.000", "10:00:01.000", 1],
    ["of none at all", "10:00:00.000", "10:00:00.000", 0]
  ] as const) {
    story(`counts ${seconds} of a life ${what}`, () =>
      Effect.gen(function* () {
        yield* goTo("2026-01-10T00:00:00Z")
        yield* ingest(
          event("floating_ip.create", "f", `2026-01-05T${start}Z`),
          event("floating_ip.delete", "f", `2026-01-05T${end}Z`)
        )
        assert.deepStrictEqual(yield* rows("acme"), seconds === 0 ? [] : [`network.floating-ip ${seconds}`])
      })
    )
  }

  const hour = (n: number) => `2026-01-05T${String(n).padStart(2, "0")}:00:00Z`
  const lives: Readonly<Record<string, readonly [ReadonlyArray<ReturnType<typeof event>>, ReadonlyArray<string>]>> = {
    "a stopped server still holds what it has": [
      [
        event("server.create", "s", hour(0), { detail: { flavor: "m1.small" } }),
        event("server.stop", "s", hour(1)),
        event("server.delete", "s", hour(2))
      ],
      ["compute.m1.small 7200"]
    ],
    "a shelved server costs nothing until it is unshelved": [
      [
        event("server.create", "s", hour(0), { detail: { flavor: "m1.small" } }),
        event("server.shelve", "s", hour(1)),
        event("server.unshelve", "s", hour(5)),
        event("server.delete", "s", hour(6))
      ],
      ["compute.m1.small 7200"]
    ],
    "both flavors count until a resize is confirmed": [
      [
        event("server.create", "s", hour(0), { detail: { flavor: "m1.small" } }),
        event("server.resize", "s", hour(1), { detail: { flavor: "m1.large" } }),
        event("server.confirm_resize", "s", hour(2)),
        event("server.delete", "s", hour(3))
      ],
      ["compute.m1.small 7200", "compute.m1.large 7200"]
    ],
    "a resize that is reverted cost while it lasted": [
      [
        event("server.create", "s", hour(0), { detail: { flavor: "m1.small" } }),
        event("server.resize", "s", hour(1), { detail: { flavor: "m1.large" } }),
        event("server.revert_resize", "s", hour(2)),
        event("server.delete", "s", hour(3))
      ],
      ["compute.m1.small 10800", "compute.m1.large 3600"]
    ],
    "a server that is restored costs again": [
      [
        event("server.create", "s", hour(0), { detail: { flavor: "m1.medium" } }),
        event("server.delete", "s", hour(1)),
        event("server.restore", "s", hour(5)),
        event("server.delete", "s", hour(6)),
        event("server.delete", "s", hour(7))
      ],
      ["compute.m1.medium 7200"]
    ],
    "a flavor that is not on the list has a price all the same": [
      [event("server.create", "s", hour(0), { detail: { flavor: "gpu.8" } }), event("server.delete", "s", hour(1))],
      ["compute.other 3600"]
    ],
    "a volume costs by size and type, from the moment that they change": [
      [
        event("volume.create", "v", hour(0), { detail: { size_gb: 10, volume_type: "ssd" } }),
        event("volume.extend", "v", hour(1), { detail: { size_gb: 20 } }),
        event("volume.retype", "v", hour(2), { detail: { volume_type: "hdd" } }),
        event("volume.delete", "v", hour(3))
      ],
      ["block-storage.standard 72000", "block-storage.ssd 108000"]
    ],
    "a load balancer costs": [
      [event("load_balancer.create", "l", hour(0)), event("load_balancer.delete", "l", hour(1))],
      ["load-balancer.load-balancer 3600"]
    ],
    "a resource without an owner costs nothing": [[event("floating_ip.create", "f", hour(0), { project: null })], []],
    "a stop of an unknown resource has no effect": [[event("volume.delete", "v", hour(0))], []],
    "a stop that another clock dates before the start ends it at once": [
      [event("floating_ip.create", "f", hour(1)), event("floating_ip.delete", "f", hour(0))],
      []
    ],
    "a volume without a size costs from the event that has it": [
      [
        event("volume.create", "v", hour(0)),
        event("volume.extend", "v", hour(1), { detail: { size_gb: 1 } }),
        event("volume.delete", "v", hour(2))
      ],
      ["block-storage.standard 3600"]
    ],
    "kinds and resources of later versions cost nothing": [
      [event("cluster.create", "c", hour(0)), event("server.levitate", "s", hour(0))],
      []
    ]
  }
  for (const [what, [life, wanted]] of Object.entries(lives)) {
    story(what, () =>
      Effect.gen(function* () {
        yield* goTo("2026-01-10T00:00:00Z")
        const answer = yield* ingest(...life.toReversed())
        assert.deepStrictEqual([answer.status, answer.json], [200, { accepted: life.length, duplicates: 0 }])
        const again = yield* ingest(...life, ...life)
        assert.deepStrictEqual(again.json, { accepted: 0, duplicates: life.length * 2 })
        assert.deepStrictEqual(yield* rows("acme"), wanted)
      })
    )
  }

  story("a volume that changes owner costs each owner for the time of ownership", () =>
    Effect.gen(function* () {
      yield* goTo("2026-01-10T00:00:00Z")
      yield* ingest(
        event("volume.create", "v", hour(0), { detail: { size_gb: 10 } }),
        event("volume.transfer", "v", hour(1), { project: "globex" }),
        event("volume.delete", "v", hour(3), { project: "globex" })
      )
      assert.deepStrictEqual(yield* rows("acme"), ["block-storage.standard 36000"])
      assert.deepStrictEqual(yield* rows("globex"), ["block-storage.standard 72000"])
    })
  )

  story("rejects a batch with a broken event as a whole, and says which it is", () =>
    Effect.gen(function* () {
      const good = event("volume.create", "v", hour(0))
      for (const broken of [{}, null, { ...good, at: "yesterday" }, { ...good, id: 7 }, { ...good, data: {} }]) {
        const answer = yield* ingest(good, broken)
        const message = "events[1] is not a lifecycle event"
        assert.deepStrictEqual([answer.status, answer.json], [422, { error: { code: "invalid_event", message } }])
      }
      assert.deepStrictEqual((yield* (yield* SimulatedCloud).state)["billing.events"], [])
    })
  )

  story("rounds each line once, half to even, and adds the rounded lines", () =>
    Effect.gen(function* () {
      yield* goTo("2026-01-31T23:59:59Z")
      // 500 s of m1.small are 0.5 cents, 1500 s are 1.5; two lines of half a cent are none.
      for (const [id, flavor, seconds] of [
        ["a", "m1.small", 500],
        ["b", "m1.medium", 250],
        ["c", "m1.large", 375]
      ] as const) {
        const at = Date.parse(hour(0))
        yield* ingest(
          event("server.create", id, new Date(at).toISOString(), { detail: { flavor } }),
          event("server.delete", id, new Date(at + seconds * 1000).toISOString())
        )
      }
      const ask = (group: string) => bill("GET", `/cost/breakdown?project_id=acme&${january}&group_by=${group}`)
      const lines = (yield* ask("line")).json
      assert.deepStrictEqual(
        lines.rows.map((_: { amount_cents: number }) => _.amount_cents),
        [0, 0, 2]
      )
      assert.strictEqual(lines.total_cents, 2)
      assert.deepStrictEqual((yield* ask("service")).json, {
        project_id: "acme",
        currency: "EUR",
        total_cents: 2,
        rows: [{ service: "compute", unit: "second", quantity: "1125", amount_cents: 2 }]
      })
    })
  )
})

// --- metering against an oracle that counts seconds one by one ---------------------

const kindsOf = (type: string, ...whats: ReadonlyArray<string>) => [
  ...whats.map((_) => [type, `${type}.${_}`] as const),
  ...["absent", "present", "shelved"].map((_) => [type, `inventory.${_}`] as const)
]

const kinds = [
  ...kindsOf(
    "server",
    "create",
    "delete",
    "restore",
    "stop",
    "shelve",
    "unshelve",
    "resize",
    "confirm_resize",
    "revert_resize"
  ),
  ...kindsOf("volume", "create", "delete", "extend", "retype", "transfer"),
  ...kindsOf("floating_ip", "create", "delete"),
  ...kindsOf("load_balancer", "create", "delete")
]

/** Within two minutes, mostly at odd milliseconds, often at the same one. */
const moment = fc.oneof(
  fc.integer({ min: 0, max: 120_000 }),
  fc.integer({ min: 0, max: 120 }).map((_) => _ * 1000),
  fc.constant(30_000)
)

const anEvent: fc.Arbitrary<LedgerEvent> = fc
  .tuple(
    fc.constantFrom(...kinds),
    moment,
    fc.constantFrom("acme", "globex", null),
    fc.constantFrom("1", "2"),
    fc.uuid(),
    fc.constantFrom("2", "m1.large", "odd", null),
    fc.constantFrom(1, 7, 100, null),
    fc.constantFrom("ssd", "hdd", null)
  )
  .map(([[resource_type, kind], at, project_id, resource_id, id, flavor, size_gb, volume_type]) => ({
    id,
    kind,
    at,
    project_id,
    resource_type,
    resource_id,
    flavor,
    size_gb,
    volume_type
  }))

const worldOf = (given: ReadonlyArray<LedgerEvent>): BillingState => ({
  ...billing(),
  events: Object.fromEntries(given.map((_) => [_.id, _]))
})

const spans = fc.tuple(moment, moment).map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) }))

const someEvents = fc.uniqueArray(anEvent, { selector: (_) => _.id, maxLength: 12 })

const quantities = (state: BillingState, project: string, span: { start: number; end: number }, now: number) =>
  Object.fromEntries(meter(state, project, span, now).map((_) => [_.key, Number(_.quantity)]))

describe("metering", () => {
  it("equals a count second by second", () => {
    fc.assert(
      fc.property(someEvents, spans, moment, (given, span, now) => {
        for (const project of ["acme", "globex"]) {
          const counted = countedSecondBySecond(given, project, span, now)
          assert.deepStrictEqual(quantities(worldOf(given), project, span, now), counted)
        }
      }),
      { numRuns: 2000 }
    )
  })

  it("does not depend on the order of arrival", () => {
    fc.assert(
      fc.property(
        someEvents.chain((_) => fc.tuple(fc.constant(_), fc.shuffledSubarray(_, { minLength: _.length }))),
        ([given, shuffled]) => {
          const span = { start: 0, end: 120_000 }
          assert.deepStrictEqual(
            meter(worldOf(shuffled), "acme", span, 120_000),
            meter(worldOf(given), "acme", span, 120_000)
          )
        }
      )
    )
  })

  it("of two adjoining spans adds up to that of both", () => {
    fc.assert(
      fc.property(someEvents, moment, (given, cut) => {
        const sum: Record<string, number> = {}
        for (const span of [
          { start: 0, end: cut },
          { start: cut, end: 120_000 }
        ]) {
          for (const [key, seconds] of Object.entries(quantities(worldOf(given), "acme", span, 120_000))) {
            sum[key] = (sum[key] ?? 0) + seconds
          }
        }
        assert.deepStrictEqual(quantities(worldOf(given), "acme", { start: 0, end: 120_000 }, 120_000), sum)
      })
    )
  })

  it("gives a total that is the sum of whole cents", () => {
    fc.assert(
      fc.property(someEvents, (given) => {
        const lines = meter(worldOf(given), "acme", { start: 0, end: 120_000 }, 120_000)
        assert.isTrue(lines.every((_) => Number.isSafeInteger(_.amount_cents)))
        assert.strictEqual(
          totalOf(lines),
          lines.map((_) => _.amount_cents).reduce((a, b) => a + b, 0)
        )
      })
    )
  })
})

// --- the ledger against what is there ----------------------------------------------

describe("an inventory", () => {
  const seenAt = "2026-01-05T12:00:00.000Z"
  const old = "2026-01-05T00:00:00Z"
  const thing = (resource_id: string, more: object = {}) => ({
    resource_id,
    project_id: "acme",
    created_at: old,
    busy: false,
    shelved: false,
    flavor: null,
    size_gb: null,
    volume_type: null,
    ...more
  })
  const take = Effect.fnUntraced(function* (resource_type: string, ...resources: ReadonlyArray<object>) {
    const seen = { at: seenAt, resource_type, projects: ["acme"], resources }
    const { json, status } = yield* bill("POST", "/inventory?scope=all", seen)
    assert.strictEqual(status, 200)
    return json.changed
  })
  const now = goTo("2026-01-05T13:00:00Z")

  story("ends what is missing, at its time, and leaves matching resources unchanged", () =>
    Effect.gen(function* () {
      yield* now
      yield* ingest(
        event("volume.create", "gone", old, { detail: { size_gb: 1 } }),
        event("volume.create", "there", old, { detail: { size_gb: 2, volume_type: "ssd" } }),
        event("floating_ip.create", "f", old)
      )
      const there = thing("there", { size_gb: 2, volume_type: "ssd" })
      assert.strictEqual(yield* take("volume", there), 1)
      assert.strictEqual(yield* take("volume", there), 0)
      assert.deepStrictEqual(yield* rows("acme"), [
        `block-storage.standard ${12 * 3600}`,
        `block-storage.ssd ${2 * 13 * 3600}`,
        `network.floating-ip ${13 * 3600}`
      ])
    })
  )

  story("begins an unknown resource of a known project, and ignores other projects", () =>
    Effect.gen(function* () {
      yield* now
      const found = [thing("s", { flavor: "2" }), thing("x", { flavor: "2", project_id: "admin" })]
      assert.strictEqual(yield* take("server", ...found), 1)
      assert.deepStrictEqual(yield* rows("acme"), ["compute.m1.small 3600"])
      assert.deepStrictEqual(yield* rows("admin"), [])
    })
  )

  for (const [what, before, found, wanted] of [
    [
      "a resize that was settled",
      { flavor: "2" },
      { flavor: "m1.large" },
      ["compute.m1.small 43200", "compute.m1.large 3600"]
    ],
    ["a name for an id of the same flavor", { flavor: "2" }, { flavor: "m1.small" }, ["compute.m1.small 46800"]],
    ["a server that was shelved", { flavor: "2" }, { flavor: "2", shelved: true }, ["compute.m1.small 43200"]]
  ] as const) {
    story(`takes over ${what}`, () =>
      Effect.gen(function* () {
        yield* now
        yield* ingest(event("server.create", "s", old, { detail: before }))
        yield* take("server", thing("s", found))
        assert.deepStrictEqual(yield* rows("acme"), wanted)
      })
    )
  }

  story("ignores recently changed and busy resources, and those newer than the list", () =>
    Effect.gen(function* () {
      yield* now
      yield* ingest(
        event("volume.create", "recent", "2026-01-05T11:50:01Z", { detail: { size_gb: 1 } }),
        event("volume.create", "deleted", old, { detail: { size_gb: 1 } }),
        event("volume.delete", "deleted", "2026-01-05T11:00:00Z")
      )
      const young = thing("young", { size_gb: 1, created_at: "2026-01-05T11:55:00Z" })
      const going = thing("deleted", { size_gb: 1, busy: true })
      assert.strictEqual(yield* take("volume", young, going), 0)
    })
  )

  const recent = "2026-01-05T11:56:00Z"

  for (const [what, type, before, found] of [
    ["busy for ever", "volume", [], { size_gb: 1, busy: true }],
    ["paused all the time", "server", ["server.pause", "server.unpause"], { flavor: "2" }],
    ["resized and never confirmed", "server", ["server.resize"], { flavor: "2", busy: true }],
    ["transferred all the time", "volume", ["volume.transfer"], { size_gb: 1, busy: true }],
    ["begun without a size, and retyped all the time", "volume", ["volume.create", "volume.retype"], { size_gb: 1 }]
  ] as const) {
    story(`begins a resource that the ledger lacks, although it is ${what}`, () =>
      Effect.gen(function* () {
        yield* now
        yield* ingest(...before.map((_) => event(_, "x", recent)))
        assert.strictEqual(yield* take(type, thing("x", found)), 1)
        assert.strictEqual(yield* take(type, thing("x", found)), 0)
        const [row] = yield* rows("acme")
        assert.strictEqual(row, type === "volume" ? "block-storage.standard 3600" : "compute.m1.small 3600")
      })
    )
  }

  story("corrects a server that the ledger has while it is always paused, and waits for a resize", () =>
    Effect.gen(function* () {
      yield* now
      for (const id of ["paused", "resized"])
        yield* ingest(event("server.create", id, old, { detail: { flavor: "2" } }))
      yield* ingest(event("server.pause", "paused", recent), event("server.stop", "paused", recent))
      yield* ingest(event("server.resize", "resized", recent, { detail: { flavor: "m1.large" } }))
      const found = ["paused", "resized"].map((_) => thing(_, { flavor: "m1.medium" }))
      assert.strictEqual(yield* take("server", ...found), 1)
    })
  )

  story("ends a missing server, even if it changed shortly before", () =>
    Effect.gen(function* () {
      yield* now
      yield* ingest(event("server.create", "s", old, { detail: { flavor: "2" } }), event("server.pause", "s", recent))
      assert.strictEqual(yield* take("server"), 1)
      assert.deepStrictEqual(yield* rows("acme"), ["compute.m1.small 43200"])
    })
  )

  story("takes back an end when the resource is listed again", () =>
    Effect.gen(function* () {
      yield* now
      yield* ingest(
        event("volume.create", "v", old, { detail: { size_gb: 1 } }),
        event("volume.delete", "v", "2026-01-05T01:00:00Z")
      )
      assert.strictEqual(yield* take("volume", thing("v", { size_gb: 1 })), 1)
      assert.deepStrictEqual(yield* rows("acme"), ["block-storage.standard 7200"])
    })
  )

  story("is a 422 without effect when it is malformed", () =>
    Effect.gen(function* () {
      yield* ingest(event("volume.create", "v", old, { detail: { size_gb: 1 } }))
      const good = { at: seenAt, resource_type: "volume", projects: [], resources: [] }
      const none = [{}, { ...good, at: "now" }, { ...good, resource_type: "x" }, { ...good, resources: [{}] }]
      for (const odd of [...none, { ...good, resources: null }, { ...good, projects: "acme" }]) {
        assert.strictEqual((yield* bill("POST", "/inventory?scope=all", odd)).status, 422, JSON.stringify(odd))
      }
      assert.strictEqual((yield* bill("POST", "/inventory?project_id=acme", good)).status, 400)
      assert.lengthOf((yield* (yield* SimulatedCloud).state)["billing.events"] ?? [], 1)
    })
  )
})

// --- invoices, budgets, who may ask ------------------------------------------------

describe("invoices", () => {
  const invoices = Effect.map(bill("GET", "/invoices?project_id=acme"), (_) => _.json)

  story("are a draft during the month and for an hour after it, and then final", () =>
    Effect.gen(function* () {
      yield* goTo("2026-01-31T12:00:00Z")
      assert.deepStrictEqual(yield* invoices, { count: 0, invoices: [] })
      yield* ingest(event("volume.create", "v", "2026-01-31T00:00:00Z", { detail: { size_gb: 100 } }))
      const draft = yield* invoices
      assert.deepInclude(draft.invoices[0], {
        status: "draft",
        total_cents: 13,
        period_start: "2026-01-01T00:00:00.000Z",
        period_end: "2026-02-01T00:00:00.000Z",
        external_invoice_id: null
      })
      assert.deepStrictEqual(draft.invoices[0].lines, [
        {
          key: "block-storage.standard",
          description: "Volumes, standard",
          quantity: "4320000",
          unit: "GiB-second",
          unit_price_eur: "0.00000003",
          amount_cents: 13
        }
      ])

      yield* goTo("2026-02-01T00:59:59Z")
      assert.deepStrictEqual(
        (yield* invoices).invoices.map((_: { status: string }) => _.status),
        ["draft", "draft"]
      )
      yield* ingest(event("floating_ip.create", "f", "2026-01-31T23:00:00Z"))
      yield* goTo("2026-02-01T01:00:00Z")
      const final = (yield* invoices).invoices[0]
      assert.deepInclude(final, { invoice_id: draft.invoices[0].invoice_id, status: "finalized" })
      assert.deepStrictEqual(
        final.lines.map((_: { key: string }) => _.key),
        ["block-storage.standard", "network.floating-ip"]
      )
      assert.deepStrictEqual(
        final.history.map((_: { event: string; ts: string }) => [_.event, _.ts]),
        [
          ["created", "2026-01-01T00:00:00.000Z"],
          ["finalized", "2026-02-01T01:00:00.000Z"]
        ]
      )

      yield* ingest(event("floating_ip.create", "late", "2026-01-01T00:00:00Z"))
      assert.deepStrictEqual((yield* invoices).invoices[0], final)
      yield* goTo("2026-04-10T00:00:00Z")
      const all = yield* invoices
      assert.strictEqual(all.count, 4)
      assert.deepStrictEqual(
        all.invoices.map((_: { status: string; period_start: string }) => [_.status, _.period_start.slice(0, 7)]),
        [
          ["finalized", "2026-01"],
          ["finalized", "2026-02"],
          ["finalized", "2026-03"],
          ["draft", "2026-04"]
        ]
      )
    })
  )
})

describe("budgets", () => {
  const id = (n: number) => `bdg-00000000-0000-4000-8000-${String(n).padStart(12, "0")}`
  const body = { amount_cents: 100, currency: "EUR", period: "monthly", created_by: "somebody" }
  const put = (n: number, project = "acme", more: object = {}) =>
    bill("PUT", `/budgets/${id(n)}?project_id=${project}`, { ...body, ...more })
  const failed = (status: number, code: string, message: string) => [status, { error: { code, message } }]
  const outcome = (_: { status: number; json: unknown }) => [_.status, _.json]

  story("are created once under their id, which is not reused", () =>
    Effect.gen(function* () {
      const first = yield* put(1)
      assert.strictEqual(first.status, 201)
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(outcome(yield* put(1)), [200, first.json])
      const exists = failed(409, "budget_exists", "Another budget has this id")
      assert.deepStrictEqual(outcome(yield* put(1, "globex")), exists)
      assert.deepStrictEqual(outcome(yield* put(1, "acme", { amount_cents: 7 })), exists)

      const absent = failed(404, "budget_not_found", "There is no such budget")
      assert.deepStrictEqual(outcome(yield* bill("DELETE", `/budgets/${id(1)}?project_id=globex`)), absent)
      assert.deepStrictEqual(outcome(yield* bill("GET", `/budgets/${id(1)}?project_id=globex`)), absent)
      assert.strictEqual((yield* bill("DELETE", `/budgets/${id(1)}?project_id=acme`)).status, 200)
      assert.deepStrictEqual(outcome(yield* bill("DELETE", `/budgets/${id(1)}?project_id=acme`)), absent)
      const gone = failed(409, "budget_retired", "A budget of this id is gone")
      assert.deepStrictEqual(outcome(yield* put(1)), gone)
      // A removal that comes before its create.
      assert.deepStrictEqual(outcome(yield* bill("DELETE", `/budgets/${id(2)}?project_id=acme`)), absent)
      assert.deepStrictEqual(outcome(yield* put(2)), gone)
    })
  )

  story("have whole amounts above 0, and are fifty a project at most", () =>
    Effect.gen(function* () {
      for (const amount_cents of [0, -1, 0.5, "1", null, 2 ** 53]) {
        assert.strictEqual((yield* put(1, "acme", { amount_cents })).status, 422, String(amount_cents))
      }
      for (let n = 1; n <= 50; n++) assert.strictEqual((yield* put(n)).status, 201)
      const message = "The project has 50 budgets already, which is the most that it may have"
      assert.deepStrictEqual(outcome(yield* put(51)), failed(409, "too_many_budgets", message))
      assert.strictEqual((yield* put(51, "globex")).status, 201)
    })
  )

  story("are breached when their month reaches the amount, until they are marked", () =>
    Effect.gen(function* () {
      const breaches = (period: string) =>
        Effect.map(bill("GET", `/breaches?scope=all&period=${period}`), (_) =>
          _.json.breaches.map((breach: { budget_id: string; spent_cents: number }) => [
            breach.budget_id,
            breach.spent_cents
          ])
        )
      yield* goTo("2026-01-05T00:00:00Z")
      yield* put(1)
      yield* put(2, "globex")
      // 1 cent every 250 s.
      yield* ingest(event("server.create", "s", "2026-01-05T00:00:00Z", { detail: { flavor: "m1.large" } }))
      yield* TestClock.adjust("24873 seconds")
      assert.deepStrictEqual(yield* breaches("2026-01"), [])
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(yield* breaches("2026-01"), [[id(1), 100]])
      assert.deepStrictEqual(yield* breaches("2026-02"), [])

      yield* bill("PUT", `/budgets/${id(1)}/breaches/2026-01?project_id=acme`)
      assert.deepStrictEqual(yield* breaches("2026-01"), [])
      yield* goTo("2026-02-20T00:00:00Z")
      yield* put(3)
      assert.deepStrictEqual(yield* breaches("2026-01"), [], "a budget does not reach back before it was made")
      assert.lengthOf(yield* breaches("2026-02"), 2)
      yield* bill("PUT", `/budgets/${id(1)}/breaches/2026-02?project_id=acme`)
      const marked = yield* bill("PUT", `/budgets/${id(1)}/breaches/2026-01?project_id=acme`)
      assert.strictEqual(marked.json.last_breached_period, "2026-02", "a later month stays")
    })
  )
})

describe("a call", () => {
  const paths = ["/cost/month-to-date?at=1970-01-01T00:00:00Z&", "/budgets?", "/invoices?"]

  story("without the token is 401", () =>
    Effect.gen(function* () {
      for (const headers of [{}, { authorization: "Bearer guess" }, { authorization: fixtures.billing.token }]) {
        for (const path of paths) {
          assert.strictEqual((yield* ask("GET", `/billing/v1${path}project_id=acme`, { headers })).status, 401)
        }
        assert.strictEqual((yield* ask("POST", "/billing/v1/events", { headers, json: { events: [] } })).status, 401)
      }
    })
  )

  story("without exactly one project or scope is 400, never all projects", () =>
    Effect.gen(function* () {
      for (const path of paths) {
        for (const filter of [
          "",
          "project_id=",
          "scope=",
          "scope=some",
          "project_id=a&project_id=b",
          "project_id=a&scope=all"
        ]) {
          assert.strictEqual((yield* bill("GET", `${path}${filter}`)).status, 400, `${path}${filter}`)
        }
      }
      for (const path of [
        "/cost/month-to-date?at=1970-01-01T00:00:00Z&scope=all",
        `/cost/breakdown?${january}&scope=all`
      ]) {
        assert.strictEqual((yield* bill("GET", path)).status, 400, path)
      }
    })
  )
})
