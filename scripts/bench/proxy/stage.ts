import { Effect, FileSystem, Schema } from "effect"
import { request } from "undici"
import { bare, type Contender, fastify, names, nginx, originOn, portico } from "./contenders.ts"
import { databases, fill } from "./database.ts"
import { identityOn } from "./identity.ts"
import { generatorOn } from "./load.ts"
import { dividedCpus } from "./machine.ts"
import { atOrigin, paths, projectOf, sessionOf, tokenOf } from "./names.ts"

/** How much is measured. */
export interface Extent {
  readonly rounds: number
  /** Of one load. */
  readonly seconds: number
  /** Of one stream. */
  readonly bytes: number
  /** In the larger store. */
  readonly credentials: number
  /** Resolutions a round, of each store. */
  readonly resolutions: number
}

export const whole: Extent = { rounds: 9, seconds: 4, bytes: 2 ** 30, credentials: 1_000_000, resolutions: 60 }
export const quick: Extent = { rounds: 3, seconds: 1, bytes: 2 ** 28, credentials: 100_000, resolutions: 30 }

/** The tenants in the store of the Portico under load, and their tokens: all numbers below. */
export const tenants = 1_000
export const tokens = 10_000

/** What every request brings; the peers send it on, Portico looks at it. */
export const headersOf = (token: number): Readonly<Record<string, string>> => ({
  authorization: `Bearer ${tokenOf(token)}`,
  accept: "application/json",
  "user-agent": "openstacksdk/4.4.0 keystoneauth1/5.9.1"
})

class WrongAnswer extends Schema.TaggedError<WrongAnswer>()("WrongAnswer", { message: Schema.String }) {}

/** Everything that takes part, up and answering rightly. */
export const staged = Effect.fnUntraced(function* (extent: Extent, flags: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const cpus = yield* dividedCpus
  const directory = yield* fs.makeTempDirectoryScoped({ prefix: "portico-bench-" })
  const database = yield* databases
  const origin = yield* originOn(cpus.load)
  const identity = yield* identityOn(cpus.load)

  /** A gateway before a store of its own, which is filled with as many rows. */
  const gateway = Effect.fnUntraced(function* (
    name: string,
    rows: { readonly tenants: number; readonly credentials: number },
    settings: Readonly<Record<string, string>> = {},
    flags: ReadonlyArray<string> = []
  ) {
    const url = yield* database(`bench_${rows.credentials}`)
    const options = { name, origin: origin.up, identity, database: url, cpus: cpus.contenders, settings, flags }
    const started = yield* portico(options)
    yield* fill(url, rows.tenants, rows.credentials)
    return started
  })

  const tested = yield* gateway(names.portico, { tenants, credentials: tokens }, {}, flags)
  const others = [
    yield* bare(origin.up, cpus.contenders),
    yield* fastify(origin.up, cpus.contenders),
    yield* nginx(directory, origin.up, cpus.contenders)
  ]
  const peers = others.filter((_) => _ !== undefined)
  yield* Effect.forEach([tested, ...peers], (_) => forwardsRightly(_, origin), { discard: true })
  yield* bringsTheTenantsSession(tested)

  return {
    extent,
    cpus,
    directory,
    identity,
    gateway,
    generator: yield* generatorOn(cpus.load),
    origin: origin satisfies Contender,
    portico: tested,
    peers
  }
})

export type Stage = Effect.Success<ReturnType<typeof staged>>

/** An answer that was read whole. */
export const got = (url: string, token: number) =>
  Effect.promise(async () => {
    const { body, statusCode } = await request(url, { headers: headersOf(token) })
    return { status: statusCode, text: await body.text() }
  })

const forwardsRightly = Effect.fnUntraced(function* (contender: Contender, origin: Contender) {
  const expected = yield* got(origin.url(paths.show), 0)
  const answer = yield* got(contender.url(paths.show), 0)
  if (answer.status === 200 && answer.text === expected.text) return
  const message = `${contender.name} answered ${answer.status} for ${atOrigin(paths.show)}: ${answer.text}`
  return yield* new WrongAnswer({ message: `${message}\n${contender.said()}` })
})

/** Portico has to do here what it is for. */
const bringsTheTenantsSession = Effect.fnUntraced(function* (contender: Contender) {
  const token = tenants - 2
  const { text } = yield* got(contender.url(paths.echo), token)
  const headers: Record<string, string> = JSON.parse(text)
  if (headers["x-auth-token"] === sessionOf(projectOf(token)) && headers["authorization"] === undefined) return
  return yield* new WrongAnswer({ message: `${contender.name} came to the platform with ${text}` })
})
