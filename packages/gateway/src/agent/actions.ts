import { type Action, Actions, type Ended } from "@portico/agent/Actions"
import type { Agent } from "@portico/agent/CurrentAgent"
import { type AgentActionEvent, agentActionKind, agentTopic } from "@portico/contract/Events"
import { Unavailable } from "@portico/contract/Failures"
import { idsOf, namesOf } from "@portico/domain/audit/Audit"
import { beyondRate, refused, RejectedCalls } from "@portico/domain/audit/RejectedCalls"
import { rowOf } from "@portico/domain/events/Bus"
import { Publisher } from "@portico/domain/events/Publisher"
import { renewingEvery } from "@portico/domain/work/lease"
import { AgentCalls, callLease } from "@portico/store/AgentCalls"
import { Cause, DateTime, Duration, Effect, Exit, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { CurrentNotedCalls, NotedCalls, operationTeller } from "./notedCalls.ts"

/** Time-outs: of writing the row before a call, and of writing the record after it. */
const beginTime = Duration.seconds(5)
const endTime = Duration.seconds(10)

const unknown: Ended = { outcome: "unknown", status: null, code: null }

/**
 * Records every tool call as one event. The event of a call that only reads is published after the call, as the audit
 * does. For a call that writes, the store has a row before the tool acts, see {@link AgentCalls}. When the process
 * dies, a job appends the event of the row. When the database fails after the call, the publisher or that job appends
 * the event, whichever is first; both use the same id.
 */
export const ActionsLive = Layer.effect(
  Actions,
  Effect.gen(function* () {
    const { publish, settled } = yield* Publisher
    const calls = yield* AgentCalls
    const rejected = new RejectedCalls(beyondRate)
    const others = new RejectedCalls(refused)
    const operationOf = operationTeller()

    /** Whether the call is recorded. Of many refused calls of a tenant only some are, to bound the log. */
    const isRecorded = Effect.fnUntraced(function* ({ caller }: Agent, { outcome, status }: Ended, now: DateTime.Utc) {
      const projectId = caller.tenant?.projectId
      if ((status !== 429 && outcome !== "refused") || projectId === undefined) return true
      const bucket = (status === 429 ? rejected : others).of(projectId)
      if (!bucket.mayBeRecorded(DateTime.toEpochMillis(now))) return false
      const dropped = bucket.takeDropped()
      if (dropped > 0)
        yield* Effect.logWarning(
          `${dropped} tool calls of project ${projectId} that were refused were not recorded: there were too many`
        )
      return true
    })

    const published = (event: AgentActionEvent) => Effect.andThen(publish(event), settled)

    /** Stores the row of a call that begins, or refuses the call. No call acts without a row. */
    const begin = (told: (ended: Ended, at: DateTime.Utc) => AgentActionEvent) =>
      Effect.gen(function* () {
        const now = yield* DateTime.now
        yield* calls.begin(rowOf(told(unknown, now))).pipe(
          Effect.timeout(beginTime),
          Effect.onInterrupt(() => published(told(unknown, now))),
          Effect.catchCause((cause) => {
            if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
            const failure = Unavailable.agentActions()
            return Effect.logError("a tool call cannot be recorded and is refused", cause).pipe(
              Effect.andThen(published(told({ outcome: "refused", status: 503, code: failure.code }, now))),
              Effect.andThen(Effect.fail(failure))
            )
          })
        )
      })

    /** Replaces the row by the event. On a time-out of the database the row stays, and the publisher gets the event. */
    const end = (id: string, event: AgentActionEvent | undefined) =>
      Effect.interruptible(calls.end(id, event === undefined ? undefined : rowOf(event))).pipe(
        Effect.timeout(endTime),
        Effect.catchCause((cause) =>
          Effect.logWarning("a tool call could not be recorded yet", cause).pipe(
            Effect.andThen(event === undefined ? Effect.void : published(event))
          )
        )
      )

    const renewing = (id: string) =>
      renewingEvery({
        what: "the lease of a tool call",
        interval: Duration.divideUnsafe(callLease, 4),
        renew: calls.renew(id)
      })

    const recorded = Effect.fnUntraced(function* <A, E, R>(
      agent: Agent,
      action: Action,
      call: Effect.Effect<A, E, R>,
      ended: (answer: A) => Ended
    ) {
      const id = randomUUID()
      const noted = new NotedCalls()
      const told = (came: Ended, at: DateTime.Utc) =>
        eventOf(id, at, agent, action, { ...operationOf(action.tool, noted.called(action.writes)), ...came })
      const finish = Effect.fnUntraced(function* (exit: Exit.Exit<A, E>) {
        const came = Exit.isSuccess(exit) ? ended(exit.value) : brokenBy(exit.cause)
        const now = yield* DateTime.now
        const event = (yield* isRecorded(agent, came, now)) ? told(came, now) : undefined
        if (action.writes) yield* end(id, event)
        else if (event !== undefined) yield* published(event)
      })
      const run = Effect.provideService(call, CurrentNotedCalls, noted)
      if (!action.writes) return yield* Effect.onExit(run, finish)
      return yield* Effect.uninterruptibleMask((restore) =>
        Effect.andThen(restore(begin(told)), Effect.onExit(restore(renewing(id)(run)), finish))
      )
    })

    return Actions.of({ recorded })
  })
)

/** How an interrupted or failed call ended: the client disconnected, or the gateway has a defect. */
const brokenBy = (cause: Cause.Cause<unknown>): Ended =>
  Cause.hasInterruptsOnly(cause) ? unknown : { outcome: "failed", status: null, code: null }

const eventOf = (
  id: string,
  at: DateTime.Utc,
  { caller, requestId, source }: Agent,
  action: Action,
  { code, method, outcome, resources, route, status }: Ended & ReturnType<ReturnType<typeof operationTeller>>
): AgentActionEvent => ({
  id,
  topic: agentTopic,
  kind: agentActionKind,
  at: DateTime.formatIso(at),
  key: caller.userId,
  project_id: caller.tenant?.projectId ?? null,
  data: {
    user_id: caller.userId,
    credential_id: caller.credentialId,
    tier: caller.tier,
    tool: action.tool.slice(0, 100),
    arguments: namesOf(action.arguments),
    method,
    route,
    resources: idsOf(resources),
    outcome,
    status,
    code,
    source: source ?? null,
    request_id: requestId
  }
})
