import { Effect, Schema } from "effect"
import { request } from "undici"
import { onNode, running, urlIn } from "./processes.ts"

/** The simulated identity provider and Keystone, as a process of its own; answers its address. */
export const identityOn = (cpus: string | undefined) =>
  Effect.map(
    running({ name: "the identity provider", cpus, ...onNode("scripts/bench/proxy/programs/identity.ts") }, urlIn),
    (_) => _.up
  )

const Counts = Schema.fromJsonString(Schema.Struct({ introspections: Schema.Finite, logins: Schema.Finite }))

const asked = (url: string) => Effect.promise(() => request(url).then(({ body }) => body.text()))

/** What the identity provider and Keystone were asked so far. */
export const countsOf = (identity: string) =>
  Effect.flatMap(asked(`${identity}/counts`), Schema.decodeUnknownEffect(Counts))

type Kind = "introspections" | "logins"

/** From now on questions of this kind wait for their answer. */
export const hold = (identity: string, kind: Kind) => asked(`${identity}/hold/${kind}`)

/** Those that wait are answered, and so is every later one. */
export const release = (identity: string, kind: Kind) => asked(`${identity}/release/${kind}`)
