import type { HoldReason } from "@portico/store/Credentials"
import type { Tier } from "@portico/contract/Tiers"
import type { Ask, Key, Scene } from "./plan.ts"

/** A credential, as far as the operations of a history change it. */
export interface Credential {
  readonly state: "minting" | "active" | "suspended" | "revoked"
  readonly held: ReadonlyArray<HoldReason>
  readonly maker: Key | null
  readonly rotates: Key | null
  readonly successor: Key | null
  /** Whether both work for a while after the rotation. */
  readonly overlaps: boolean
  /** Its last moment has come, whatever its state says. */
  readonly over: boolean
  /** Its user at the identity provider may be inactive. */
  readonly dead: boolean
}

export interface Tenant {
  readonly tier: Tier
  readonly suspended: boolean
  readonly pending: Tier | "suspended" | null
  /** The operation that writes its quotas. */
  readonly changing: number | null
  readonly closing: ReadonlyArray<HoldReason>
}

export interface Purge {
  readonly state: "purging" | "finishing" | "restoring" | "cancelled"
  readonly cancelled: boolean
  /** The operation that works on it. */
  readonly by: number | null
}

/** What the gateway knows, as a whole. Every step of an operation reads and changes it at one moment. */
export interface Model {
  readonly tenant: Tenant | null
  /** The operation that onboards a tenant of the same name, and whether another tenant has it by now. */
  readonly onboarding: number | null
  readonly successor: boolean
  readonly account: "open" | "closing" | "destroyed"
  readonly purge: Purge | null
  readonly credentials: Readonly<Partial<Record<Key, Credential>>>
}

/** Where an operation is, and then what it answers: `ok`, or the code of a failure. */
export type Step = { readonly to: string; readonly model: Model } | { readonly answer: string; readonly model: Model }

const fresh: Credential = {
  state: "active",
  held: [],
  maker: null,
  rotates: null,
  successor: null,
  overlaps: false,
  over: false,
  dead: false
}

/** The gateway at the beginning of a scene. */
export const modelOf = (scene: Scene): Model => {
  const live: Model = {
    tenant: { tier: "standard", suspended: scene === "suspended", pending: null, changing: null, closing: [] },
    onboarding: null,
    successor: false,
    account: "open",
    purge: null,
    credentials: { c0: fresh, c1: { ...fresh, maker: "c0" }, c2: { ...fresh, maker: "c1" } }
  }
  if (scene === "condemned") {
    return { ...held(live, "project_deletion"), purge: { state: "purging", cancelled: false, by: null } }
  }
  return scene === "closed" ? { ...held(live, "account_closure"), account: "closing" } : live
}

const mapped = (model: Model, change: (credential: Credential, key: Key) => Credential): Model => {
  const credentials: Partial<Record<Key, Credential>> = {}
  for (const key of keysOf(model)) {
    const credential = model.credentials[key]
    if (credential !== undefined) credentials[key] = change(credential, key)
  }
  return { ...model, credentials }
}

export const isKey = (name: string): name is Key => /^(c[012]|m\d+)$/.test(name)

export const keysOf = ({ credentials }: Model): ReadonlyArray<Key> => Object.keys(credentials).filter(isKey)

const held = (model: Model, reason: HoldReason): Model => {
  if (model.tenant === null) return model
  const closing = [...model.tenant.closing.filter((_) => _ !== reason), reason]
  return mapped({ ...model, tenant: { ...model.tenant, closing } }, (_) =>
    _.state === "revoked" || _.held.includes(reason)
      ? _
      : { ..._, held: [..._.held, reason], state: _.state === "active" ? "suspended" : _.state }
  )
}

const released = (model: Model, reason: HoldReason): Model => {
  if (model.tenant === null || !model.tenant.closing.includes(reason)) return model
  const closing = model.tenant.closing.filter((_) => _ !== reason)
  return mapped({ ...model, tenant: { ...model.tenant, closing } }, (_) => {
    const held = _.held.filter((_) => _ !== reason)
    return { ..._, held, state: _.state === "suspended" && held.length === 0 ? "active" : _.state }
  })
}

const changed = (model: Model, key: Key, change: Partial<Credential>): Model => {
  const credential = model.credentials[key]
  return credential === undefined
    ? model
    : { ...model, credentials: { ...model.credentials, [key]: { ...credential, ...change } } }
}

const without = (model: Model, key: Key): Model => ({
  ...model,
  credentials: Object.fromEntries(Object.entries(model.credentials).filter(([_]) => _ !== key))
})

const below = (model: Model, key: Key): ReadonlyArray<Key> => {
  const made = keysOf(model).filter((_) => model.credentials[_]?.maker === key)
  return [...made, ...made.flatMap((_) => below(model, _))]
}

/** Whether a credential works: `active`, or why it does not. */
export const standingOf = (model: Model, key: Key): "active" | "minting" | "suspended" | "revoked" => {
  const credential = model.credentials[key]
  if (credential === undefined) return "revoked"
  const own = credential.over && credential.state === "active" ? "revoked" : credential.state
  if (own !== "active" || credential.maker === null) return own
  const makers = standingOf(model, credential.maker)
  return makers === "minting" ? "revoked" : makers
}

const codes = { minting: "token_inactive", suspended: "credential_suspended", revoked: "credential_revoked" } as const

/** What somebody may hear who uses the credential at this moment. */
const heard = (model: Model, key: Key): ReadonlyArray<string> => {
  const standing = standingOf(model, key)
  const told = standing === "active" ? "ok" : codes[standing]
  // The provider is asked at most once a minute about a token, and an inactive one keeps its reason for seconds.
  return model.credentials[key]?.dead === true ? [...new Set([told, "token_inactive", "credential_suspended"])] : [told]
}

/**
 * Whether a call of the first credential is let in: first the credential is looked at, and then its tenant. The caller
 * that it makes keeps the end that the credential has then.
 */
const admitted = (at: string, model: Model, to: string): ReadonlyArray<Step> => {
  if (at === "tenant") {
    if (model.tenant !== null && model.tenant.closing.length > 0) return answer("concurrent_deletion_state", model)
    return go(to, model)
  }
  if (at === "ending tenant") {
    if (model.tenant !== null && model.tenant.closing.length > 0) return answer("concurrent_deletion_state", model)
    return go(`ending ${to}`, model)
  }
  const isEnding = model.credentials.c0?.successor != null
  return heard(model, "c0").map((told) =>
    told === "ok" ? { to: isEnding ? "ending tenant" : "tenant", model } : { answer: told, model }
  )
}

const answer = (answer: string, model: Model): ReadonlyArray<Step> => [{ answer, model }]
const go = (to: string, model: Model): ReadonlyArray<Step> => [{ to, model }]

/**
 * What the operation may do next, each at one moment. Between two of its steps
 * other operations may do theirs.
 *
 * @param index of the operation in its history
 * @param at where it is; `begin` first
 */
export const stepsOf = (operation: Ask, index: number, at: string, model: Model): ReadonlyArray<Step> => {
  switch (operation.ask) {
    case "mint":
      return mint(`m${index}`, at, model)
    case "rotate":
      return rotate(operation, `m${index}`, at, model)
    case "revoke":
      return revoke(operation.target, at, model)
    case "moveTier":
      return write(index, operation.tier, at, model)
    case "suspend":
      return write(index, "suspended", at, model)
    case "remove":
      return remove(at, model)
    case "cancel":
      return cancel(index, at, model)
    case "purge":
      return purge(index, at, model)
    case "close":
      return close(at, model)
    case "reopen":
      return reopen(model)
    case "onboard":
      return onboard(index, at, model)
    case "use":
      return heard(model, operation.target).map((answer) => ({ answer, model }))
    case "look":
      return answer(lookOf(model), model)
  }
}

/** The tenant in one line. */
export const lookOf = ({ tenant }: Pick<Model, "tenant">): string =>
  tenant === null
    ? "project_not_found"
    : `${tenant.tier} ${tenant.suspended ? "suspended" : "live"} ${tenant.pending ?? "-"} ${tenant.closing.join("+")}`

const begun = (model: Model, key: Key, change: Partial<Credential>): Model => ({
  ...model,
  credentials: {
    ...model.credentials,
    [key]: { ...fresh, state: "minting", held: model.tenant?.closing ?? [], ...change }
  }
})

/** What was made is taken back when the caller has ended meanwhile. */
const unlessEnded = (model: Model, key: Key, to: string): ReadonlyArray<Step> => {
  const standing = standingOf(model, "c0")
  return standing === "active" ? go(to, model) : answer(codes[standing], without(model, key))
}

const activated = ({ held }: Credential): Partial<Credential> => ({ state: held.length === 0 ? "active" : "suspended" })

const mint = (key: Key, at: string, model: Model): ReadonlyArray<Step> => {
  switch (at) {
    case "begin":
    case "tenant":
    case "ending tenant":
      return admitted(at, model, "insert")
    case "insert":
    case "ending insert":
      return go("look again", begun(model, key, { maker: "c0" }))
    case "look again":
      return unlessEnded(model, key, "complete")
    default: {
      const own = model.credentials[key]
      if (own?.state !== "minting") return answer("upstream_failed", without(model, key))
      return answer("ok", changed(model, key, activated(own)))
    }
  }
}

const isReplaceable = (credential: Credential | undefined): credential is Credential =>
  credential?.state === "active" && credential.successor === null

const rotate = (
  { overlap, target }: Extract<Ask, { ask: "rotate" }>,
  key: Key,
  at: string,
  model: Model
): ReadonlyArray<Step> => {
  const old = model.credentials[target]
  switch (at) {
    case "begin":
    case "tenant":
    case "ending tenant":
      return admitted(at, model, "find")
    case "find":
    case "ending find": {
      if (old === undefined || old.state === "minting") return answer("credential_not_found", model)
      const isOwn = target === "c0" || below(model, "c0").includes(target)
      // It is another's by now, whom the caller does not outlive.
      if (!isOwn && at === "ending find") return answer("credential_outlives_own", model)
      if (standingOf(model, target) !== "active") return go("refuse", model)
      return go(isOwn ? "insert" : "insert another's", model)
    }
    case "insert":
    case "insert another's": {
      const taken = keysOf(model).some((_) => model.credentials[_]?.rotates === target)
      if (!isReplaceable(old) || taken) return go("refuse", model)
      return go("look again", begun(model, key, { maker: at === "insert" ? old.maker : "c0", rotates: target }))
    }
    case "look again":
      return unlessEnded(model, key, "complete")
    case "complete": {
      const own = model.credentials[key]
      if (own?.state !== "minting" || !isReplaceable(old)) return go("refuse", without(model, key))
      const replaced = mapped(changed(model, key, activated(own)), (_) =>
        _.maker === target ? { ..._, maker: own.maker === old.maker ? key : old.maker } : _
      )
      const next = changed(replaced, target, {
        successor: key,
        overlaps: overlap > 0,
        over: old.over || overlap === 0
      })
      return overlap === 0 ? go("end", next) : answer("ok", next)
    }
    case "end":
      return go("mark", changed(model, target, { dead: true }))
    case "mark":
      return answer("ok", revoked(model, target))
    default:
      return answer(refusal(model, target), model)
  }
}

const refusal = (model: Model, target: Key): string => {
  const old = model.credentials[target]
  if (old === undefined) return "credential_not_found"
  if (standingOf(model, target) !== "active") return "credential_not_active"
  return old.successor === null ? "rotation_in_progress" : "credential_rotated"
}

/** The credential by which one replaced itself, as only c0 does here, and which still works beside it. */
const ownSuccessor = (model: Model, target: Key): Key | undefined => {
  const { overlaps, successor } = model.credentials[target] ?? fresh
  if (target !== "c0" || !overlaps || successor === null) return undefined
  return model.credentials[successor]?.state === "revoked" ? undefined : successor
}

/**
 * A user is inactive before its record says so. What the credential replaced itself with ends before it, and is looked
 * for again when it is over.
 */
const revoke = (target: Key, at: string, model: Model): ReadonlyArray<Step> => {
  const successor = ownSuccessor(model, target)
  switch (at) {
    case "begin":
      if (model.credentials[target] === undefined) return answer("credential_not_found", model)
      return go(successor === undefined ? "end" : "end successor before", model)
    case "end successor before":
      return successor === undefined
        ? go("end", model)
        : go("mark successor before", changed(model, successor, { dead: true }))
    case "mark successor before":
      return go("end", successor === undefined ? model : revoked(model, successor))
    case "end":
      return go("mark", changed(model, target, { dead: true }))
    case "mark": {
      const next = revoked(model, target)
      return ownSuccessor(next, target) === undefined ? answer("ok", next) : go("end successor", next)
    }
    case "end successor":
      return successor === undefined
        ? answer("ok", model)
        : go("mark successor", changed(model, successor, { dead: true }))
    default:
      return answer("ok", successor === undefined ? model : revoked(model, successor))
  }
}

/** Whoever is below ends at the same moment, and is marked and deactivated soon afterwards. */
const revoked = (model: Model, target: Key): Model => {
  const ended = new Set(below(model, target))
  return mapped(model, (credential, key) => {
    if (key === target) return { ...credential, state: "revoked", over: true, dead: true }
    return ended.has(key) && credential.state !== "revoked"
      ? { ...credential, over: true, dead: true, state: "revoked" }
      : credential
  })
}

const write = (index: number, to: Tier | "suspended", at: string, model: Model): ReadonlyArray<Step> => {
  const { tenant } = model
  switch (at) {
    case "begin":
      if (tenant === null) return answer("tenant_not_found", model)
      return tenant.closing.length > 0 ? answer("concurrent_deletion_state", model) : go("take", model)
    case "take": {
      if (tenant === null || tenant.closing.length > 0 || tenant.changing !== null) {
        return answer("tier_move_in_progress", model)
      }
      const suspended = tenant.suspended || to === "suspended"
      return go("write", { ...model, tenant: { ...tenant, pending: to, changing: index, suspended } })
    }
    default: {
      if (tenant?.changing !== index) return answer("tier_move_in_progress", model)
      const tier = to === "suspended" ? tenant.tier : to
      const next = { ...tenant, tier, suspended: to === "suspended", pending: null, changing: null }
      return answer("ok", { ...model, tenant: next })
    }
  }
}

const isOpen = (purge: Purge | null): boolean => purge !== null && purge.state !== "cancelled"

const remove = (at: string, model: Model): ReadonlyArray<Step> => {
  const { purge, tenant } = model
  if (tenant === null) return answer("project_not_found", model)
  if (at === "begin") {
    return tenant.closing.length > 0 ? answer("concurrent_deletion_state", model) : go("mark", model)
  }
  if (tenant.changing !== null) return answer("tier_move_in_progress", model)
  if (isOpen(purge)) return answer("concurrent_deletion_state", model)
  return answer("ok", {
    ...held(model, "project_deletion"),
    purge: { state: "purging", cancelled: false, by: null }
  })
}

const cancel = (index: number, at: string, model: Model): ReadonlyArray<Step> => {
  const { purge, tenant } = model
  switch (at) {
    case "begin":
      return tenant === null ? answer("project_not_found", model) : go("store", model)
    case "store":
      return purge === null || !isOpen(purge) || purge.state === "finishing"
        ? go("refuse", model)
        : go("claim", { ...model, purge: { ...purge, cancelled: true } })
    case "refuse":
      return answer(purge?.state === "finishing" ? "deletion_past_return" : "not_being_deleted", model)
    case "claim":
      return purge !== null && isOpen(purge) && purge.by === null
        ? go("work", { ...model, purge: { ...purge, by: index } })
        : go("outcome", model)
    case "outcome":
      if (purge === null || tenant === null || purge.state === "finishing") return answer("deletion_past_return", model)
      // Another deletion, which has begun since.
      if (!purge.cancelled) return answer("concurrent_deletion_state", model)
      return purge.state === "cancelled" ? answer("ok", model) : []
    default:
      return work(index, model, "outcome")
  }
}

/** The next step of whoever holds the purge: it destroys, or restores. */
const work = (index: number, model: Model, to: string): ReadonlyArray<Step> => {
  const { purge } = model
  if (purge?.by !== index) return go(to, model)
  const next = (state: Purge["state"]): ReadonlyArray<Step> => go("work", { ...model, purge: { ...purge, state } })
  switch (purge.state) {
    case "purging":
      return purge.cancelled
        ? next("restoring")
        : go("work", {
            ...mapped(model, (_) => ({ ..._, dead: true })),
            purge: { ...purge, state: "finishing" }
          })
    case "finishing":
      return go(to, destroyed(model))
    default:
      return go(to, {
        ...released(model, "project_deletion"),
        purge: { state: "cancelled", cancelled: purge.cancelled, by: null }
      })
  }
}

const destroyed = (model: Model): Model => ({
  ...mapped(model, (_) => ({ ..._, state: "revoked", held: [], over: true, dead: true })),
  tenant: null,
  purge: null,
  account: "destroyed"
})

const purge = (index: number, at: string, model: Model): ReadonlyArray<Step> => {
  if (at !== "begin") return work(index, model, "begin")
  const { purge } = model
  return purge === null || !isOpen(purge) || purge.by !== null
    ? answer("ok", model)
    : go("work", { ...model, purge: { ...purge, by: index } })
}

const close = (at: string, model: Model): ReadonlyArray<Step> => {
  if (at === "begin") return model.tenant === null ? answer("project_not_found", model) : go("mark", model)
  if (model.account !== "open") return answer("concurrent_deletion_state", model)
  if (model.tenant?.changing != null) return answer("tier_move_in_progress", model)
  return answer("ok", { ...held(model, "account_closure"), account: "closing" })
}

const reopen = (model: Model): ReadonlyArray<Step> =>
  model.account === "closing"
    ? answer("ok", { ...released(model, "account_closure"), account: "open" })
    : answer("account_not_closing", model)

const onboard = (index: number, at: string, model: Model): ReadonlyArray<Step> => {
  if (at !== "begin") return answer("ok", { ...model, onboarding: null, successor: true })
  if (model.tenant !== null || model.successor) return answer("organisation_name_taken", model)
  return model.onboarding === null
    ? go("settle", { ...model, onboarding: index })
    : answer("onboarding_in_progress", model)
}
