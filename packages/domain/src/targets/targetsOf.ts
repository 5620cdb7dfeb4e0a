import type { Caller } from "@portico/contract/Access"
import { tenantTopics } from "@portico/contract/Events"
import { Conflict } from "@portico/contract/Failures"
import type { PageRequest } from "@portico/contract/Page"
import type { RedeliverRequest, TargetResource } from "@portico/contract/Targets"
import { EventLog } from "@portico/store/EventLog"
import { type NewTarget, type SealedSecret, type TargetEntry, Targets, type TargetWish } from "@portico/store/Targets"
import { Transactions } from "@portico/store/Transactions"
import { DateTime, Duration, Effect, Record } from "effect"
import { randomUUID } from "node:crypto"
import { tierOf } from "../limits/tenantTier.ts"
import { exclusively } from "../work/exclusively.ts"
import { type DeliveryFilter, listDeliveries, redeliverTo } from "./deliveries.ts"
import { sendPing } from "./ping.ts"
import { rotatedSecrets } from "./secrets.ts"
import { settled, writtenBy } from "./written.ts"

/** The most targets of a tenant in each resource. */
export const mostTargets = 10

/** What differs between the resources of targets. */
interface Resource<Name extends TargetResource, Wire, Absent, Disabled> {
  readonly name: Name
  readonly absent: (id: string) => Absent
  readonly disabled: (id: string) => Disabled
  /** A target as its tenant sees it, without its secrets. */
  readonly toWire: (target: TargetEntry) => Effect.Effect<Wire>
}

/**
 * The operations on one resource of targets. Errors of all that name a target: 404 alike for another tenant's, an
 * unknown one, a malformed id, a removed one, and one of the other resource.
 */
export const targetsOf = <const Name extends TargetResource, Wire, Absent, Disabled>({
  absent,
  disabled,
  name,
  toWire
}: Resource<Name, Wire, Absent, Disabled>) => {
  const isOwn = ({ kind }: TargetEntry) => (kind === "webhook") === (name === "webhook")

  /** All targets of a tenant, oldest first. */
  const all = Effect.fnUntraced(function* (projectId: string) {
    return (yield* (yield* Targets).list(projectId)).filter(isOwn)
  })

  const own = Effect.fnUntraced(function* (projectId: string, id: string) {
    const target = yield* (yield* Targets).find(projectId, id)
    return target !== undefined && isOwn(target) ? target : yield* Effect.fail(absent(id))
  })

  /** Runs one change of a tenant's targets at a time, including the mails that it sends. */
  const alone = (projectId: string) =>
    exclusively(`${name}s/${projectId}`, () => Conflict.concurrentChange(`the tenant's ${name}s`))

  /** Stores the change and the resulting state in one transaction. */
  const write = Effect.fnUntraced(function* (
    { project_id, target_id }: TargetEntry,
    wish: TargetWish,
    enabled?: boolean
  ) {
    const targets = yield* Targets
    return yield* (yield* Transactions).atomically(
      Effect.gen(function* () {
        const entry = yield* targets.change(project_id, target_id, wish)
        return yield* settled(entry ?? (yield* Effect.fail(absent(target_id))), enabled)
      })
    )
  })

  return {
    all,
    own,
    alone,
    write,

    /**
     * Creates a target. It gets the events from now on.
     *
     * Errors: 401 for an agent that was ended meanwhile, whose target is disabled; 409 at the ceiling, with the numbers;
     * 503 when the tier cannot be read; those of the destination.
     */
    insert: Effect.fnUntraced(function* <E, R>(
      caller: Caller,
      projectId: string,
      request: Pick<NewTarget, "kind" | "name"> &
        Partial<Pick<NewTarget, "topics" | "kinds">> & { readonly enabled?: boolean },
      destination: (targetId: string) => Effect.Effect<Pick<NewTarget, "settings" | "secrets">, E, R>
    ) {
      const { enabled = true, kind, kinds = [], name: named, topics = [] } = request
      const { suspended } = yield* tierOf(projectId)
      const limit = suspended ? 0 : mostTargets
      const target_id = randomUUID()
      const make = Effect.gen(function* () {
        const used = (yield* all(projectId)).length
        if (used + 1 > limit) return yield* Conflict.ceilingReached(`${name}s`, "", { requested: 1, used, limit })
        const stored = { kind, name: named, ...(yield* destination(target_id)), topics, kinds }
        const insert = Effect.gen(function* () {
          const entry = yield* (yield* Targets).insert({
            ...stored,
            target_id,
            project_id: projectId,
            from_sequence: yield* (yield* EventLog).newest(tenantTopics),
            state: enabled ? "active" : "disabled",
            created_by: caller.userId,
            of_agent: caller.kind === "mcp"
          })
          return yield* settled(entry)
        })
        return yield* (yield* Transactions).atomically(insert)
      })
      return yield* writtenBy(caller, alone(projectId)(make))
    }),

    /**
     * Stores the fields that the request names. A target that is disabled drops its pending deliveries; one that is
     * enabled again gets the events from then on.
     */
    change: (held: TargetEntry, { enabled, ...wish }: TargetWish & { readonly enabled?: boolean }, caller?: Caller) => {
      // Whether the target may send more events than before, or to another address.
      const sendsMore = enabled === true || Object.keys(wish).some((_) => _ !== "name")
      return write(held, sendsMore ? { ...wish, of_agent: caller?.kind === "mcp" } : wish, enabled)
    },

    /** Stores a new secret, and what else comes with it. Until the overlap ends, the previous ones are used too. */
    rotate: (held: TargetEntry, secret: SealedSecret, overlap_seconds: number, more: TargetWish = {}) =>
      Effect.flatMap(DateTime.now, (now) => {
        const secrets = rotatedSecrets(held.secrets, secret, now, Duration.seconds(overlap_seconds))
        return write(held, { ...more, secrets })
      }),

    /**
     * Runs a change that depends on what the target is now, alone.
     *
     * Errors: 409 while another change is under way; 401 for an agent that was ended meanwhile, whose target is disabled.
     */
    underLease: Effect.fnUntraced(function* <E, R>(
      projectId: string,
      id: string,
      caller: Caller | undefined,
      change: (held: TargetEntry) => Effect.Effect<TargetEntry, E, R>
    ) {
      yield* own(projectId, id)
      const locked = alone(projectId)(Effect.flatMap(own(projectId, id), change))
      return yield* toWire(yield* writtenBy(caller, locked))
    }),

    /** The operations that need nothing else. */
    shared: {
      list: Effect.fn(`${name}s.list`)(function* (projectId: string) {
        const rows = yield* Effect.forEach(yield* all(projectId), toWire)
        return { count: rows.length, ...Record.singleton(`${name}s` as const, rows) }
      }),

      show: Effect.fn(`${name}s.show`)(function* (projectId: string, id: string) {
        return yield* toWire(yield* own(projectId, id))
      }),

      /** Removes a target with its pending deliveries. */
      remove: Effect.fn(`${name}s.remove`)(function* (projectId: string, id: string) {
        yield* own(projectId, id)
        const removed = yield* (yield* Targets).remove(projectId, id)
        return yield* toWire(removed ?? (yield* Effect.fail(absent(id))))
      }),

      deliveries: Effect.fnUntraced(function* (
        projectId: string,
        id: string,
        page: PageRequest,
        filter: DeliveryFilter = {}
      ) {
        return yield* listDeliveries((yield* own(projectId, id)).target_id, page, filter)
      }),

      /** Sends a ping, see {@link sendPing}. */
      test: Effect.fn(`${name}s.test`)(function* (projectId: string, id: string) {
        return yield* sendPing(yield* own(projectId, id), { kind: `${name}.ping`, data: { [`${name}_id`]: id } })
      }),

      /**
       * Sends an event of the tenant's once more: see {@link redeliverTo}. A mail counts in the hour's allowance like any
       * other.
       *
       * Errors: 404 for the event too; 409 while the target is disabled.
       */
      redeliver: Effect.fn(`${name}s.redeliver`)(function* (
        projectId: string,
        id: string,
        { event_id }: RedeliverRequest
      ) {
        return yield* redeliverTo(yield* own(projectId, id), event_id, () => Effect.fail(disabled(id)))
      })
    }
  }
}
