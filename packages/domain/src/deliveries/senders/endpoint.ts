import type { TargetEntry } from "@portico/store/Targets"
import { Connector } from "@portico/upstream/delivery/Connector"
import { Clock, Effect, Schema } from "effect"
import { answered, type Message, NotSent, type Sender, type Sent } from "../Senders.ts"
import { Endpoint, integrationPing } from "../settings.ts"
import { TargetSecrets } from "../TargetSecrets.ts"
import { chatMessage } from "./chat.ts"

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
    event.kind === integrationPing || previous.length === 0
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
