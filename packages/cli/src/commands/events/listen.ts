import type { Event } from "@portico/contract/Events"
import { Effect, Option, Stream } from "effect"
import { CliFailure } from "../../CliFailure.ts"
import { Command, Flag } from "../../effectCli.ts"
import { forwardToFlag, isLoopback } from "../../events/address.ts"
import { deliver, type Delivered, type Receiver } from "../../events/deliver.ts"
import { deliveryLine } from "../../events/deliveryLine.ts"
import { eventOf } from "../../events/eventOf.ts"
import { endOfLog, type Filters, followed, type Start } from "../../events/follow.ts"
import { listenerAt } from "../../events/Listeners.ts"
import { type Moment, momentFlag } from "../../events/moment.ts"
import { attemptSeconds } from "../../events/post.ts"
import { printerOf } from "../../events/printer.ts"
import { secretFileFlag, secretIn } from "../../events/secret.ts"
import { budgetTopic, webhookTopics } from "../../events/topics.ts"
import { Output } from "../../output/Output.ts"
import type { Portico } from "../../Portico.ts"
import { Screen } from "../../Screen.ts"
import { portico } from "../../Session.ts"
import { projectFlag } from "./tail.ts"

const positive = (name: string, description: string) =>
  Flag.Int(name).pipe(
    Flag.withDescription(description),
    Flag.filter(
      (_) => _ > 0,
      (_) => `Expected a number above 0, got ${_}`
    )
  )

/** Which log a place is of: that of a gateway, as a project sees it. */
const logOf = Effect.fnUntraced(function* ({ url, use }: Portico, { projectId }: Filters) {
  const { tenant } = yield* use((_, signal) => _.identity.whoami({}, { signal }))
  return `${url} ${projectId ?? tenant?.id ?? ""}`.trim()
})

/** A moment in place of a cursor, while nothing behind it has arrived. */
const sincePrefix = "since "

/** Where to begin, and what is to be kept of it, so that a listener that is killed at once loses nothing. */
const startOf = Effect.fnUntraced(function* (
  gateway: Portico,
  filters: Filters,
  kept: string | undefined,
  replay: Option.Option<Moment>
) {
  const from = Option.isSome(replay) ? `${sincePrefix}${yield* replay.value}` : kept
  const place = from ?? (yield* endOfLog(gateway, filters))
  const isSince = place?.startsWith(sincePrefix) === true
  const start: Start =
    place === undefined
      ? { _tag: "Now" }
      : isSince
        ? { _tag: "Since", at: place.slice(sincePrefix.length) }
        : { _tag: "Behind", cursor: place }
  const words = isSince ? `events ${place}` : from === undefined ? "events from now on" : "events since the last run"
  return { place, start, words }
})

/** Announces an address and, when it is new, the secret that signs. */
const announced = Effect.fnUntraced(function* (url: URL, own: string | undefined) {
  const { note, print } = yield* Screen
  const { format } = yield* Output
  const listener = yield* listenerAt(url)
  if (!isLoopback(url)) {
    yield* note(`Warning: ${url.host} is not this machine. The tenant's events leave it.`)
  }
  if (own !== undefined) return listener
  yield* listener.save
  if (listener.isNew && format === "table") {
    yield* note("The secret that signs, in this run and in later ones:")
    yield* print(listener.secret)
  } else {
    yield* note(`The secret that signs is kept in ${listener.file}; --print-secret prints it`)
  }
  return listener
})

const resend = Effect.fnUntraced(function* (
  gateway: Portico,
  filters: Filters,
  receiver: Receiver,
  id: string,
  shown: (_: Delivered) => Effect.Effect<void, CliFailure>
) {
  const event = yield* eventOf(gateway, filters, id)
  // As a webhook's redelivery has them.
  const delivered = yield* deliver({ ...receiver, attempts: receiver.attempts ?? 3 }, event, shown, Effect.void)
  if (!delivered) {
    return yield* new CliFailure({ exit: "platform", message: `${receiver.url.href} did not accept the event` })
  }
})

const isSent = ({ topic }: Event): boolean => topic !== budgetTopic

export const listen = Command.make(
  "listen",
  {
    forwardTo: forwardToFlag,
    topic: Flag.Literals("topic", webhookTopics).pipe(
      Flag.withDescription("Only events of this topic; may be repeated"),
      Flag.atLeast(0)
    ),
    kind: Flag.String("kind").pipe(
      Flag.withDescription("Only events of this kind, such as volume.create or 'volume.*'; may be repeated"),
      Flag.atLeast(0)
    ),
    replay: momentFlag("replay", "Begin with the events since then, at most 30 days ago, such as 24h"),
    resend: Flag.String("resend").pipe(
      Flag.withDescription("Deliver this past event once more, and end"),
      Flag.withMetavar("event id"),
      Flag.optional
    ),
    fromNow: Flag.Boolean("from-now").pipe(
      Flag.withDescription("Leave out what has happened since the last run"),
      Flag.withDefault(false)
    ),
    secretFile: secretFileFlag,
    printSecret: Flag.Boolean("print-secret").pipe(
      Flag.withDescription("Print the secret that signs, and end"),
      Flag.withDefault(false)
    ),
    seconds: positive("attempt-seconds", "How long the receiver may take to answer").pipe(
      Flag.withDefault(attemptSeconds)
    ),
    attempts: positive("attempts", "Give an event up after so many attempts; without it, never").pipe(
      Flag.optional,
      Flag.map(Option.getOrUndefined)
    ),
    projectId: projectFlag
  },
  Effect.fnUntraced(function* (flags) {
    const { attempts, forwardTo: url, fromNow, kind, printSecret, projectId, replay, seconds, topic } = flags
    const { note, out, print } = yield* Screen
    const own = yield* secretIn(flags.secretFile)
    if (printSecret) {
      const listener = yield* listenerAt(url)
      yield* listener.save
      return yield* print(own ?? listener.secret)
    }
    const gateway = yield* portico
    const filters = { topics: topic, kinds: kind, projectId }
    const log = yield* logOf(gateway, filters)
    const shown = yield* printerOf((_: Delivered) => deliveryLine(out, _), "event_id")
    const listener = yield* announced(url, own)
    const receiver = { url, secret: own ?? listener.secret, seconds, attempts }
    if (Option.isSome(flags.resend)) return yield* resend(gateway, filters, receiver, flags.resend.value, shown)

    yield* listener.lock
    const kept = fromNow ? undefined : listener.cursorOf(log)
    const { place, start, words } = yield* startOf(gateway, filters, kept, replay)
    if (place !== undefined) yield* listener.keep(log, place)
    yield* note(`Forwarding ${words} to ${url.href}`)
    yield* followed(gateway, filters, start).pipe(
      Stream.filter((_) => isSent(_.event)),
      // One after the other, and each until the receiver has it: none overtakes another.
      Stream.runForEach(({ cursor, event }) => deliver(receiver, event, shown, listener.keep(log, cursor))),
      Effect.onInterrupt(() => note(`The next run goes on from here: portico events listen --forward-to ${url.href}`))
    )
  }, Effect.scoped)
).pipe(
  Command.withShortDescription("Forward the tenant's events to an address on this machine, signed as a webhook's"),
  Command.withDescription(
    "Posts each event to an address, with the bytes, headers and signature of a webhook. Events arrive one after the " +
      "other, in order: one that the receiver does not accept with a 2xx within 5 seconds is sent again, after a pause, " +
      "before later ones. A later run goes on behind the last accepted event, so that none is lost while the gateway, " +
      "the receiver or the listener is away. Redirects are not followed; a 410 ends the listener. Events of the topic " +
      "billing.budgets are not sent, as to webhooks. Ctrl-C ends it with exit code 130."
  ),
  Command.withExamples([
    {
      command: "portico events listen --forward-to http://localhost:3000/hook",
      description: "Deliver what happens from now on, or since the last run"
    },
    {
      command: "portico events listen --forward-to localhost:3000/hook --topic iam.credentials --replay 24h",
      description: "Deliver the last day's credentials again, and what follows"
    },
    {
      command: "portico events listen --forward-to localhost:3000/hook --print-secret",
      description: "Print the secret for the receiver's settings"
    }
  ])
)
