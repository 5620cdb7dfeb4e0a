import type { Caller } from "@portico/contract/Access"
import { isVisible } from "@portico/contract/spelledOut"
import { type Actor, type AuditData, type AuditEvent, auditTopic, unknownCaller } from "@portico/contract/Events"
import { Clock, Context, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { Publisher } from "../events/Publisher.ts"
import { TokenBucket } from "../limits/TokenBucket.ts"
import { beyondRate, refused, RejectedCalls } from "./RejectedCalls.ts"
import { isToken, withoutTokens } from "./tokens.ts"

/** The burst of anonymous calls that is recorded, and the sustained rate per second. */
export const burst = 1_000
export const perSecond = 5

/**
 * Limits how many calls without a known caller are recorded. Anyone can make such calls, and each
 * record is a row that is kept for a month. A flood of them must not fill the database, nor
 * displace the records of known callers.
 */
class AnonymousCalls extends TokenBucket {
  constructor() {
    super(burst, perSecond)
  }
}

/** A completed call, successful or not. */
export interface Completed extends Pick<
  AuditData,
  "method" | "route" | "resources" | "status" | "parameters" | "fields" | "source" | "request_id"
> {
  /** Undefined when the caller was never identified. */
  readonly caller: Caller | undefined
}

/**
 * Records who did what: one record for each mutating call, refused calls included, published in the
 * order in which the calls end; see {@link Publisher}. A record holds names of parameters and
 * fields, and no values. {@link AnonymousCalls} limits the records of calls without a known caller,
 * and {@link RejectedCalls} those of a tenant's refused calls.
 */
export class Audit extends Context.Service<
  Audit,
  {
    /**
     * Never fails. It completes when the record is stored in the log and would survive this
     * process. While the log cannot be written, the record stays in memory and the call does not
     * wait, see `Publisher.settled`.
     */
    record(call: Completed): Effect.Effect<void>
    /** The same without an effect: calls `stored` when {@link record} would complete, at once or later. */
    note(call: Completed, stored: () => void): void
  }
>()("portico/domain/audit/Audit") {
  static readonly layerNoDeps = Layer.effect(
    Audit,
    Effect.gen(function* () {
      const { put, whenSettled } = yield* Publisher
      const clock = yield* Clock.Clock
      const fork = Effect.runForkWith(yield* Effect.context<never>())
      const anonymous = new AnonymousCalls()
      const rejected = new RejectedCalls(beyondRate)
      const others = new RejectedCalls(refused)
      /** Logs how many records the bucket dropped, with the next record that it admits. */
      const logDropped = (bucket: TokenBucket, which: () => string) => {
        const count = bucket.takeDropped()
        if (count > 0) fork(Effect.logWarning(`${count} calls ${which()} were not recorded: there were too many`))
      }
      const mayBeRecorded = ({ caller, status }: Completed, now: number): boolean => {
        if (caller === undefined) {
          if (!anonymous.mayBeRecorded(now)) return false
          logDropped(anonymous, () => "without a known caller")
        } else if (status !== null && status >= 400 && status < 500 && caller.tenant !== null) {
          const { projectId } = caller.tenant
          const bucket = (status === 429 ? rejected : others).of(projectId)
          if (!bucket.mayBeRecorded(now)) return false
          logDropped(bucket, () => `of project ${projectId} that were refused`)
        }
        return true
      }
      const note = (call: Completed, stored: () => void) => {
        const now = clock.currentTimeMillisUnsafe()
        if (!mayBeRecorded(call, now)) return stored()
        put(eventOf(call, now))
        return whenSettled(stored)
      }
      return Audit.of({
        note: (call, stored) => void note(call, stored),
        record: (call) =>
          Effect.callback((resume) => {
            const stop = note(call, () => resume(Effect.void))
            return stop && Effect.sync(stop)
          })
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(Publisher.layer))
}

/** Methods whose calls are recorded. */
export const isAudited = (method: string | undefined): boolean =>
  method === "POST" || method === "DELETE" || method === "PUT" || method === "PATCH"

const eventOf = ({ caller, fields, parameters, resources, ...call }: Completed, now: number): AuditEvent => ({
  id: randomUUID(),
  topic: auditTopic,
  kind: "api.call",
  at: new Date(now).toISOString(),
  key: caller?.credentialId ?? caller?.userId ?? unknownCaller,
  project_id: caller?.tenant?.projectId ?? null,
  data: {
    ...call,
    resources: idsOf(resources, caller === undefined ? longest.anonymous : longest.id),
    parameters: namesOf(parameters),
    fields: fields === null ? null : namesOf(fields),
    user_id: caller?.userId ?? null,
    credential_id: caller?.credentialId ?? null,
    tier: caller?.tier ?? null,
    actor: actorOf(caller)
  }
})

const actorOf = (caller: Caller | undefined): Actor => {
  if (caller === undefined) return "unknown"
  if (caller.kind === "mcp") return "agent"
  if (caller.kind === "workload") return "workload"
  // An administrator has no tenant on either plane.
  if (caller.tenant === null) return "operator"
  return caller.human ? "person" : "key"
}

/** Bounds the size of a record, whatever the client sends. In bytes, `idBytes` of all ids and `nameBytes` of a list. */
const most = { resources: 10, names: 50, idBytes: 1_400, nameBytes: 600 }

/** As many of the texts, from the first one on, as have so many bytes together. */
const within = (texts: ReadonlyArray<string>, bytes: number): ReadonlyArray<string> => {
  let used = 0
  const first = texts.findIndex((text) => (used += Buffer.byteLength(text)) > bytes)
  return first === -1 ? texts : texts.slice(0, first)
}

/**
 * The ids and names among the values of a path. The name of a key pair or the key of an object may be any text. A value
 * with invisible characters, or with blanks at its ends, is dropped: it is probably not a name.
 */
export const idsOf = (given: ReadonlyArray<string>, bytes: number = longest.id): ReadonlyArray<string> =>
  within(
    given
      .filter((_) => _ !== "" && _ === _.trim() && isVisible(_) && Buffer.byteLength(_) <= bytes)
      .map(withoutTokens)
      .slice(0, most.resources),
    most.idBytes
  )

/**
 * The most bytes of a recorded name. The key of an object has at most 1,024. Anybody can make anonymous calls, so their
 * records are kept short.
 */
const longest = { id: 1_024, anonymous: 200 }

/** Drops what does not look like a name: a client may have put a value in its place. */
export const namesOf = (given: ReadonlyArray<string>): ReadonlyArray<string> => {
  const names = new Set<string>()
  // A body has thousands, which are not looked at when enough are found.
  for (const text of given) {
    if (names.size === most.names) break
    if (/^[A-Za-z_][\w.:$-]{0,63}$/.test(text) && !isToken(text)) names.add(text)
  }
  return within([...names], most.nameBytes)
}
