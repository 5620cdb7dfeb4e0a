import { assert, describe, it } from "@effect/vitest"
import { SharedLimits } from "@portico/domain/health/readiness"
import type { Allowances } from "@portico/gateway/limits/Allowances"
import type { SharedStore } from "@portico/gateway/limits/SharedStore"
import { StoreTimeout } from "@portico/gateway/limits/SharedStore"
import type { Tenants } from "@portico/store/Tenants"
import type { Memory } from "@portico/testing/store/Memory"
import { Trust } from "@portico/upstream/Trust"
import { Context, Duration, Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { createClient } from "redis"
import { allowances, called, calledOften, enrolled } from "../limits/meters.ts"
import { freePort } from "../limits/redis.ts"
import { eventually } from "../processes/children.ts"
import { certificateIn } from "../harness/Tls.ts"
import { folder, isInstalled, named, serving } from "./parts.ts"

const isHere = isInstalled("redis-server", "--version") && isInstalled("redis-sentinel", "--version")

type Replica = Context.Context<Allowances | SharedStore | Tenants | Memory>

/** A replica of the gateway, as far as it counts: 20 calls a minute. */
const replica = Effect.fnUntraced(function* (settings: Readonly<Record<string, string>>, ca?: string) {
  const built: Replica = yield* Layer.build(
    Layer.fresh(allowances({ ...settings, RATE_LIMIT_RPM_DISCOVERY: "20" })).pipe(
      // Longer than usual, because the machine may be busy.
      Layer.provide(Layer.succeed(StoreTimeout, Duration.seconds(20))),
      Layer.provide(Layer.succeed(Trust, ca === undefined ? undefined : [ca]))
    )
  )
  yield* Effect.provideContext(enrolled("acme", "discovery"), built)
  return built
})

const on = Effect.provideContext
const state = Effect.map(SharedLimits, (_) => _.state())

const reaches = (each: Replica, expected: string) =>
  eventually(Effect.flatMap(on(state, each), (is) => (is === expected ? Effect.void : Effect.fail(is))))

const password = "a-password-of-redis"
const sentinelPassword = "of/the:sentinels@all"

/** A server with TLS alone, and a password. */
const redisOn = Effect.fnUntraced(function* (
  port: number,
  { cert, key }: { readonly cert: string; readonly key: string },
  ...flags: ReadonlyArray<string>
) {
  const { path } = yield* folder
  const tls = ["--tls-port", `${port}`, "--port", "0", "--tls-cert-file", cert, "--tls-key-file", key]
  const trust = ["--tls-ca-cert-file", cert, "--tls-auth-clients", "no", "--tls-replication", "yes"]
  const login = ["--requirepass", password, "--masterauth", password]
  const sync = ["--repl-diskless-sync-delay", "0"]
  const up = flags.includes("--replicaof") ? "sync: Finished with success" : "Ready to accept connections"
  return yield* serving(
    ["redis-server", "--bind", "127.0.0.1", "--dir", path, "--save", "", ...tls, ...trust, ...login, ...sync, ...flags],
    (child) => Effect.sync(() => child.stdout().includes(up))
  )
})

const toSentinel = (port: number, ca: string, ...command: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const client = createClient({
      url: `rediss://127.0.0.1:${port}`,
      password: sentinelPassword,
      socket: { tls: true, ca }
    })
    await client.connect()
    await client.sendCommand(["SENTINEL", ...command])
    await client.close()
  })

const stories = isHere ? describe : describe.skip

stories(named("rate limits in a real Redis", "redis-server OR redis-sentinel", isHere), () => {
  it.live("with TLS: replicas count together, and one that trusts another CA counts alone", () =>
    Effect.gen(function* () {
      const files = yield* certificateIn((yield* folder).at)
      const ca = readFileSync(files.cert, "utf8")
      const port = yield* freePort
      yield* redisOn(port, files)
      const REDIS_URL = `rediss://default:${password}@127.0.0.1:${port}`
      const [one, other] = [yield* replica({ REDIS_URL }, ca), yield* replica({ REDIS_URL }, ca)]
      assert.deepInclude(yield* on(calledOften(5, "acme"), one), { remaining: 15 })
      assert.deepInclude(yield* on(called("acme"), other), { remaining: 14 })

      const distrusting = yield* replica({ REDIS_URL })
      assert.strictEqual(yield* on(state, distrusting), "unreachable")
      assert.deepInclude(yield* on(called("acme"), distrusting), { remaining: 19, exceeded: false })
      const plain = yield* replica({ REDIS_URL: REDIS_URL.replace("rediss:", "redis:") })
      assert.strictEqual(yield* on(state, plain), "unreachable")
      const mistaken = yield* replica({ REDIS_URL: REDIS_URL.replace(password, "another") }, ca)
      assert.strictEqual(yield* on(state, mistaken), "unauthorized")
    })
  )

  it.live("with sentinels: a failover is bridged, and the new primary continues the counts", () =>
    Effect.gen(function* () {
      const { at, write } = yield* folder
      const files = yield* certificateIn(at)
      const ca = readFileSync(files.cert, "utf8")
      const [primary, second, sentinel, nobody] = [yield* freePort, yield* freePort, yield* freePort, yield* freePort]
      const first = yield* redisOn(primary, files)
      yield* redisOn(second, files, "--replicaof", `127.0.0.1 ${primary}`)
      // A sentinel keeps what it finds out in its configuration.
      const configuration = write(
        "sentinel.conf",
        [
          "port 0",
          `tls-port ${sentinel}`,
          "bind 127.0.0.1",
          `tls-cert-file ${files.cert}`,
          `tls-key-file ${files.key}`,
          `tls-ca-cert-file ${files.cert}`,
          "tls-auth-clients no",
          "tls-replication yes",
          `sentinel monitor counting 127.0.0.1 ${primary} 1`,
          `sentinel auth-pass counting ${password}`,
          `requirepass ${sentinelPassword}`,
          // The sentinel starts no failover until this test lowers the limit.
          "sentinel down-after-milliseconds counting 3600000",
          "sentinel failover-timeout counting 5000",
          ""
        ].join("\n")
      )
      const watching = yield* serving(["redis-sentinel", configuration], (child) =>
        Effect.sync(() => child.stdout().includes("+slave slave"))
      )
      const settings = {
        // The host is not used.
        REDIS_URL: `rediss://default:${password}@unused.example:1`,
        REDIS_SENTINELS: `127.0.0.1:${nobody}, 127.0.0.1:${sentinel}`,
        REDIS_SENTINEL_NAME: "counting",
        REDIS_SENTINEL_PASSWORD: sentinelPassword
      }
      const [one, other] = [yield* replica(settings, ca), yield* replica(settings, ca)]
      assert.strictEqual(yield* on(state, one), "ok")
      assert.deepInclude(yield* on(calledOften(10, "acme"), one), { remaining: 10 })
      assert.deepInclude(yield* on(called("acme"), other), { remaining: 9 })
      // Redis replicates asynchronously.
      yield* Effect.sleep("300 millis")

      yield* first.signal("SIGKILL")
      for (const each of [one, other]) yield* reaches(each, "unreachable")
      assert.deepInclude(yield* on(called("acme"), one), { remaining: 19, exceeded: false })
      yield* toSentinel(sentinel, ca, "SET", "counting", "down-after-milliseconds", "1000")
      for (const each of [one, other]) yield* reaches(each, "ok")
      assert.include(watching.stdout(), "+switch-master counting")
      // A sentinel also ends the connections to the new primary once; until the next one is there each counts for itself.
      const shared = (each: Replica) =>
        eventually(
          Effect.flatMap(on(called("acme"), each), (_) =>
            _ !== undefined && _.remaining <= 9 ? Effect.succeed(_.remaining) : Effect.fail(_)
          )
        )
      const standing = yield* shared(other)
      assert.isBelow(yield* shared(one), standing)

      const unknown = yield* replica({ ...settings, REDIS_SENTINEL_NAME: "another" }, ca)
      assert.strictEqual(yield* on(state, unknown), "unreachable")
      for (const REDIS_SENTINEL_PASSWORD of ["", "another"]) {
        const mistaken = yield* replica({ ...settings, REDIS_SENTINEL_PASSWORD }, ca)
        assert.strictEqual(yield* on(state, mistaken), "unauthorized")
      }
    })
  )
})
