import type { Event } from "@portico/contract/Events"
import { Deliveries } from "@portico/store/Deliveries"
import type { TargetEntry } from "@portico/store/Targets"
import { Mail } from "@portico/upstream/mail/Mail"
import { TtlCache } from "@portico/upstream/TtlCache"
import { Clock, DateTime, Duration, Effect } from "effect"
import { MailLimits, mailWindow } from "../../MailLimits.ts"
import { type Message, NotSent, type Sender } from "../Senders.ts"
import { integrationPing, recipientsOf } from "../settings.ts"
import { eventLetter } from "./letters.ts"
import { Outstanding } from "./Outstanding.ts"

/** How long a used-up allowance is cached, in milliseconds. */
const exhaustedMillis = Duration.toMillis(Duration.minutes(1))

/** The most pings by mail in an hour. Only this process counts them, because they are not in the log. */
const maxPings = 10
/** The most projects whose pings are counted. */
const maxPinging = 10_000

/** Sends events by mail. An event beyond the tenant's allowance is left out, and the last mail within it says so. */
export const emailSender = Effect.gen(function* () {
  const { post } = yield* Mail
  const { mailed } = yield* Deliveries
  const limits = yield* MailLimits
  const outstanding = new Outstanding()
  const exhaustedUntil = new Map<string, number>()

  /** The pings of each project since its first one of the hour. */
  const pings = new TtlCache<{ count: number }>(maxPinging)
  const mayPing = (projectId: string, now: number): boolean => {
    const sent = pings.get(projectId, now) ?? { count: 0 }
    if (sent.count === 0) pings.keep(projectId, sent, now + Duration.toMillis(mailWindow))
    sent.count += 1
    return sent.count <= maxPings
  }

  const leftOut = (why: string) => new NotSent({ status: null, why, gone: false, verdict: "left_out" })

  /** The mails that the tenant may still cause now. */
  const room = Effect.fnUntraced(function* ({ project_id }: TargetEntry) {
    const now = yield* DateTime.now
    const millis = DateTime.toEpochMillis(now)
    if ((exhaustedUntil.get(project_id) ?? 0) > millis) return 0
    exhaustedUntil.delete(project_id)
    const left = limits.mails - (yield* mailed(project_id, DateTime.subtractDuration(now, mailWindow)))
    if (left <= 0) exhaustedUntil.set(project_id, millis + exhaustedMillis)
    return left
  })

  return {
    send: Effect.fn("integrations.sendMail")(function* (target, message) {
      if (post === undefined) return yield* leftOut("no mail is sent from here any more")
      const agreed = (yield* recipientsOf(target)).filter((_) => _.confirmed_at !== null).map((_) => _.address)
      const attempt = keyOf(target, message)
      const to = outstanding.of(attempt).filter((_) => agreed.includes(_))
      if (agreed.length === 0) return yield* leftOut("no address has agreed to it")
      if (message.event.kind === integrationPing) {
        const now = yield* Clock.currentTimeMillis
        if (!mayPing(target.project_id, now)) return yield* leftOut(`${maxPings} tests an hour go by mail`)
      }
      const left = yield* room(target)
      if (left <= 0) return yield* leftOut("the organisation's mails of this hour are used up")

      const letter = letterOf(target, message.event, to.length === 0 ? agreed : to, left === 1)
      const { accepted, deferred, refused } = yield* post.send(letter).pipe(
        Effect.tapError(({ detail }) => Effect.logWarning("a mail is not taken", detail)),
        Effect.mapError((error) => notSent(error.status, error.summary, error.permanent))
      )
      if (refused.length > 0) yield* Effect.logWarning(`${refused.length} addresses of ${target.target_id} are refused`)
      if (deferred.length === 0) {
        outstanding.forget(attempt)
        return { status: null }
      }
      outstanding.remember(attempt, deferred)
      const all = accepted.length + deferred.length + refused.length
      return yield* notSent(
        null,
        `the mail server did not take it yet for ${deferred.length} of ${all} addresses`,
        false
      )
    })
  } satisfies Sender
})

const keyOf = ({ target_id }: TargetEntry, { id }: Message): string => `${target_id} ${id}`

const notSent = (status: number | null, why: string, permanent: boolean): NotSent =>
  new NotSent({ status, why, gone: false, ...(permanent ? { verdict: "refused" as const } : {}) })

const letterOf = ({ name, target_id }: TargetEntry, event: Event, to: ReadonlyArray<string>, last: boolean) =>
  eventLetter(`${event.id}.${target_id}`, event, { integration_id: target_id, name: name ?? "", to }, last)
