import type { Caller, PermissionTier } from "@portico/contract/Access"
import { denied } from "../access/limits.ts"
import { idsOf } from "../audit/Audit.ts"

/** The actions that a token allows on one resource of the registry. */
export interface Access {
  readonly type: string
  readonly name: string
  readonly actions: ReadonlyArray<string>
}

/** The actions on a repository, and the tier that each needs (contract, Registry). */
const tiers = { pull: 0, push: 1, delete: 2 } as const satisfies Readonly<Record<string, PermissionTier>>
type Action = keyof typeof tiers
const actions: ReadonlyArray<Action> = ["pull", "push", "delete"]

/** The area by which the deny rules of policies know these routes. */
const area = "registry"

interface Scope {
  readonly type: string
  readonly name: string
  readonly actions: ReadonlyArray<string>
}

/**
 * The intersection of what is requested and what the caller may do. The rest is
 * left out and not refused, so that another tenant's repository and one that
 * does not exist look the same. `*` becomes the actions that the caller has,
 * because in a token it would mean every action.
 *
 * @param requested scopes as clients write them, `repository:<name>:pull,push`
 */
export const granted = (caller: Caller, requested: ReadonlyArray<string>): ReadonlyArray<Access> => {
  const found = new Map<string, Access>()
  for (const text of requested) {
    const scope = scopeOf(text)
    if (scope === undefined) continue
    const { name, type } = scope
    const allowed = allowedOf(caller, scope)
    if (allowed.length === 0) continue
    const key = `${type}:${name}`
    const before = found.get(key)?.actions ?? []
    found.set(key, { type, name, actions: inOrder(new Set([...before, ...allowed])) })
  }
  return recordable([...found.values()])
}

/** Whether the bearer may do more than read. */
export const isChange = ({ actions }: Access): boolean => actions.some((_) => _ !== "pull")

/** Repositories beyond those that an audit record names can be pulled alone. */
const recordable = (access: ReadonlyArray<Access>): ReadonlyArray<Access> => {
  const named = new Set(idsOf(access.filter(isChange).map((_) => _.name)))
  return access.flatMap((_) => {
    if (!isChange(_) || named.has(_.name)) return [_]
    return _.actions.includes("pull") ? [{ ..._, actions: ["pull"] }] : []
  })
}

/** The granted scopes in the syntax of clients. */
export const scopeTextOf = (access: ReadonlyArray<Access>): string =>
  access.map(({ actions, name, type }) => `${type}:${name}:${actions.join(",")}`).join(" ")

/** The name may contain colons, those of a host with its port. A class after the type is obsolete and ignored. */
const scopeOf = (text: string): Scope | undefined => {
  const [, type, name, actions] = /^([a-z0-9]+)(?:\([a-z0-9]+\))?:(.+):([a-z*,]*)$/.exec(text) ?? []
  return type === undefined || name === undefined || actions === undefined
    ? undefined
    : { type, name, actions: actions.split(",") }
}

const allowedOf = (caller: Caller, { actions: requested, name, type }: Scope): ReadonlyArray<string> => {
  if (type === "repository") {
    if (!isOwn(caller, name)) return []
    const held = actions.filter((_) => may(caller, _))
    return requested.includes("*") ? held : held.filter((_) => requested.includes(_))
  }
  // The catalog lists the repositories of every tenant. Its only action is `*`.
  return type === "registry" && name === "catalog" && caller.admin && requested.includes("*") ? ["*"] : []
}

const may = (caller: Caller, action: Action): boolean => {
  const needed = tiers[action]
  // A project that is being deleted can be read, but not changed.
  if (needed > 0 && caller.tenant?.closing === true) return false
  // A push creates an image, and a suspended tenant creates nothing new. Deletes are still allowed.
  if (action === "push" && caller.tenant?.suspended === true) return false
  return caller.tier >= needed && denied(caller, area, needed) === undefined
}

/** A repository as the registry names it, below the id of a project. */
const repository = /^([0-9a-f]{32})(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)+$/

const longest = 255

/** A tenant owns the repositories below its project's id; platform administrators reach those below any project's. */
const isOwn = ({ admin, tenant }: Caller, name: string): boolean => {
  if (name.length > longest) return false
  const projectId = repository.exec(name)?.[1]
  return projectId !== undefined && (tenant === null ? admin : projectId === tenant.projectId)
}

const inOrder = (held: ReadonlySet<string>): ReadonlyArray<string> =>
  held.has("*") ? ["*"] : actions.filter((_) => held.has(_))
