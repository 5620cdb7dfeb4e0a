import { assert, describe, it } from "@effect/vitest"
import { SharedLimits } from "@portico/domain/health/readiness"
import { Allowances } from "@portico/gateway/limits/Allowances"
import { SharedStore, StoreTimeout } from "@portico/gateway/limits/SharedStore"
import { Memory } from "@portico/testing/store/Memory"
import { Tenants } from "@portico/store/Tenants"
import { Clock, Context, Duration, Effect, Layer } from "effect"
import { Logs } from "../harness/Logs.ts"
import { until } from "@portico/testing/clock"
import { allowances, called, calledOften, enrolled } from "./meters.ts"
import { commandsOf, freePort, isInstalled, redisOn, wayTo } from "./redis.ts"

type Replica = Context.Context<Allowances | SharedStore | Tenants | Memory>

/**
 * A replica of the gateway, as far as it counts; each has a store of its own
 * that knows the tenant. It waits longer than usual, and a call comes back after
 * ten seconds, because the machine may be busy.
 */
const replica = Effect.fnUntraced(function* (url: string, calls = "6", patience = Duration.seconds(3)) {
  const settings = { REDIS_URL: url, RATE_LIMIT_RPM_DISCOVERY: calls }
  const built: Replica = yield* Layer.build(
    Layer.fresh(allowances(settings)).pipe(Layer.provide(Layer.succeed(StoreTimeout, patience)))
  )
  yield* Effect.provideContext(enrolled("acme", "discovery"), built)
  return built
})

const on = Effect.provideContext
const state = Effect.map(SharedLimits, (_) => _.state())

/** Seconds of the machine's clock since now, in which calls come back. */
const secondsFromNow = Effect.map(Clock.currentTimeMillis, (began) =>
  Effect.map(Clock.currentTimeMillis, (now) => (now - began) / 1000)
)

const said = Effect.flatMap(Logs, (_) =>
  Effect.map(_.lines, (lines) => lines.filter((line) => line.includes("shared rate-limit store")))
)

const name = isInstalled
  ? "rate limits in Redis"
  : "NOT TESTED HERE: rate limits in Redis, because redis-server is not installed"

describe.skipIf(!isInstalled)(name, () => {
  it.live("two replicas count together, call by call, and refuse together", () =>
    Effect.gen(function* () {
      const { url } = yield* redisOn(yield* freePort)
      const [one, other] = [yield* replica(url), yield* replica(url)]
      const elapsed = yield* secondsFromNow
      for (let left = 5; left >= 0; left--) {
        const standing = yield* on(called("acme"), left % 2 === 0 ? one : other)
        assert.deepInclude(standing, { limit: 6, remaining: left, exceeded: false })
      }
      for (const each of [one, other, one]) {
        const standing = yield* on(called("acme"), each)
        assert.deepInclude(standing, { remaining: 0, exceeded: true })
        assert.isAtMost(standing?.reset ?? 0, 60)
        assert.isAtLeast(standing?.reset ?? 0, 60 - Math.ceil(yield* elapsed))
      }
    })
  )

  it.live("of many concurrent calls, on both, exactly the allowed number succeeds", () =>
    Effect.gen(function* () {
      const { url } = yield* redisOn(yield* freePort)
      const replicas = [yield* replica(url), yield* replica(url)]
      const standings = yield* Effect.forEach(
        Array.from({ length: 60 }, (_, i) => replicas[i % 2]!),
        (each) => on(called("acme"), each),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        standings.filter((_) => _?.exceeded === false),
        6
      )
    })
  )

  it.live("an allowance is full again after its time", () =>
    Effect.gen(function* () {
      const { url } = yield* redisOn(yield* freePort)
      // One call comes back in a second, so that all three are back in three: long enough for three calls anywhere.
      const one = yield* replica(url, "60")
      const elapsed = yield* secondsFromNow
      const { remaining = 0 } = (yield* on(calledOften(3, "acme"), one)) ?? {}
      assert.isAtLeast(remaining, 57)
      assert.isAtMost(remaining, 57 + Math.floor(yield* elapsed))
      yield* Effect.sleep("3100 millis")
      assert.deepInclude(yield* on(called("acme"), one), { remaining: 59 })
    })
  )

  it.live("during an outage each replica counts alone, logs it once, and recovers by itself", () =>
    Effect.gen(function* () {
      const redis = yield* redisOn(yield* freePort)
      const [one, other] = [yield* replica(redis.url), yield* replica(redis.url)]
      assert.deepInclude(yield* on(called("acme"), one), { remaining: 5 })
      assert.strictEqual(yield* on(state, one), "ok")

      yield* redis.kill
      for (const each of [one, other]) {
        yield* until(Effect.map(on(state, each), (_) => _ === "unreachable"))
        assert.deepInclude(yield* on(calledOften(6, "acme"), each), { remaining: 0, exceeded: false })
        assert.deepInclude(yield* on(called("acme"), each), { exceeded: true })
      }
      yield* Effect.sleep("2500 millis")
      assert.lengthOf(yield* said, 2)

      yield* redis.start
      for (const each of [one, other]) yield* until(Effect.map(on(state, each), (_) => _ === "ok"))
      assert.deepInclude(yield* on(called("acme"), one), { remaining: 5, exceeded: false })
      assert.deepInclude(yield* on(called("acme"), other), { remaining: 4, exceeded: false })
      assert.lengthOf(yield* said, 4)
    }).pipe(Effect.provide(Logs.layer))
  )

  it.live("a replica starts without it, and counts with the others once it is up", () =>
    Effect.gen(function* () {
      const port = yield* freePort
      const one = yield* replica(`redis://127.0.0.1:${port}`)
      assert.strictEqual(yield* on(state, one), "unreachable")
      assert.deepInclude(yield* on(called("acme"), one), { exceeded: false })
      const { url } = yield* redisOn(port)
      yield* until(Effect.map(on(state, one), (_) => _ === "ok"))
      const other = yield* replica(url)
      assert.deepInclude(yield* on(called("acme"), one), { remaining: 5 })
      assert.deepInclude(yield* on(called("acme"), other), { remaining: 4 })
    })
  )

  it.live("a hanging one is awaited by one call within its time-out, and used again when it responds", () =>
    Effect.gen(function* () {
      const port = yield* freePort
      yield* redisOn(port)
      const way = yield* wayTo(port)
      const one = yield* replica(way.url, "100", Duration.millis(400))
      assert.deepInclude(yield* on(called("acme"), one), { remaining: 99 })
      yield* way.slow()
      const elapsed = yield* secondsFromNow
      const [first] = yield* Effect.timed(on(called("acme"), one))
      const [next, standing] = yield* Effect.timed(on(calledOften(20, "acme"), one))
      assert.isBelow(Duration.toMillis(first), 20 * 400)
      assert.isBelow(Duration.toMillis(next), 20 * 400)
      assert.deepInclude(standing, { exceeded: false })
      // A hundred a minute: one call comes back in 0.6 seconds.
      assert.isAtLeast(standing?.remaining ?? 0, 79)
      assert.isAtMost(standing?.remaining ?? 0, 79 + Math.floor((yield* elapsed) / 0.6))
      assert.strictEqual(yield* on(state, one), "unreachable")
      yield* way.slow(0)
      yield* until(Effect.map(on(state, one), (_) => _ === "ok"))
      assert.deepInclude(yield* on(called("acme"), one), { exceeded: false })
    })
  )

  it.live("one that is always slower counts as unavailable", () =>
    Effect.gen(function* () {
      const port = yield* freePort
      yield* redisOn(port)
      const way = yield* wayTo(port)
      yield* way.slow(1_000)
      const one = yield* replica(way.url, "100", Duration.millis(400))
      assert.strictEqual(yield* on(state, one), "unreachable")
      const [took] = yield* Effect.timed(on(calledOften(20, "acme"), one))
      assert.isBelow(Duration.toMillis(took), 20 * 400)
    })
  )

  it.live("one that accepts connections and stays silent delays no replica's start or stop", () =>
    Effect.gen(function* () {
      const port = yield* freePort
      yield* redisOn(port)
      const way = yield* wayTo(port)
      yield* way.slow()
      const lived = Effect.scoped(Effect.flatMap(replica(way.url), (one) => on(called("acme"), one)))
      const [took, standing] = yield* Effect.timed(lived)
      assert.deepInclude(standing, { remaining: 5, exceeded: false })
      assert.isBelow(Duration.toMillis(took), 60_000)
    })
  )

  it.live("refused calls do not reach it", () =>
    Effect.gen(function* () {
      const redis = yield* redisOn(yield* freePort)
      const one = yield* replica(redis.url)
      yield* on(calledOften(7, "acme"), one)
      const before = yield* commandsOf(redis.url)
      for (let i = 0; i < 50; i++) assert.deepInclude(yield* on(called("acme"), one), { exceeded: true })
      assert.isBelow((yield* commandsOf(redis.url)) - before, 20)
    })
  )
})
