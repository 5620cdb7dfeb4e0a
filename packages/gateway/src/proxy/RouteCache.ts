import { makeRoom } from "@portico/upstream/TtlCache"
import type { PermissionTier } from "@portico/contract/Access"
import type { Reads } from "./billable.ts"
import type { Base } from "./openstack/Bases.ts"
import type { ConcernedCaller, ConcernedCall, Rule } from "./rules/Rule.ts"

/** The rules that concern a call, and whether one of them reads its body. */
export interface Concerned {
  readonly rules: ReadonlyArray<Rule>
  readonly body: boolean
}

/** Everything about a call that its method and path decide. */
export interface Route {
  readonly method: string
  readonly service: string
  /** Without the optional project id of compute and volume. */
  readonly segments: ReadonlyArray<string>
  /** That project id, which is the caller's own; undefined when the path had none. */
  readonly project: string | undefined
  /** The query as sent, without its question mark; undefined when there is none. */
  readonly query: string | undefined
  readonly base: Base
  readonly tier: PermissionTier
  /** The bodies that must be read to detect a change of billable resources; undefined when the call makes none. */
  readonly billing: Reads | undefined
  /** Whether its body names resources by addresses of the gateway. */
  readonly renamed: boolean
  /** The rules that concern the call of such a caller. */
  concerned(caller: ConcernedCaller): Concerned
}

/** Longer targets are not remembered, and neither are more than so many. */
const longest = 512
const capacity = 1_000

/**
 * What was decided about method and path, by the target of the request line. Clients ask for the same paths again and
 * again. Nothing in it depends on a caller, except that a path with a project in front is the path of that project.
 */
export class RouteCache {
  readonly #byMethod = new Map<string, Map<string, Route>>()

  get(method: string, target: string): Route | undefined {
    return this.#byMethod.get(method)?.get(target)
  }

  keep(target: string, route: Route): void {
    if (target.length > longest) return
    const routes = this.#byMethod.get(route.method) ?? new Map<string, Route>()
    this.#byMethod.set(route.method, routes)
    if (!routes.has(target)) makeRoom(routes, capacity)
    routes.set(target, route)
  }
}

/** Finds the rules that concern calls of one method and path, once for each kind of caller. */
export const concernedBy = (
  rules: ReadonlyArray<Rule>,
  call: Omit<ConcernedCall, "caller">
): ((caller: ConcernedCaller) => Concerned) => {
  const found: Array<Concerned | undefined> = []
  const find = (caller: ConcernedCaller): Concerned => {
    const placed = { ...call, caller }
    const concerned = rules.filter((_) => _.concerns(placed) !== "nothing")
    return { rules: concerned, body: concerned.some((_) => _.concerns(placed) === "body") }
  }
  return (caller) => {
    const kind = kindOf(caller)
    return kind === undefined ? find(caller) : (found[kind] ??= find(caller))
  }
}

/**
 * A number for everything in {@link ConcernedCaller}, so that callers with the same number are treated alike.
 * Undefined for a caller with policies, which are of any number.
 */
const kindOf = ({ admin, denies, human, kind, tenant, tier }: ConcernedCaller): number | undefined =>
  denies === undefined
    ? tier +
      (admin ? 3 : 0) +
      (human ? 6 : 0) +
      (tenant == null ? 0 : tenant.suspended ? 24 : 12) +
      (kind === "mcp" ? 36 : 0)
    : undefined
