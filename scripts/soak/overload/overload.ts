import { Console, Effect } from "effect"
import { join } from "node:path"
import { table } from "../../bench/numbers.ts"
import { root } from "../../bench/proxy/processes.ts"
import { Evidence } from "../evidence.ts"
import { populated } from "../load/load.ts"
import type { Options } from "../options.ts"
import { staged } from "../stage/stage.ts"
import { sender, type Sent, type Span } from "./load.ts"
import { limitedService } from "./service.ts"

const deadline = 5_000

/** What each tenant sends of twice the peak: one sends most, the others stay below a quarter of the peak, their share. */
const shares = [1.4, 0.2, 0.2, 0.2]

const goodOf = ({ tenants }: Sent): number => tenants.reduce((sum, _) => sum + _.good, 0)

/** Forwarded reads of four tenants at both replicas, of a service that is slower than these. */
const shooting = Effect.fnUntraced(function* ({ seed }: Options) {
  const evidence = new Evidence()
  const stage = yield* staged(evidence, seed, join(root, ".portico/soak", `overload-${seed}`), {
    RATE_LIMIT: "false",
    IAAS_DNS_URL: `${yield* limitedService}/v2`
  })
  const { lasting } = yield* populated(stage, evidence, shares.length)
  const targets = stage.replicas.map(({ customer }) => {
    const { hostname, port } = new URL(customer)
    return { host: hostname, port: Number(port), ca: stage.trusted }
  })
  const path = "/v1/iaas/dns/zones"
  const send = yield* sender({ targets, tokens: lasting.map((_) => _.token), path, deadline })
  return { names: lasting.map((_) => _.name), ...send }
})

/** Seconds after the overload until all spans of a quarter of a second are as they were before it. */
const recoveryOf = (after: ReadonlyArray<Span>, usual: number): number => {
  const isWell = ({ good, p95, sent }: Span) => good === sent && !(p95 > Math.max(usual * 2, usual + 20))
  return ((after.findLastIndex((_) => !isWell(_)) + 1) * 250) / 1000
}

/** Twice the sustainable load: goodput by the peak, what the tenants get, and how long the return takes. */
export const overload = Effect.fnUntraced(function* (options: Options) {
  const { minutes } = options
  const { closed, names, open } = yield* shooting(options)
  const even = shares.map(() => 1)
  yield* closed(32, 8_000)
  const measured = yield* closed(64, 10_000)
  const peak = goodOf(measured) / 10
  // The slowest tenth of the spans is noise of the machine.
  const quiet = (yield* open(peak * 0.5, 8_000, even)).spans.map((_) => _.p95).toSorted((a, b) => a - b)
  const usual = quiet[Math.floor(quiet.length * 0.9)] ?? Number.NaN
  yield* Console.log(
    `Peak ${peak.toFixed(0)} calls a second, of which the sender took ${measured.cpu.toFixed(2)} CPUs; ` +
      `p95 ${usual.toFixed(1)} ms at half of it. Twice the peak for ${minutes} min.`
  )
  const milliseconds = minutes * 60_000
  const flood = yield* open(peak * 2, milliseconds, shares)
  const recovery = recoveryOf((yield* open(peak * 0.5, 10_000, even)).spans.slice(0, 40), usual)

  const goodput = goodOf(flood) / (milliseconds / 1000) / peak
  const rows = flood.tenants.map(({ good, p50, p95, p99, refused, sent }, index) => [
    names[index] ?? "",
    `${((shares[index] ?? 0) * 100).toFixed(0)} %`,
    String(sent),
    `${((good / sent) * 100).toFixed(1)} %`,
    `${p50.toFixed(0)}, ${p95.toFixed(0)}, ${p99.toFixed(0)}`,
    String(refused),
    String(sent - good - refused)
  ])
  const within = flood.tenants.slice(1)
  const quietGood = within.reduce((sum, _) => sum + _.good, 0) / within.reduce((sum, _) => sum + _.sent, 0)
  yield* Console.log(
    [
      table([
        ["tenant", "of the peak", "sent", "good", "p50, p95, p99 of good, ms", "refused", "no answer in 5 s"],
        ...rows
      ]),
      table([
        ["", "measured", "goal"],
        ["goodput by the peak", goodput.toFixed(2), "at least 0.90"],
        ["good calls of the tenants below their share", quietGood.toFixed(3), "at least 0.95"],
        ["recovery, s", recovery.toFixed(2), "at most 5"],
        ["CPUs that the sender took", flood.cpu.toFixed(2), ""]
      ])
    ].join("\n\n")
  )
  return goodput >= 0.9 && quietGood >= 0.95 && recovery <= 5
}, Effect.scoped)
