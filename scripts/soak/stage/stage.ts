import { programOf } from "../../../packages/gateway/test/processes/bundles.ts"
import { firstLine, spawned } from "../../../packages/gateway/test/processes/children.ts"
import { gatewaySettings } from "@portico/simulator/settings"
import { Effect, FileSystem } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { freePort } from "../../bench/proxy/processes.ts"
import type { Evidence } from "../evidence.ts"
import { SeededRandom } from "../random.ts"
import { certificates } from "./certificates.ts"
import { postgres } from "./postgres.ts"
import { receiver } from "./receiver.ts"
import { replica } from "./replica.ts"

/** Room for a dozen small tenants and a few large ones, so that onboardings and moves are refused now and then. */
export const sellable = {
  SELLABLE_CORES: "360",
  SELLABLE_RAM_GIB: "720",
  SELLABLE_BLOCK_GIB: "3600",
  SELLABLE_OBJECT_GIB: "1200",
  SELLABLE_FLOATING_IPS: "100"
}

/** The rate of the tenant that always calls too often; the others stay below theirs. */
export const rates = {
  RATE_LIMIT_RPM_DISCOVERY: "120",
  RATE_LIMIT_RPM_STANDARD: "6000",
  RATE_LIMIT_RPM_EXTENSION: "60000"
}

const cloud = Effect.gen(function* () {
  const child = yield* spawned({
    command: [process.execPath, yield* programOf("cloud")],
    settings: { CLOUD_PORT: "0" }
  })
  const { url = "" } = yield* firstLine(child)
  return { url, pid: child.pid }
})

/** Where Debian's libfaketime is, which moves the clock that a process sees. */
const fakeTime = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"

const portsOf = Effect.gen(function* () {
  return { customer: yield* freePort, operator: yield* freePort, agent: yield* freePort }
})

/** Everything that stands: the cloud, PostgreSQL, a receiver of webhooks, and two replicas of the gateway. */
export const staged = Effect.fnUntraced(function* (
  evidence: Evidence,
  seed: number,
  directory: string,
  others: Readonly<Record<string, string>> = {}
) {
  const fs = yield* FileSystem.FileSystem
  const trusted: Array<string> = []
  const certificate = yield* certificates(join(directory, "tls"), trusted)
  const platform = yield* cloud
  const database = yield* postgres
  const hooks = yield* receiver(evidence, SeededRandom.of(seed, "receiver"))
  const logs = join(directory, "logs")
  yield* fs.makeDirectory(logs, { recursive: true })

  const clockFile = join(directory, "clock")
  yield* fs.writeFileString(clockFile, "+0\n")
  const hasClock = existsSync(fakeTime)
  const clock: Readonly<Record<string, string>> = hasClock
    ? {
        LD_PRELOAD: fakeTime,
        FAKETIME_TIMESTAMP_FILE: clockFile,
        FAKETIME_CACHE_DURATION: "1",
        // Timers run on the monotonic clock, which no step of the wall clock moves.
        DONT_FAKE_MONOTONIC: "1"
      }
    : {}

  const settings = {
    ...gatewaySettings(platform.url),
    ...sellable,
    ...rates,
    DATABASE_URL: database.url,
    CUSTOMER_TLS_CERT_FILE: certificate.cert,
    CUSTOMER_TLS_KEY_FILE: certificate.key,
    OPERATOR_TLS_CERT_FILE: certificate.cert,
    OPERATOR_TLS_KEY_FILE: certificate.key,
    WEBHOOK_ALLOW_ADDRESSES: "127.0.0.0/8",
    WEBHOOK_ALLOW_HTTP: "true",
    SIGNUPS_TOTAL: "1000000",
    SIGNUPS_PER_SOURCE: "1000000",
    SIGNUPS_PER_EMAIL: "1000000",
    SWEEP_SECONDS: "2",
    PROBE_SECONDS: "5",
    BILLING_RECONCILE_SECONDS: "60",
    LOG_LEVEL: "Warn",
    ...others
  }
  const one = { evidence, logs, settings: { ...settings } }
  const replicas = yield* Effect.all(
    [
      replica("a", { ...one, ports: yield* portsOf }),
      // The clock that is stepped is the second replica's: two machines never agree for ever.
      replica("b", { ...one, settings: { ...settings, ...clock }, ports: yield* portsOf })
    ],
    { concurrency: 2 }
  )
  return {
    seed,
    directory,
    cloud: platform,
    database,
    receiver: hooks,
    replicas,
    certificate,
    trusted,
    clockFile,
    hasClock
  }
})

export type Stage = Effect.Success<ReturnType<typeof staged>>
