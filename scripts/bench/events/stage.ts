import { Effect } from "effect"
import { originOn, portico } from "../proxy/contenders.ts"
import { databases, fill } from "../proxy/database.ts"
import { identityOn } from "../proxy/identity.ts"
import { headersOf } from "../proxy/stage.ts"

/** Tenants, each with a key of the same number. */
const tenants = 8

/** Where webhooks of the benchmark lead. */
export const allowed = { WEBHOOK_ALLOW_ADDRESSES: "127.0.0.0/8", WEBHOOK_ALLOW_HTTP: "true" }

/**
 * Everything that stands around gateways: a platform, an identity provider, PostgreSQL.
 *
 * @param delay milliseconds that the platform takes for a write
 */
export const staged = Effect.fnUntraced(function* (delay: number) {
  const databaseOf = yield* databases
  const origin = yield* originOn(undefined, delay)
  const identity = yield* identityOn(undefined)

  /** A gateway on an empty database of its own. */
  const gateway = Effect.fnUntraced(function* (name: string, main?: string) {
    const database = yield* databaseOf(`bench_${name}`)
    const options = { name, origin: origin.up, identity, database, cpus: undefined, settings: allowed }
    const contender = yield* portico(main === undefined ? options : { ...options, main })
    yield* fill(database, tenants, tenants)
    return { ...contender, database }
  })
  return { gateway }
})

export type Stage = Effect.Success<ReturnType<typeof staged>>
export type Gateway = Effect.Success<ReturnType<Stage["gateway"]>>

/** What the tenant of this number calls with. */
export const callsAs = (tenant: number): Record<string, string> => ({ ...headersOf(tenant) })
