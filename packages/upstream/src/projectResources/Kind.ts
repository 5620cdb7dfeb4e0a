import type { Effect } from "effect"
import type { UpstreamError } from "../UpstreamError.ts"

/** One resource of a project in a service. */
export interface Resource {
  /** The service's id of it, or its name where names are ids. */
  readonly id: string
  readonly name: string
  /** The resource is being removed, or busy. The service would reject a removal now, so the caller waits. */
  readonly busy: boolean
  /** The owner's protection against removal: `locked`, `protected`. */
  readonly guarded: string | undefined
  /** Its weight in a removal's progress: 1, plus the number of objects for a bucket. */
  readonly weight: number
}

/** A resource of weight 1 that is neither busy nor protected, unless `more` says otherwise. */
export const resource = (id: string, name: string, more: Partial<Omit<Resource, "id" | "name">> = {}): Resource => ({
  id,
  name,
  busy: false,
  guarded: undefined,
  weight: 1,
  ...more
})

/**
 * A kind of resource. The calls use the control identity, which can touch
 * everything. So `list` returns only the project's own resources, regardless of
 * how the service applies its filters, and callers pass only listed ids to
 * `remove`.
 */
export interface Kind {
  /** The proxy's name of the service, or `kubernetes`, or `object-storage`. */
  readonly service: string
  /** The service's name of the kind: `servers`. */
  readonly name: string
  /** The billing ledger's name of the kind. */
  readonly billed?: "server" | "volume" | "floating_ip" | "load_balancer"
  /** The removal of one resource removes all of the kind. */
  readonly atOnce?: true
  list(projectId: string): Effect.Effect<ReadonlyArray<Resource>, UpstreamError>
  /** Repeatable: a resource that is gone is no error. The removal may still be under way when it returns. */
  remove(projectId: string, id: string): Effect.Effect<void, UpstreamError>
}

export const keyOf = ({ name, service }: Pick<Kind, "name" | "service">): string => `${service}/${name}`
