import { mint, tenant } from "../../packages/gateway/test/harness/Cast.ts"
import { guest, unique } from "../../packages/gateway/test/real/Guests.ts"
import { person, roles } from "../../packages/gateway/test/real/Person.ts"
import { Effect } from "effect"
import type { Target } from "./Target.ts"

/** What one logs in with: a user's name and password, or the id and secret of an application credential. */
export interface Login {
  readonly username: string
  readonly password: string
}

/** A project with somebody who may do everything in it, and somebody who looks on. */
export interface Project {
  readonly name: string
  readonly id: string
  readonly member: Login
  readonly reader: Login
  /** A token of tier 2, for the gateway's own routes. */
  readonly token: string
}

/** A new tenant of the highest tier, named after a suite. On the real cloud it goes with the scope. */
export const project = Effect.fnUntraced(function* (target: Target, of: string) {
  const { name, projectId, tokens } = yield* target === "simulated"
    ? tenant(unique(of), "extension")
    : guest(of, "extension")
  const logins = target === "direct" ? members(projectId, name) : keys(tokens[2])
  return { name, id: projectId, token: tokens[2], ...(yield* logins) } satisfies Project
})

/** People of Keystone, who need no gateway. */
const members = (projectId: string, name: string) => {
  const login = (kind: "member" | "reader") =>
    Effect.map(person(projectId, `${name}-${kind}`, roles[kind]), (_) => ({ username: _.name, password: _.password }))
  return Effect.all({ member: login("member"), reader: login("reader") })
}

/** Keys of the gateway, of the tiers 2 and 0. */
const keys = (token: string) => Effect.all({ member: key(token, 2), reader: key(token, 0) })

const key = (token: string, tier: 0 | 2) =>
  Effect.map(mint(token, tier, `tier ${tier}`), (_): Login => ({
    username: String(_.client_id),
    password: String(_.client_secret)
  }))
