import type { Caller, PermissionTier } from "@portico/contract/Access"
import { denied } from "../access/limits.ts"

/** What a token lets its bearer do with one thing of the registry. */
export interface Access {
  readonly type: string
  readonly name: string
  readonly actions: ReadonlyArray<string>
}

/** The verbs of a repository, and the tier of each (contract, Registry). */
const tiers = { pull: 0, push: 1, delete: 2 } as const satisfies Readonly<Record<string, PermissionTier>>
type Action = keyof typeof tiers
const actions: ReadonlyArray<Action> = ["pull", "push", "delete"]

/** Deny rules of an account's policies know these routes by this area. */
const area = "registry"

interface Scope {
  readonly type: string
  readonly name: string
  readonly actions: ReadonlyArray<string>
}

/**
 * The intersection of what is asked for and what the caller may: anything else
 * is left out, and never refused, so that another tenant's repository and one
 * that does not exist are the same. `*` becomes the verbs that the caller has,
 * because in a token it would be every verb.
 *
 * @param asked scopes as clients write them, `repository:<name>:pull,push`
 */
export const granted = (caller: Caller, asked: ReadonlyArray<string>): ReadonlyArray<Access> => {
  const found = new Map<string, Access>()
  for (const text of asked) {
    const scope = scopeOf(text)
    if (scope === undefined) continue
    const { name, type } = scope
    const allowed = allowedOf(caller, scope)
    if (allowed.length === 0) continue
    const key = `${type}:${name}`
    const before = found.get(key)?.actions ?? []
    found.set(key, { type, name, actions: inOrder(new Set([...before, ...allowed])) })
  }
  return [...found.values()]
}

/** As a scope is written. */
export const written = (access: ReadonlyArray<Access>): string =>
  access.map(({ actions, name, type }) => `${type}:${name}:${actions.join(",")}`).join(" ")

/** The name may have colons of its own, those of a host with its port. A class behind the type says nothing any more. */
const scopeOf = (text: string): Scope | undefined => {
  const [, type, name, actions] = /^([a-z0-9]+)(?:\([a-z0-9]+\))?:(.+):([a-z*,]*)$/.exec(text) ?? []
  return type === undefined || name === undefined || actions === undefined
    ? undefined
    : { type, name, actions: actions.split(",") }
}

const allowedOf = (caller: Caller, { actions: asked, name, type }: Scope): ReadonlyArray<string> => {
  if (type === "repository") {
    if (!isOwn(caller, name)) return []
    const held = actions.filter((_) => may(caller, _))
    return asked.includes("*") ? held : held.filter((_) => asked.includes(_))
  }
  // The one action there is upon the list of all repositories, of every tenant, is called `*`.
  return type === "registry" && name === "catalog" && caller.admin && asked.includes("*") ? ["*"] : []
}

const may = (caller: Caller, action: Action): boolean => {
  const needed = tiers[action]
  // What is being deleted can be read, and nothing in it can be changed.
  if (needed > 0 && caller.tenant?.closing === true) return false
  // A push makes an image, and a suspended tenant makes nothing new; deleting goes on.
  if (action === "push" && caller.tenant?.suspended === true) return false
  return caller.tier >= needed && denied(caller, area, needed) === undefined
}

/** A repository as the registry names it, below the id of a project. */
const repository = /^([0-9a-f]{32})(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)+$/

const longest = 255

/** A tenant owns what is below its project's id; platform administrators reach what is below any. */
const isOwn = ({ admin, tenant }: Caller, name: string): boolean => {
  if (name.length > longest) return false
  const projectId = repository.exec(name)?.[1]
  return projectId !== undefined && (tenant === null ? admin : projectId === tenant.projectId)
}

const inOrder = (held: ReadonlySet<string>): ReadonlyArray<string> =>
  held.has("*") ? ["*"] : actions.filter((_) => held.has(_))
