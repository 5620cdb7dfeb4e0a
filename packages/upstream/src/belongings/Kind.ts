import type { Effect } from "effect"
import type { UpstreamError } from "../UpstreamError.ts"

/** One thing that a project has in a service. */
export interface Belonging {
  /** What the service calls it by: an id, or a name where names are ids. */
  readonly id: string
  readonly name: string
  /** It is on its way out, or busy: the service would refuse to hear of it now, and it has to be waited for. */
  readonly busy: boolean
  /** Why its owner does not want it removed: `locked`, `protected`. */
  readonly guarded: string | undefined
  /** How much of a removal it is; 1, or the objects of a bucket. */
  readonly weight: number
}

/**
 * A kind of thing that projects have. Under the control identity, which can
 * touch everything: `list` gives nothing that is not the project's own,
 * whatever the service makes of its filters, and `remove` is asked of what was
 * listed alone.
 */
export interface Kind {
  /** The service as the proxy spells it, or `kubernetes`, or `object-storage`. */
  readonly service: string
  /** `servers`, as the service spells it. */
  readonly name: string
  /** What the billing ledger knows it as. */
  readonly billed?: "server" | "volume" | "floating_ip" | "load_balancer"
  /** Removing one removes them all. */
  readonly atOnce?: true
  list(projectId: string): Effect.Effect<ReadonlyArray<Belonging>, UpstreamError>
  /** Repeatable: what is gone already is gone. It may only have begun when it returns. */
  remove(projectId: string, id: string): Effect.Effect<void, UpstreamError>
}

export const keyOf = ({ name, service }: Pick<Kind, "name" | "service">): string => `${service}/${name}`
