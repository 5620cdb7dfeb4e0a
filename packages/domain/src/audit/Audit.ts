import type { Caller } from "@portico/contract/Access"
import { auditTopic, type AuditData, type AuditEvent, unknownCaller } from "@portico/contract/Events"
import { Context, DateTime, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { Publisher } from "../events/Publisher.ts"
import { TokenBucket } from "./TokenBucket.ts"
import { RejectedCalls } from "./RejectedCalls.ts"

/** So many calls of nobody known are recorded at once, and so many a second afterwards. */
export const burst = 1_000
export const perSecond = 5

/**
 * How many calls without a known caller may still be recorded. Anybody can
 * make them, and each would be a row that is kept for a month: whoever floods
 * the gateway must not fill its database, nor push aside what known callers
 * did.
 */
class AnonymousCalls extends TokenBucket {
  constructor() {
    super(burst, perSecond)
  }
}

/** A call that is over, whatever came of it. */
export interface Completed extends Pick<
  AuditData,
  "method" | "route" | "resources" | "status" | "parameters" | "fields" | "source" | "request_id"
> {
  /** Undefined when it never became known. */
  readonly caller: Caller | undefined
}

/**
 * Keeps who did what: one record a mutating call, refused ones too, published
 * in the order in which the calls were over; see {@link Publisher}. It holds names of parameters and fields, and no value.
 * Of calls without a known caller it keeps as many as {@link AnonymousCalls} allow,
 * and of those beyond a tenant's rate limit as many as {@link RejectedCalls}.
 */
export class Audit extends Context.Service<
  Audit,
  {
    /**
     * Never fails. Done when the record is in the log, and would outlive this
     * process; where the log cannot be written, it is kept in memory and nobody
     * waits, see `Publisher.settled`.
     */
    record(call: Completed): Effect.Effect<void>
  }
>()("portico/domain/audit/Audit") {
  static readonly layerNoDeps = Layer.effect(
    Audit,
    Effect.gen(function* () {
      const { publish, settled } = yield* Publisher
      const anonymous = new AnonymousCalls()
      const rejected = new RejectedCalls()
      /** At the first call that is recorded again. */
      const tellPassedOver = (bucket: TokenBucket, which: string) => {
        const count = bucket.passedOver()
        return count === 0
          ? Effect.void
          : Effect.logWarning(`${count} calls ${which} were not recorded: there were too many`)
      }
      return Audit.of({
        record: Effect.fnUntraced(function* (call) {
          const now = yield* DateTime.now
          const { caller, status } = call
          if (caller === undefined) {
            if (!anonymous.mayBeRecorded(DateTime.toEpochMillis(now))) return
            yield* tellPassedOver(anonymous, "without a known caller")
          } else if (status === 429 && caller.tenant !== null) {
            const { projectId } = caller.tenant
            const bucket = rejected.of(projectId)
            if (!bucket.mayBeRecorded(DateTime.toEpochMillis(now))) return
            yield* tellPassedOver(bucket, `of project ${projectId} beyond its rate limit`)
          }
          yield* publish(eventOf(call, now))
          yield* settled
        })
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(Publisher.layer))
}

/** Methods whose calls are recorded. */
export const isAudited = (method: string | undefined): boolean =>
  method === "POST" || method === "DELETE" || method === "PUT" || method === "PATCH"

const eventOf = ({ caller, fields, parameters, resources, ...call }: Completed, now: DateTime.Utc): AuditEvent => ({
  id: randomUUID(),
  topic: auditTopic,
  kind: "api.call",
  at: DateTime.formatIso(now),
  key: caller?.credentialId ?? caller?.userId ?? unknownCaller,
  project_id: caller?.tenant?.projectId ?? null,
  data: {
    ...call,
    resources: resources.filter(isId).slice(0, most.resources),
    parameters: namesOf(parameters),
    fields: fields === null ? null : namesOf(fields),
    user_id: caller?.userId ?? null,
    credential_id: caller?.credentialId ?? null,
    tier: caller?.tier ?? null
  }
})

/** A record stays small, whatever a client sends. */
const most = { resources: 10, names: 50 }

const isId = (text: string): boolean => /^[\w.:@~+-]{1,200}$/.test(text)

/** What does not look like a name may be a value that was put in a name's place. */
const namesOf = (given: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(given)].filter((_) => /^[A-Za-z_][\w.:$-]{0,63}$/.test(_)).slice(0, most.names)
