import { serviceQuotas, zeroQuotas } from "@portico/contract/Tiers"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { makeWorld } from "@portico/simulator/World"
import { Accounts } from "@portico/store/Accounts"
import { Journal } from "@portico/store/Journal"
import { ProjectRecords } from "@portico/store/ProjectRecords"
import { Purges } from "@portico/store/Purges"
import { Tenants } from "@portico/store/Tenants"
import { Clock, DateTime, Effect, type Redacted } from "effect"
import { isDeepStrictEqual } from "node:util"
import { leftIn } from "../cloud/leftovers.ts"
import { resolve } from "../tenants/caller.ts"
import { quotasOf } from "../tenants/whole.ts"
import { type Credential, keysOf, lookOf, type Model, standingOf } from "./model.ts"
import type { Key } from "./plan.ts"
import { type Acme, slug } from "./scenes.ts"

/** What a credential is known by outside. */
export interface Known {
  readonly key: Key
  readonly id: string
  readonly token: Redacted.Redacted
}

/** How everything is at the end, in comparable words. */
export type Found = Readonly<Record<string, string>>

const credentialInWords = (
  {
    held,
    rotates,
    state,
    successor
  }: Pick<Credential, "held" | "state"> & Readonly<Record<"rotates" | "successor", string | null>>,
  works: boolean
): string =>
  state === "revoked"
    ? "revoked"
    : `${state} held by [${held.join("+")}], rotates ${rotates ?? "-"}, successor ${successor ?? "-"}, ${works ? "works" : "does not work"}`

/** How everything is found: in the tables, at the identity provider, and by whoever uses a credential. */
export const found = Effect.fnUntraced(function* ({ account, projectId }: Acme, known: ReadonlyArray<Known>) {
  const { world } = yield* SimulatedCloud
  const now = yield* Clock.currentTimeMillis
  const tenant = yield* (yield* Tenants).find(projectId)
  const all = yield* (yield* Tenants).list
  const purge = yield* (yield* Purges).find(projectId)
  const entry = yield* (yield* Accounts).find(Number(account))
  const nameOf = (id: string | null) => (id === null ? null : (known.find((_) => _.id === id)?.key ?? id))
  const words: Record<string, string> = {
    tenant: lookOf({
      tenant: tenant === undefined ? null : { ...tenant, pending: tenant.pending_tier, changing: null }
    }),
    successor: String(all.some((_) => _.slug === slug && _.project_id !== projectId)),
    account: entry?.state ?? "gone",
    purge: purge === undefined || purge.lease_ends === null ? "none" : purge.state,
    onboardings: String((yield* (yield* Journal).list).length)
  }
  for (const row of yield* (yield* ProjectRecords).credentials(projectId)) {
    const token = known.find((_) => _.id === row.credential_id)?.token
    const works = token !== undefined && (yield* Effect.isSuccess(resolve(token)))
    const isOver = row.revokes_at !== null && DateTime.toEpochMillis(row.revokes_at) <= now
    const name = nameOf(row.credential_id) ?? ""
    const state = isOver ? "revoked" : row.state
    words[name] = credentialInWords(
      { ...row, state, rotates: nameOf(row.rotates), successor: nameOf(row.rotated_to) },
      works
    )
    const user = world.zitadel.users[row.user_id]
    if (works && user === undefined) words[`user of ${name}`] = "is missing"
    if (row.state === "revoked" && user !== undefined && user.state === "USER_STATE_ACTIVE")
      words[`user of ${name}`] = "is active"
  }
  return words
})

/** The same of a model. */
export const foundOf = (model: Model): Found => ({
  tenant: lookOf(model),
  successor: String(model.successor),
  account: model.account,
  purge: model.purge === null || model.purge.state === "cancelled" ? "none" : model.purge.state,
  onboardings: model.onboarding === null ? "0" : "1",
  ...Object.fromEntries(
    keysOf(model).flatMap((key) => {
      const credential = model.credentials[key]
      if (credential === undefined) return []
      const state = credential.over ? "revoked" : credential.state
      return [[key, credentialInWords({ ...credential, state }, standingOf(model, key) === "active")] as const]
    })
  )
})

export const isFound = (found: Found, model: Model): boolean => isDeepStrictEqual(found, foundOf(model))

/** What is wrong with the cloud when nothing is under way any more; nothing otherwise. */
export const wrongInCloud = Effect.fnUntraced(function* ({ projectId }: Acme) {
  const tenant = yield* (yield* Tenants).find(projectId)
  const purge = yield* (yield* Purges).find(projectId)
  if (purge !== undefined && purge.lease_ends !== null) return []
  const { state, world } = yield* SimulatedCloud
  if (tenant === undefined) {
    const all = yield* (yield* Tenants).list
    if (all.length > 0) return []
    return leftIn(yield* state).added.map(({ kind, name }) => `${kind} ${name} is left`)
  }
  const quotas = yield* quotasOf(projectId)
  const wanted = tenant.suspended ? zeroQuotas : serviceQuotas(tenant.tier)
  const users = Object.values(world.zitadel.users).length
  const rows = yield* (yield* ProjectRecords).credentials(projectId)
  return [
    ...(isDeepStrictEqual(quotas, wanted) ? [] : [`the quotas are ${JSON.stringify(quotas)}`]),
    ...(world.keystone.projects[projectId] === undefined ? ["the project is gone"] : []),
    ...(Object.values(world.neutron.routers).some((_) => _.project_id === projectId) ? [] : ["the router is gone"]),
    ...(users > rows.length + platformUsers ? [`${users} users for ${rows.length} credentials`] : [])
  ]
})

/** Those of the platform itself. */
const platformUsers = Object.keys(makeWorld().zitadel.users).length
