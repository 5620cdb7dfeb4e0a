import type { Event } from "@portico/contract/Events"
import { MailCounts } from "@portico/store/MailCounts"
import type { TargetEntry } from "@portico/store/Targets"
import { Connector } from "@portico/upstream/delivery/Connector"
import { Mail } from "@portico/upstream/mail/Mail"
import { Clock, DateTime, Duration, Effect, Schema } from "effect"
import { Throttle } from "../registry/Throttle.ts"
import { answered, type Message, NotSent, type Sender } from "../deliveries/Senders.ts"
import { TargetSecrets } from "../deliveries/TargetSecrets.ts"
import { chatMessage } from "./chat.ts"
import { eventLetter } from "./letters.ts"
import { ping } from "./kinds.ts"
import { MailLimits, mailWindow } from "./MailLimits.ts"
import { Outstanding } from "./Outstanding.ts"
import { Endpoint, recipientsOf } from "./settings.ts"

const json = { "content-type": "application/json", "user-agent": "Portico-Notifications" }

const decodeEndpoint = Schema.decodeUnknownEffect(Schema.fromJsonString(Endpoint))

/** The destination of a `slack` or `generic` target. */
const endpointOf = Effect.fnUntraced(function* (target: TargetEntry) {
  const [secret] = yield* (yield* TargetSecrets).open(target)
  if (secret === undefined) {
    return yield* new NotSent({ status: null, why: "its address cannot be read: set it again", gone: false })
  }
  return yield* Effect.orDie(decodeEndpoint(secret))
})

/** Sends the event's text and data to an incoming webhook of Slack. */
export const chatSender = Effect.gen(function* () {
  const connector = yield* Connector
  const secrets = yield* TargetSecrets

  return {
    send: Effect.fn("integrations.sendChat")(function* (target, { event }) {
      const { url } = yield* Effect.provideService(endpointOf(target), TargetSecrets, secrets)
      const body = JSON.stringify(chatMessage(event))
      return yield* answered(connector.post(url, { headers: json, body }))
    })
  } satisfies Sender
})

/** Sends the envelope unchanged, with the headers that the tenant chose. */
export const genericSender = Effect.gen(function* () {
  const connector = yield* Connector
  const secrets = yield* TargetSecrets

  return {
    send: Effect.fn("integrations.sendGeneric")(function* (target, { body, id }) {
      const { headers, url } = yield* Effect.provideService(endpointOf(target), TargetSecrets, secrets)
      const seconds = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      const own = { ...json, "webhook-id": id, "webhook-timestamp": String(seconds) }
      const chosen = Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value]))
      return yield* answered(connector.post(url, { headers: { ...chosen, ...own }, body }))
    })
  } satisfies Sender
})

/** How long a used-up allowance is cached, in milliseconds. */
const exhaustedMillis = Duration.toMillis(Duration.minutes(1))

/** The most pings by mail in an hour. Only this process counts them, because they are not in the log. */
const maxPings = 10

/** Sends events by mail. An event beyond the tenant's allowance is left out, and the last mail within it says so. */
export const emailSender = Effect.gen(function* () {
  const { post } = yield* Mail
  const counts = yield* MailCounts
  const limits = yield* MailLimits
  const outstanding = new Outstanding()
  const exhaustedUntil = new Map<string, number>()
  const pings = new Throttle(maxPings, Duration.toMillis(mailWindow))

  const leftOut = (why: string) => new NotSent({ status: null, why, gone: false, verdict: "left_out" })

  /** The mails that the tenant may still cause now. */
  const room = Effect.fnUntraced(function* ({ project_id }: TargetEntry) {
    const now = yield* DateTime.now
    const millis = DateTime.toEpochMillis(now)
    if ((exhaustedUntil.get(project_id) ?? 0) > millis) return 0
    exhaustedUntil.delete(project_id)
    const left = limits.mails - (yield* counts.delivered(project_id, DateTime.subtractDuration(now, mailWindow)))
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
      if (message.event.kind === ping) {
        const now = yield* Clock.currentTimeMillis
        if (pings.wait(target.project_id, now) > 0) return yield* leftOut(`${maxPings} tests an hour go by mail`)
        pings.count(target.project_id, now)
      }
      const left = yield* room(target)
      if (left <= 0) return yield* leftOut("the organisation's mails of this hour are used up")

      const letter = letterOf(target, message.event, to.length === 0 ? agreed : to, left === 1)
      const { accepted, deferred, refused } = yield* post.send(letter).pipe(
        Effect.tapError(({ words }) => Effect.logWarning("a mail is not taken", words)),
        Effect.mapError((error) => notSent(error.status, error.sentence, error.permanent))
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
