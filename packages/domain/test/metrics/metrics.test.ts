import { assert, it } from "@effect/vitest"
import { instanceSeries } from "@portico/upstream/prometheus/recorded"
import { historyPoints, type HistoryQuery, showHistory } from "@portico/domain/metrics/history"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { inTime } from "@portico/testing/clock"
import { callsOf, faultsOf, titleOf, under } from "@portico/testing/faults/calls"
import { asking, blind, cpuIs, serverOf } from "../monitoring/monitoring.ts"
import { from, seedOf } from "@portico/testing/cloud/seeded"
import { simulatedWith } from "@portico/testing/cloud/Simulated"
import { tenantOf } from "@portico/testing/tenants/tenant"

const tenants = await seedOf(
  Effect.gen(function* () {
    const acme = yield* tenantOf("discovery")
    const globex = yield* tenantOf("discovery", "Globex")
    return { acme, globex, mine: yield* serverOf(acme, 1), theirs: yield* serverOf(globex, 2) }
  })
)
const live = from(tenants)

const noon = Date.parse("2026-01-31T12:00:00Z")
const history = (projectId: string, id: string, query: HistoryQuery = {}) => inTime(showHistory(projectId, id, query))

it.effect("the last hour of an instance's CPU has a point a minute, in percent", () =>
  live(({ acme, mine }) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon - 600_000)
      yield* cpuIs(mine, 50)
      yield* TestClock.setTime(noon - 300_000)
      yield* cpuIs(mine, 70)
      yield* TestClock.setTime(noon + 59_000)
      const found = yield* history(acme, mine)
      assert.deepInclude(found, {
        instance_id: mine,
        metric: "cpu",
        unit: "percent",
        from: "2026-01-31T11:01:00.000Z",
        to: "2026-01-31T12:00:00.000Z",
        step_seconds: 60
      })
      assert.lengthOf(found.points, 60)
      assert.deepStrictEqual(found.points.at(-1), { at: "2026-01-31T12:00:00.000Z", value: 70 })
      // The samples of 11:54:15, 11:54:30 and 11:54:45 are 50, and that of 11:55:00 is 70.
      assert.deepInclude(found.points, { at: "2026-01-31T11:54:00.000Z", value: 50 })
      assert.deepInclude(found.points, { at: "2026-01-31T11:55:00.000Z", value: 55 })
    })
  )
)

it.effect("each metric is the instance's own, in its unit", () =>
  live(({ acme, mine }) =>
    Effect.gen(function* () {
      const { world } = yield* SimulatedCloud
      yield* TestClock.setTime(noon)
      for (const [index, metric] of Object.values(instanceSeries).entries()) {
        world.monitoring.readings[metric] = { metric, labels: { instance_id: mine }, value: index }
      }
      const metrics = ["cpu", "memory", "disk_read", "disk_write", "network_in", "network_out"] as const
      for (const [index, metric] of metrics.entries()) {
        const { points, unit } = yield* history(acme, mine, { metric })
        assert.deepStrictEqual([points.at(-1)?.value, unit], [index, index < 2 ? "percent" : "bytes_per_second"])
      }
    })
  )
)

it.effect("a step without samples, or with NaN, is null", () =>
  live(({ acme, mine }) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon - 300_000)
      yield* cpuIs(mine, null)
      yield* TestClock.setTime(noon - 120_000)
      yield* cpuIs(mine, "NaN")
      yield* TestClock.setTime(noon - 60_000)
      yield* cpuIs(mine, 1)
      yield* TestClock.setTime(noon)
      const { points } = yield* history(acme, mine, { from: "2026-01-31T11:55:00Z" })
      assert.deepStrictEqual(
        points.map((_) => _.value).slice(1),
        // The first sample without a number is that of 11:58:00.
        [null, null, null, null, 1]
      )
      const future = yield* history(acme, mine, { from: "2026-01-31T12:05:00Z", to: "2026-01-31T12:10:00Z" })
      assert.deepStrictEqual(
        future.points.map((_) => _.value),
        [null, null, null, null, null, null]
      )
    })
  )
)

it.effect("a longer span has larger steps, and no more points", () =>
  live(({ acme, mine }) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const month = yield* history(acme, mine, { from: "2026-01-01T00:00:00Z" })
      assert.isAtMost(month.points.length, historyPoints)
      assert.isAtLeast(month.points.length, historyPoints / 2)
      assert.isAbove(month.step_seconds, 60)
      const [first, second] = month.points
      assert.strictEqual(Date.parse(second?.at ?? "") - Date.parse(first?.at ?? ""), month.step_seconds * 1000)
      const coarse = yield* history(acme, mine, { from: "2026-01-31T00:00:00Z", step: 3600 })
      assert.deepStrictEqual([coarse.step_seconds, coarse.points.length], [3600, 13])
      const finer = yield* history(acme, mine, { from: "2026-01-31T00:00:00+01:00", step: 15 })
      assert.isAtMost(finer.points.length, historyPoints)
    })
  )
)

it.effect("an invalid span is refused before any call", () =>
  live(({ acme, mine }) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const refused: ReadonlyArray<readonly [HistoryQuery, string]> = [
        [{ from: "2026-01-31T12:00:00Z" }, "The end must be later than the beginning"],
        [{ from: "2026-01-31T12:00:00Z", to: "2026-01-31T11:00:00Z" }, "The end must be later than the beginning"],
        [{ to: "2026-02-02T12:00:00Z" }, "The end lies more than a day ahead"],
        [{ from: "2025-01-01T00:00:00Z" }, "A span has 366 days at most"],
        [{ from: "1969-12-31T23:00:00Z", to: "1970-01-01T01:00:00Z" }, "Nothing was measured before 1970"]
      ]
      for (const [query, words] of refused) {
        const asked = yield* asking(
          Effect.map(Effect.flip(history(acme, mine, query)), (_) =>
            assert.deepStrictEqual([_.code, _.detail], ["metric_span_refused", words])
          )
        )
        assert.deepStrictEqual(asked, {})
      }
    })
  )
)

it.effect("another tenant's instance, an unknown and a malformed id are 404, without monitoring", () =>
  live(({ acme, theirs }) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const odd = ["", ".", "..", "x", `${theirs}"} or up{a="`, "00000000-0000-4000-8000-00000000ffff", "%00"]
      for (const id of [theirs, ...odd]) {
        const asked = yield* asking(
          Effect.map(Effect.flip(history(acme, id)), (_) =>
            assert.deepStrictEqual(
              [_._tag, _.code, _.detail],
              ["NotFound", "instance_not_found", `Instance '${id}' not found`]
            )
          )
        )
        assert.isUndefined(asked["prometheus"])
      }
    })
  )
)

it.effect("502 with the upstream's message when any call fails", () =>
  live(({ acme, mine }) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const calls = yield* callsOf(history(acme, mine))
      assert.includeMembers(
        calls.map((_) => _.service),
        ["nova", "prometheus"]
      )
      const { world } = yield* SimulatedCloud
      for (const call of calls.filter((_) => _.service === "nova" || _.service === "prometheus")) {
        for (const fault of faultsOf(call)) {
          const found = yield* under({ ...fault, times: "always" }, Effect.result(history(acme, mine)))
          if (found._tag === "Success") assert.fail(titleOf(fault))
          assert.strictEqual(found.failure._tag, "BadGateway", titleOf(fault))
          assert.match(String(found.failure.detail), /^(nova|monitoring) /, titleOf(fault))
        }
      }
      assert.isDefined(world.nova.servers[mine])
      yield* blind({ status: 400 })
      const error = yield* Effect.flip(history(acme, mine))
      assert.deepStrictEqual([error.code, error.detail], ["upstream_failed", "monitoring read history: simulated 400"])
    })
  )
)

it.effect("without monitoring the service is not found", () =>
  Effect.gen(function* () {
    const id = yield* serverOf("acme", 1)
    const error = yield* Effect.flip(history("acme", id))
    assert.deepStrictEqual([error.code, error.detail], ["service_not_found", "No platform service at 'monitoring'"])
  }).pipe(Effect.provide(simulatedWith({ MONITORING_URL: "" })))
)
