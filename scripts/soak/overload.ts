import { Console, Effect } from "effect"
import { join } from "node:path"
import { Agent, request } from "undici"
import { table } from "../bench/numbers.ts"
import { root } from "../bench/proxy/processes.ts"
import { Evidence } from "./evidence.ts"
import { populated } from "./load/load.ts"
import type { Tenant } from "./load/tenant.ts"
import type { Options } from "./options.ts"
import { staged } from "./stage/stage.ts"

/** Milliseconds after which a client has given up: a later answer is none. */
const deadline = 5_000

const path = "/v1/iaas/compute/servers"

/** What each tenant sends of twice the peak: one sends most, the others stay below a quarter of the peak, their share. */
const shares = [1.4, 0.2, 0.2, 0.2]

interface Shot {
  readonly tenant: string
  readonly sentAt: number
  readonly took: number
  readonly status: number | null
}

const isGood = ({ status, took }: Shot): boolean => status === 200 && took <= deadline

const p95 = (shots: ReadonlyArray<Shot>): number => {
  const sorted = shots.map((_) => _.took).toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN
}

/** What sends forwarded reads to both replicas in turn. */
const shooting = Effect.fnUntraced(function* (seed: number) {
  const evidence = new Evidence()
  const stage = yield* staged(evidence, seed, join(root, ".portico/soak", `overload-${seed}`), { RATE_LIMIT: "false" })
  const { lasting } = yield* populated(stage, evidence, shares.length)
  const dispatcher = new Agent({ connect: { ca: [...stage.trusted] }, connections: 1_024 })
  yield* Effect.addFinalizer(() => Effect.promise(() => dispatcher.destroy()))

  const fire = async ({ name, token }: Tenant, nth: number): Promise<Shot> => {
    const sentAt = evidence.now()
    const status = await request(`${stage.replicas[nth % stage.replicas.length]!.customer}${path}`, {
      dispatcher,
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(deadline)
    }).then(
      ({ body, statusCode }) =>
        body.dump().then(
          () => statusCode,
          () => null
        ),
      () => null
    )
    return { tenant: name, sentAt, took: evidence.now() - sentAt, status }
  }

  /** So many at once, each after the answer to the one before. */
  const closed = (connections: number, milliseconds: number) =>
    Effect.promise(async () => {
      const until = evidence.now() + milliseconds
      const shots: Array<Shot> = []
      const worker = async (first: number) => {
        for (let nth = first; evidence.now() < until; nth++) shots.push(await fire(lasting[nth % shares.length]!, nth))
      }
      await Promise.all(Array.from({ length: connections }, (_, nth) => worker(nth)))
      return shots
    })

  /** So many a second, whether those before were answered or not. */
  const open = (perSecond: number, milliseconds: number, parts: ReadonlyArray<number>) =>
    Effect.promise(async () => {
      const begun = evidence.now()
      const sent: Array<Promise<Shot>> = []
      const owed = parts.map(() => 0)
      const total = parts.reduce((a, b) => a + b, 0)
      for (let last = begun; last - begun < milliseconds;) {
        await new Promise((resolve) => setTimeout(resolve, 5))
        const now = evidence.now()
        for (const [index, part] of parts.entries()) {
          owed[index] = owed[index]! + (((now - last) / 1000) * perSecond * part) / total
          for (; owed[index]! >= 1; owed[index] = owed[index]! - 1) sent.push(fire(lasting[index]!, sent.length))
        }
        last = now
      }
      return Promise.all(sent)
    })
  return { names: lasting.map((_) => _.name), now: () => evidence.now(), closed, open }
})

/** Seconds after the overload until all spans of a quarter of a second are as they were before it. */
const recoveryOf = (after: ReadonlyArray<Shot>, from: number, usual: number): number => {
  const isWell = (shots: ReadonlyArray<Shot>) => shots.every(isGood) && !(p95(shots) > Math.max(usual * 2, usual + 20))
  const spans = Array.from({ length: 40 }, (_, index) =>
    after.filter(({ sentAt }) => sentAt >= from + index * 250 && sentAt < from + (index + 1) * 250)
  )
  return ((spans.findLastIndex((_) => !isWell(_)) + 1) * 250) / 1000
}

/** Twice the sustainable load: goodput by the peak, what the tenants get, and how long the return takes. */
export const overload = Effect.fnUntraced(function* ({ minutes, seed }: Options) {
  const { closed, names, now, open } = yield* shooting(seed)
  const even = shares.map(() => 1)
  yield* closed(16, 8_000)
  const peak = (yield* closed(32, 10_000)).filter(isGood).length / 10
  const usual = p95(yield* open(peak * 0.5, 8_000, even))
  yield* Console.log(
    `Peak ${peak.toFixed(0)} calls a second; p95 ${usual.toFixed(1)} ms at half of it. Twice the peak for ${minutes} min.`
  )
  const milliseconds = minutes * 60_000
  const flood = yield* open(peak * 2, milliseconds, shares)
  const from = now()
  const recovery = recoveryOf(yield* open(peak * 0.5, 10_000, even), from, usual)

  const goodput = flood.filter(isGood).length / (milliseconds / 1000) / peak
  const rows = names.map((name, index) => {
    const own = flood.filter((_) => _.tenant === name)
    const good = own.filter(isGood)
    return [
      name,
      `${(shares[index]! * 100).toFixed(0)} %`,
      String(own.length),
      `${((good.length / own.length) * 100).toFixed(1)} %`,
      p95(good).toFixed(0),
      String(own.filter((_) => _.status !== null && _.status !== 200).length),
      String(own.filter((_) => _.status === null).length)
    ]
  })
  const quiet = flood.filter((_) => _.tenant !== names[0])
  const quietGood = quiet.filter(isGood).length / quiet.length
  yield* Console.log(
    [
      table([["tenant", "of the peak", "sent", "good", "p95 of good, ms", "refused", "no answer in 5 s"], ...rows]),
      table([
        ["", "measured", "goal"],
        ["goodput by the peak", goodput.toFixed(2), "at least 0.90"],
        ["good calls of the tenants below their share", quietGood.toFixed(3), "at least 0.95"],
        ["recovery, s", recovery.toFixed(2), "at most 5"]
      ])
    ].join("\n\n")
  )
  return goodput >= 0.9 && quietGood >= 0.95 && recovery <= 5
}, Effect.scoped)
