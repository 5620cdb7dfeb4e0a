import { assert, it } from "@effect/vitest"
import { createZone } from "@portico/domain/dns/createZone"
import { importZone } from "@portico/domain/dns/importZone"
import { changeRecordset, createRecordset, removeRecordset } from "@portico/domain/dns/recordsets"
import { removeZone } from "@portico/domain/dns/zones"
import type { Fault } from "@portico/simulator/Fault"
import { Effect, Exit, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { inTime } from "@portico/testing/clock"
import { acmeWithZone, added, writtenIn, zonesOf } from "./dns.ts"
import { callsOf, type NamedCall, titleOf, under } from "@portico/testing/faults/calls"
import { someFaultsOf } from "@portico/testing/faults/some"
import { from, seedOf } from "@portico/testing/cloud/seeded"
import type { Simulated } from "@portico/testing/cloud/Simulated"

const seed = await seedOf(
  Effect.gen(function* () {
    const { acme, zone } = yield* acmeWithZone
    const { recordset_id: www } = yield* added(acme, zone, { name: "www", type: "A", records: ["192.0.2.1"] })
    yield* TestClock.adjust("5 seconds")
    return { acme, zone, www }
  })
)
const begun = from(seed)
type Begun = typeof seed.made
type Needs = Layer.Success<typeof Simulated>
type Refusal = { readonly _tag: string; readonly detail: unknown }

const run = <A, E>(of: Effect.Effect<A, E>) => Effect.runPromise(Effect.provide(of, TestClock.layer()))

const zonefile = "www 60 A 192.0.2.9\nnew TXT one\nmore MX 10 mail\n"
const written = [
  "more.example.org. MX 10 mail.example.org. 60",
  'new.example.org. TXT "one" 60',
  "www.example.org. A 192.0.2.9 60"
]

interface Operation {
  readonly name: string
  readonly of: (begun: Begun) => Effect.Effect<unknown, Refusal, Needs>
  /** Whether it is done, as Designate holds things. */
  readonly isDone: (begun: Begun) => Effect.Effect<boolean, never, Needs>
  /** How a second run of one that is done ends; a success without. */
  readonly again?: string
  /** A second run may come so late that nothing is there any more. */
  readonly fades?: true
}

const operations: ReadonlyArray<Operation> = [
  {
    name: "createZone",
    of: ({ acme }) => createZone(acme, { name: "shop.example." }),
    isDone: ({ acme }) => Effect.map(zonesOf(acme), (_) => _.filter((z) => z.name === "shop.example.").length === 1),
    again: "Conflict: Duplicate Zone"
  },
  {
    name: "createRecordset",
    of: ({ acme, zone }) => createRecordset(acme, zone, { name: "new", type: "TXT", records: ["one"] }),
    isDone: ({ zone }) => Effect.map(writtenIn(zone), (_) => _.includes('new.example.org. TXT "one"')),
    again: "Conflict: Duplicate RecordSet"
  },
  {
    name: "changeRecordset",
    of: ({ acme, www, zone }) => changeRecordset(acme, zone, www, { records: ["192.0.2.9"] }),
    isDone: ({ zone }) => Effect.map(writtenIn(zone), (_) => _.includes("www.example.org. A 192.0.2.9"))
  },
  {
    name: "removeRecordset",
    of: ({ acme, www, zone }) => removeRecordset(acme, zone, www),
    isDone: ({ zone }) => Effect.map(writtenIn(zone), (_) => _.length === 0),
    again: `NotFound: Recordset '${seed.made.www}' not found`
  },
  {
    name: "removeZone",
    of: ({ acme, zone }) => removeZone(acme, zone),
    isDone: ({ acme }) => Effect.map(zonesOf(acme), (_) => _.every((z) => z.deleted_from !== null)),
    fades: true
  },
  {
    name: "importZone",
    of: ({ acme, zone }) => importZone(acme, zone, { zonefile, dry_run: false, prune: false }),
    isDone: ({ zone }) => Effect.map(writtenIn(zone), (_) => JSON.stringify(_) === JSON.stringify(written))
  }
]

/** What everybody's calls cost besides. */
const own = (calls: ReadonlyArray<NamedCall>) => calls.filter((_) => _.service === "designate")

/** A success is true; whatever happened, the same request is answered soundly next, and then it is done once. */
const survives = ({ again, fades, isDone, name, of }: Operation, fault: Fault) =>
  begun((made) =>
    Effect.gen(function* () {
      const because = `${name}: ${titleOf(fault)}`
      const exit = yield* Effect.exit(under(fault, inTime(of(made))))
      const done = yield* isDone(made)
      if (Exit.isSuccess(exit)) assert.isTrue(done, because)
      else {
        const failure = yield* Effect.flip(exit)
        assert.include(["BadGateway", "Conflict", "Unprocessable", "NotFound"], failure._tag, because)
        assert.isString(failure.detail, because)
      }
      const second = yield* Effect.exit(inTime(of(made)))
      if (done && again !== undefined) {
        const { _tag, detail } = yield* Effect.flip(second)
        assert.strictEqual(`${_tag}: ${String(detail)}`, again, because)
      } else if (fades === true && Exit.isFailure(second)) {
        assert.strictEqual((yield* Effect.flip(second))._tag, "NotFound", because)
      } else assert.isTrue(Exit.isSuccess(second), because)
      assert.isTrue(yield* isDone(made), because)
      return { done, succeeded: Exit.isSuccess(exit) }
    })
  )

for (const operation of operations) {
  const calls = own(await run(begun((made) => callsOf(inTime(operation.of(made))))))
  for (const call of calls) {
    it.effect(`${operation.name} succeeds or is undone when ${call.method} ${call.path} fails (call ${call.nth})`, () =>
      Effect.forEach(someFaultsOf(call), (fault) => survives(operation, fault), { discard: true })
    )
  }
}

/** A zone or a recordset that was made is answered, though nobody said so at the time. */
const lost = [{ status: 500 }, { status: 503 }, "reset", "hang", "garbage"] as const
for (const [operation, path] of [
  [operations[0], "/v2/zones"],
  [operations[1], "/v2/zones/*/recordsets"]
] as const) {
  it.effect(`${operation?.name} finds its own result when the answer is lost`, () =>
    Effect.forEach(
      lost,
      (as) =>
        Effect.gen(function* () {
          if (operation === undefined) return assert.fail("there is no such operation")
          const fault = { service: "designate", method: "POST", path, nth: 1, when: "after", as } as const
          assert.deepStrictEqual(yield* survives(operation, fault), { done: true, succeeded: true }, titleOf(fault))
        }),
      { discard: true }
    )
  )
}
