import { Effect } from "effect"
import { Agent, request } from "undici"
import type { Contender } from "../proxy/contenders.ts"
import { paths } from "../proxy/names.ts"
import { headersOf } from "../proxy/stage.ts"

/** The tenant's proxied calls a second, sent when they are due and not when the one before is over. */
export const callsPerSecond = 200
/** Of so many of them one more is sent to each of the other paths. */
const othersEvery = 20
/** Tokens of the tenant, all known. */
const tokens = 20

/** Lets go of connections long before the gateway does, so that none is used at the moment of its end. */
const agent = new Agent({ connections: 64, keepAliveTimeout: 1_000, keepAliveMaxTimeout: 1_000 })

/** Milliseconds that calls took, from when they were due; infinite for one that failed. */
export interface Taken {
  readonly proxied: ReadonlyArray<number>
  readonly health: ReadonlyArray<number>
  /** A list out of the database. */
  readonly credentials: ReadonlyArray<number>
}

/** A tenant that calls steadily for so many seconds. */
export const tenant = ({ url }: Contender, seconds: number): Effect.Effect<Taken> =>
  Effect.promise(async () => {
    const taken = { proxied: Array<number>(), health: Array<number>(), credentials: Array<number>() }
    const calls: Array<Promise<void>> = []
    const begun = performance.now()
    const call = async (into: Array<number>, path: string, index: number, due: number) => {
      const status = await statusOf(url(path), index % tokens)
      into.push(status === 200 ? performance.now() - due : Number.POSITIVE_INFINITY)
    }
    for (let index = 0; index < seconds * callsPerSecond; index++) {
      const at = begun + (index * 1000) / callsPerSecond
      const early = at - performance.now()
      if (early > 0) await new Promise((done) => setTimeout(done, early))
      const due = Math.max(at, performance.now())
      calls.push(call(taken.proxied, paths.show, index, due))
      if (index % othersEvery === 5) calls.push(call(taken.health, "/health", index, due))
      if (index % othersEvery === 15) calls.push(call(taken.credentials, "/v1/credentials", index, due))
    }
    await Promise.all(calls)
    return taken
  })

/** Undefined when the connection failed. */
const statusOf = (url: string, token: number): Promise<number | undefined> =>
  request(url, { dispatcher: agent, headers: headersOf(token) }).then(
    ({ body, statusCode }) => body.dump().then(() => statusCode),
    () => undefined
  )
