import type { RegistryKeySet } from "@portico/contract/Registry"
import { type RegistryKey, RegistryKeys } from "@portico/store/RegistryKeys"
import { tenantKeys } from "@portico/upstream/tenantKeys"
import { Clock, Config, Context, DateTime, Duration, Effect, Layer, Schema, Semaphore } from "effect"
import { createPrivateKey, type KeyObject } from "node:crypto"
import { type Seal, sealWith } from "../seal.ts"
import { newKey } from "./newKey.ts"

/** How long a key stays published after its successor has begun to sign: longer than any token that it signed. */
const overlap = Duration.toMillis(Duration.hours(1))

/** How long the keys are cached. A new key is published long before it signs. */
const cacheTime = Duration.toMillis(Duration.seconds(30))

const Days = Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: 3650 }))

/** A key that signs. */
export interface SigningKey {
  readonly kid: string
  readonly key: KeyObject
}

/**
 * The keys that sign registry tokens (RS256). The store holds them for all
 * replicas, the private ones encrypted. A registry reads its key set from a
 * file, so a key is published a week before it signs. It signs for three
 * months, and is removed when its last token has ended.
 */
export class SigningKeys extends Context.Service<
  SigningKeys,
  {
    readonly current: Effect.Effect<SigningKey>
    /** Every key that may sign a token, now and next. */
    readonly published: Effect.Effect<RegistryKeySet>
    /**
     * Adds the next key when it is due, and removes keys whose tokens have
     * ended. Any replica may run it; one does the work. The first key is made on
     * the first request.
     */
    readonly rotate: Effect.Effect<void>
    /** Seals the private keys under the first of the platform's keys. Returns how many were sealed anew. */
    readonly reseal: Effect.Effect<number>
  }
>()("portico/domain/registry/SigningKeys") {
  static readonly layer = Layer.effect(
    SigningKeys,
    Effect.gen(function* () {
      const store = yield* RegistryKeys
      const seal = sealWith(yield* tenantKeys, "portico/registry-keys")
      const signs = days(yield* Config.schema(Days, "REGISTRY_KEY_DAYS").pipe(Config.withDefault(90)))
      const ahead = Math.min(
        days(yield* Config.schema(Days, "REGISTRY_KEY_AHEAD_DAYS").pipe(Config.withDefault(7))),
        signs / 2
      )
      const one = yield* Semaphore.make(1)
      let held: { readonly keys: ReadonlyArray<Usable>; readonly until: number } | undefined

      const read = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const keys = (yield* store.list).map((row) => usable(seal, row))
        held = { keys, until: now + cacheTime }
        return keys
      })

      const rotated = Effect.fnUntraced(function* (first: boolean) {
        const now = yield* Clock.currentTimeMillis
        const keys = yield* read
        if (!first && keys.length === 0) return
        const signsFrom = nextOf(keys, now, signs, ahead)
        if (signsFrom !== undefined) {
          const next = yield* newKey(seal, signsFrom)
          // Of several replicas at this point one adds its key; the others discard theirs.
          yield* store.add(next, keys.at(-1)?.row.kid)
        }
        yield* store.remove(over(keys, now).map((_) => _.row.kid))
        yield* read
      }, one.withPermits(1))

      const known = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        return held !== undefined && now < held.until ? held.keys : yield* read
      })

      const current: Effect.Effect<SigningKey> = Effect.gen(function* () {
        const found = signing(yield* known, yield* Clock.currentTimeMillis)
        if (found !== undefined) return found
        yield* rotated(true)
        const made = signing(yield* known, yield* Clock.currentTimeMillis)
        return made ?? (yield* Effect.die("there is no key for registry tokens"))
      })

      return SigningKeys.of({
        current,
        // A request before the first token makes the first key.
        published: Effect.andThen(
          current,
          Effect.map(known, (keys) => ({ keys: keys.map((_) => _.row.public_key) }))
        ),
        rotate: Effect.withSpan(rotated(false), "registry.rotate"),
        reseal: Effect.gen(function* () {
          const changed = yield* Effect.forEach(yield* store.list, ({ kid, sealed }) => {
            const renewed = seal.renew(kid, sealed)
            return renewed === undefined ? Effect.succeed(false) : Effect.as(store.reseal(kid, renewed), true)
          })
          return changed.filter(Boolean).length
        })
      })
    })
  )
}

/** {@link SigningKeys} `rotate`, as a job. */
export const rotateKeys = Effect.flatMap(SigningKeys, (_) => _.rotate)

/**
 * A stored key. It has no private key when it was sealed under another secret:
 * it may have signed, and signs no more.
 */
interface Usable {
  readonly row: RegistryKey
  readonly signsFrom: number
  readonly key: KeyObject | undefined
}

const usable = (seal: Seal, row: RegistryKey): Usable => {
  const der = seal.open(row.kid, row.sealed)
  return {
    row,
    signsFrom: DateTime.toEpochMillis(row.signs_from),
    key: der && createPrivateKey({ key: der, format: "der", type: "pkcs8" })
  }
}

const signing = (keys: ReadonlyArray<Usable>, now: number): SigningKey | undefined => {
  const last = keys.findLast((_) => _.key !== undefined && _.signsFrom <= now)
  return last?.key && { kid: last.row.kid, key: last.key }
}

/** When a key that is made now begins to sign; undefined when none is due. */
const nextOf = (keys: ReadonlyArray<Usable>, now: number, signs: number, ahead: number): number | undefined => {
  if (signing(keys, now) === undefined) return now
  const last = keys.findLast((_) => _.key !== undefined)?.signsFrom ?? now
  return last + signs - ahead <= now ? Math.max(now + ahead, last + signs) : undefined
}

/** The keys whose tokens have all ended. */
const over = (keys: ReadonlyArray<Usable>, now: number): ReadonlyArray<Usable> => {
  const successor = keys.findLast((_) => _.key !== undefined && _.signsFrom + overlap <= now)
  return successor === undefined
    ? []
    : keys.filter((_) => _ !== successor && (_.key === undefined || _.signsFrom < successor.signsFrom))
}

const days = (count: number): number => Duration.toMillis(Duration.days(count))
