import type { Event } from "@portico/contract/Events"
import { Deliveries } from "@portico/store/Deliveries"
import type { TargetEntry } from "@portico/store/Targets"
import { Connector } from "@portico/upstream/delivery/Connector"
import { Mail } from "@portico/upstream/mail/Mail"
import { TtlCache } from "@portico/upstream/TtlCache"
import { Clock, DateTime, Duration, Effect, Schema } from "effect"
import { answered, type Message, NotSent, type Sender, type Sent } from "../deliveries/Senders.ts"
import { TargetSecrets } from "../deliveries/TargetSecrets.ts"
import { chatMessage } from "./chat.ts"
import { eventLetter } from "./letters.ts"
import { Endpoint, ping, recipientsOf } from "./settings.ts"
import { MailLimits, mailWindow } from "../MailLimits.ts"
import { Outstanding } from "./Outstanding.ts"

const json = { "content-type": "application/json", "user-agent": "Portico-Notifications" }

const decodeEndpoint = Schema.decodeUnknownEffect(Schema.fromJsonString(Endpoint))

/** The destinations of a `slack` or `generic` target: its own, then those before its last rotations, newest first. */
const endpointsOf = Effect.fnUntraced(function* (target: TargetEntry) {
  const opened = yield* (yield* TargetSecrets).open(target)
  const [newest, ...previous] = yield* Effect.forEach(opened, (_) => Effect.orDie(decodeEndpoint(_)))
  if (newest === undefined) {
    return yield* new NotSent({ status: null, why: "its address cannot be read: set it again", gone: false })
  }
  return { newest, previous }
})

/** The responses of a receiver that does not know the address or the headers: it has taken nothing. */
const isUnknown = ({ status }: NotSent): boolean => status !== null && [401, 403, 404, 410].includes(status)

/**
 * Sends to the newest destination. While a rotation's overlap lasts, a refusal of its secret leads to
 * the previous ones, and is the result when these do not take the event either. A ping goes to the
 * newest alone, because it tests it.
 */
const throughOverlap = Effect.fnUntraced(function* <R>(
  target: TargetEntry,
  { event }: Message,
  post: (endpoint: Endpoint) => Effect.Effect<Sent, NotSent, R>
) {
  const { newest, previous } = yield* endpointsOf(target)
  return yield* Effect.catchIf(post(newest), isUnknown, (refused) =>
    event.kind === ping || previous.length === 0
      ? refused
      : Effect.mapError(Effect.firstSuccessOf(previous.map(post)), () => refused)
  )
})

/** Sends the event's text and data to an incoming webhook of Slack. */
export const chatSender = Effect.gen(function* () {
  const connector = yield* Connector
  const secrets = yield* TargetSecrets

  return {
    send: Effect.fn("integrations.sendChat")(function* (target, message) {
      const body = JSON.stringify(chatMessage(message.event))
      const post = ({ url }: Endpoint) => answered(connector.post(url, { headers: json, body }))
      return yield* Effect.provideService(throughOverlap(target, message, post), TargetSecrets, secrets)
    })
  } satisfies Sender
})

/** Sends the envelope unchanged, with the headers that the tenant chose. */
export const genericSender = Effect.gen(function* () {
  const connector = yield* Connector
  const secrets = yield* TargetSecrets

  return {
    send: Effect.fn("integrations.sendGeneric")(function* (target, message) {
      const { body, id } = message
      const seconds = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      const own = { ...json, "webhook-id": id, "webhook-timestamp": String(seconds) }
      const post = ({ headers, url }: Endpoint) => {
        const chosen = Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value]))
        return answered(connector.post(url, { headers: { ...chosen, ...own }, body }))
      }
      return yield* Effect.provideService(throughOverlap(target, message, post), TargetSecrets, secrets)
    })
  } satisfies Sender
})

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
      if (message.event.kind === ping) {
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
