import { Context, Effect, Fiber, Layer } from "effect"
import { HttpClient } from "effect/http"
import { turn } from "../clock.ts"
import { Current } from "../store/transaction.ts"

/** Which operation of a history a fiber works for; undefined outside of all of them. */
export const Actor = Context.Reference<number | undefined>("portico/testing/histories/Actor", {
  defaultValue: () => undefined
})

/** An operation that waits for its turn. */
export interface Waiting {
  readonly actor: number
  /** What it does next, such as `Tenants.find` or `keystone POST`. */
  readonly at: string
}

interface Held extends Waiting {
  readonly go: () => void
}

/**
 * Lets the operations of a history on one at a time: each waits before every
 * call of the store, and before and after every call of an upstream, until it
 * is chosen. What happens between two turns is atomic, as a statement or a
 * transaction of the database is.
 */
export class Turns {
  private readonly held: Array<Held> = []

  get waiting(): ReadonlyArray<Waiting> {
    return this.held
  }

  /** Waits for a turn. A transaction has only one, and what belongs to no operation needs none. */
  pass(at: string): Effect.Effect<void> {
    return Effect.suspend(() => {
      const actor = actorNow()
      if (actor === undefined) return Effect.void
      return Effect.callback<void>((resume) => {
        const held: Held = { actor, at, go: () => resume(Effect.void) }
        this.held.push(held)
        return Effect.sync(() => {
          const index = this.held.indexOf(held)
          if (index >= 0) this.held.splice(index, 1)
        })
      })
    })
  }

  /** Whoever is chosen goes on. */
  go(chosen: Waiting): void {
    const index = this.held.findIndex((_) => _ === chosen)
    const [held] = index < 0 ? [] : this.held.splice(index, 1)
    held?.go()
  }
}

/** The operation of this fiber; undefined inside of a transaction. */
const actorNow = (): number | undefined => {
  const fiber = Fiber.getCurrent()
  if (fiber === undefined) return undefined
  const transaction = Context.getOrUndefined(fiber.context, Current)?.[0]
  return transaction?.isOver === false ? undefined : Context.get(fiber.context, Actor)
}

/** Lets everything run that waits for neither a turn nor time. */
export const quiet: Effect.Effect<void> = Effect.asVoid(Effect.repeat(turn, { times: 3 }))

const stores = "portico/store/"

/** The services of a store, each of whose methods waits for its turn first. */
export const inTurns = <A, E, R>(turns: Turns, layer: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.effectContext(
    Effect.map(Layer.build(layer), ({ mapUnsafe }) =>
      Context.makeUnsafe<A>(
        new Map(
          [...mapUnsafe].map(([key, service]: readonly [string, unknown]) => [
            key,
            key.startsWith(stores) && typeof service === "object" && service !== null
              ? waitingFor(turns, key.slice(key.lastIndexOf("/") + 1), service)
              : service
          ])
        )
      )
    )
  )

const waitingFor = (turns: Turns, name: string, service: object): object =>
  new Proxy(service, {
    get: (target, property, receiver) => {
      const member: unknown = Reflect.get(target, property, receiver)
      const afterTurn = (value: unknown): unknown =>
        Effect.isEffect(value) ? Effect.andThen(turns.pass(`${name}.${String(property)}`), value) : value
      return typeof member === "function"
        ? (...args: ReadonlyArray<unknown>) => afterTurn(Reflect.apply(member, target, args))
        : afterTurn(member)
    }
  })

/** A client whose every call waits for its turn twice: to reach the upstream, and to get its answer back. */
export const clientInTurns = (turns: Turns) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(HttpClient.HttpClient, (client) =>
      HttpClient.transform(client, (answer, { method, url }) => {
        const call = `${method} ${pathOf(url)}`
        return Effect.ensuring(Effect.andThen(turns.pass(call), answer), turns.pass(`after ${call}`))
      })
    )
  )

const pathOf = (url: string): string => url.replace(/^https?:\/\/[^/]+/, "")
