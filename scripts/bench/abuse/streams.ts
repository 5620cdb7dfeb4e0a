import { Effect, type Scope } from "effect"
import { Agent, request } from "undici"

/** A running gateway, with a tenant that opens all that it may, and its neighbour. */
export interface Stage {
  /** Of the customer plane. */
  readonly url: string
  /** What the tenant at its ceilings calls with. */
  readonly tenant: Record<string, string>
  /** The tenant's project, whose namespace is there. */
  readonly projectId: string
  readonly neighbour: Record<string, string>
  /** A small call of the neighbour's: `/v1/whoami`. */
  readonly path: string
  /** How long the neighbour is measured, quiet and beside the load. */
  readonly seconds: number
}

export interface Measured {
  /** Calls of the tenant that went on, at most, and those that were refused with 429. */
  readonly open: number
  readonly refused: number
  /** Milliseconds of the neighbour's calls: the slowest of the fastest 95 in 100. */
  readonly quiet: number
  readonly busy: number
}

/** Milliseconds between two calls of the neighbour. */
const pace = 20
const pause = 100

const p95 = (samples: ReadonlyArray<number>): number =>
  samples.toSorted((a, b) => a - b)[Math.floor(samples.length * 0.95)] ?? Number.NaN

/** The neighbour's calls, one behind the other. */
const neighbours = ({ neighbour, path, seconds, url }: Stage) =>
  Effect.scoped(
    Effect.gen(function* () {
      const dispatcher = yield* connections(1)
      const samples: Array<number> = []
      for (let nth = 0; nth < (seconds * 1000) / pace; nth += 1) {
        const began = performance.now()
        const status = yield* Effect.promise(async () => {
          const { body, statusCode } = await request(`${url}${path}`, { dispatcher, headers: neighbour })
          await body.dump()
          return statusCode
        })
        if (status !== 200) return yield* Effect.die(new Error(`the neighbour's ${path} answered ${status}`))
        samples.push(performance.now() - began)
        yield* Effect.sleep(pace)
      }
      return p95(samples)
    })
  )

const connections = (most: number): Effect.Effect<Agent, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => new Agent({ connections: most, bodyTimeout: 0 })),
    (agent) => Effect.promise(() => agent.destroy())
  )

/** As many clients as `count` open `path` again and again, and take what comes as fast as it does. */
const flooded = Effect.fnUntraced(function* (stage: Stage, path: string, count: number) {
  const dispatcher = yield* connections(count)
  const seen = { open: 0, most: 0, refused: 0 }
  const client = Effect.promise(async (signal) => {
    const options = { dispatcher, headers: stage.tenant, signal }
    const { body, statusCode } = await request(`${stage.url}${path}`, options)
    if (statusCode !== 200) {
      seen.refused += 1
      return body.dump()
    }
    seen.open += 1
    seen.most = Math.max(seen.most, seen.open)
    await new Promise<void>((done) =>
      body
        .on("error", () => {})
        .once("close", done)
        .resume()
    )
    seen.open -= 1
  }).pipe(Effect.catchCause(() => Effect.void))
  const again = Effect.forever(Effect.andThen(client, Effect.sleep(pause)))
  yield* Effect.forEach(Array.from({ length: count }), () => Effect.forkScoped(again), { discard: true })
  // Until all of them are open or were refused.
  yield* Effect.sleep("2 seconds")
  return seen
})

/** What a neighbour notices of one tenant that opens more of `path` than it may. */
const beside = Effect.fnUntraced(function* (stage: Stage, path: string, count: number) {
  const quiet = yield* neighbours(stage)
  return yield* Effect.scoped(
    Effect.gen(function* () {
      const seen = yield* flooded(stage, path, count)
      const busy = yield* neighbours(stage)
      return { open: seen.most, refused: seen.refused, quiet, busy } satisfies Measured
    })
  )
})

/** Watches: a tenant that opens 1,500 of them. */
export const watches = (stage: Stage, count = 1_500): Effect.Effect<Measured> =>
  beside(stage, `/v1/kubernetes/api/v1/namespaces/db-${stage.projectId}/configmaps?watch=1`, count)

/** Exports of the audit: a tenant that asks for 150 at once. */
export const exports = (stage: Stage, count = 150): Effect.Effect<Measured> => beside(stage, "/v1/audit/export", count)
