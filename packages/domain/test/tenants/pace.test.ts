import { assert, it } from "@effect/vitest"
import type { AdmissionRow } from "@portico/contract/Admission"
import { capacity } from "@portico/domain/tenants/admission"
import { moveTier } from "@portico/domain/tenants/moveTier"
import { paceOf } from "@portico/domain/tenants/pace"
import type { Sold } from "@portico/store/Tenants"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { inTime } from "@portico/testing/clock"
import { tenantOf } from "@portico/testing/tenants/tenant"
import { DateTime, Duration, Effect } from "effect"
import { TestClock } from "effect/testing"

const now = DateTime.makeUnsafe("2026-03-01T00:00:00Z")
const days = (count: number) => Duration.toSeconds(Duration.days(count))

/** One dimension with so much left; a discovery tenant takes 8 cores, and a standard one 32. */
const cores = (remaining: number): AdmissionRow => ({
  dimension: "cores",
  requested: 8,
  used: 1000 - remaining,
  limit: 1000,
  remaining,
  remaining_after: remaining - 8
})

const forecast = (remaining: number, sold: Sold) => {
  const pace = paceOf([cores(remaining)], sold, now)
  const { exhausted_at, per_day } = pace.dimensions[0] ?? assert.fail("no dimension")
  return { days: pace.days, per_day, exhausted_at }
}

const began = { was: null, became: "discovery" } as const
const ended = { was: "discovery", became: null } as const
const grew = { was: "discovery", became: "standard" } as const

it("is the sold amount less the returned one, over the last 30 days", () => {
  const amount = forecast(0, { changes: [{ ...began, count: 1 }], recordedSeconds: days(1) }).per_day
  assert.isAbove(amount, 0)
  const larger = forecast(0, { changes: [{ ...grew, count: 1 }], recordedSeconds: days(1) }).per_day
  assert.isAbove(larger, 0)
  const changes = [
    { ...began, count: 5 },
    { ...grew, count: 2 },
    { ...ended, count: 1 }
  ]
  const taken = 4 * amount + 2 * larger
  const { exhausted_at, ...rest } = forecast(2 * taken, { changes, recordedSeconds: days(400) })
  assert.deepStrictEqual(rest, { days: 30, per_day: Math.round((taken / 30) * 1000) / 1000 })
  // Twice as much is left as was sold in 30 days.
  assert.strictEqual(exhausted_at, "2026-04-30T00:00:00.000Z")
})

it("is an average of the recorded days, at least one", () => {
  const changes = [{ ...began, count: 3 }]
  const daily = (recordedSeconds: number) => {
    const { days, per_day } = forecast(100, { changes, recordedSeconds })
    return { days, sold: Math.round(days * per_day) }
  }
  const { sold } = daily(days(1))
  for (const [recorded, counted] of [
    [0, 1],
    [days(0.1), 1],
    [days(6), 6],
    [days(29), 29],
    [days(31), 30]
  ] as const) {
    assert.deepStrictEqual(daily(recorded), { days: counted, sold }, `${recorded}`)
  }
})

it("has no end without sales or when it is too far away, and is now when nothing is left", () => {
  const none = { changes: [], recordedSeconds: days(60) }
  const fewer = { changes: [{ ...ended, count: 1 }], recordedSeconds: days(60) }
  const more = { changes: [{ ...began, count: 1 }], recordedSeconds: days(60) }
  assert.deepInclude(forecast(8, none), { per_day: 0, exhausted_at: null })
  assert.isNull(forecast(8, fewer).exhausted_at)
  assert.isBelow(forecast(8, fewer).per_day, 0)
  assert.isNull(forecast(1_000_000_000, more).exhausted_at)
  for (const sold of [none, fewer, more]) {
    for (const remaining of [0, -5]) assert.strictEqual(forecast(remaining, sold).exhausted_at, DateTime.formatIso(now))
  }
})

it.effect("follows tenants that begin and move", () =>
  Effect.gen(function* () {
    const pace = Effect.map(capacity(), (_) => _.pace.dimensions.find(({ dimension }) => dimension === "cores"))
    assert.deepInclude(yield* pace, { allocated: 0, per_day: 0, exhausted_at: null })
    const acme = yield* tenantOf("discovery")
    yield* TestClock.adjust("20 days")
    const first = yield* inTime(pace)
    assert.strictEqual(first?.per_day, Math.round(((first?.allocated ?? 0) / 20) * 1000) / 1000)
    assert.isString(first?.exhausted_at)
    yield* inTime(moveTier(acme, "standard"))
    yield* TestClock.adjust("15 days")
    // The beginning is more than 30 days ago, and the move is not.
    const second = yield* inTime(pace)
    const grown = (second?.allocated ?? 0) - (first?.allocated ?? 0)
    assert.isAbove(grown, 0)
    assert.strictEqual(second?.per_day, Math.round((grown / 30) * 1000) / 1000)
  }).pipe(Effect.provide(Simulated))
)
