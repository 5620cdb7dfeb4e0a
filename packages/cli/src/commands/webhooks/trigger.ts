import type { Event } from "@portico/contract/Events"
import { DateTime, Effect, Option, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { CliFailure } from "../../CliFailure.ts"
import { Argument, Command, Flag } from "../../effectCli.ts"
import { forwardToFlag } from "../../events/address.ts"
import { deliver, type Delivered } from "../../events/deliver.ts"
import { deliveryLine } from "../../events/deliveryLine.ts"
import { knownAddresses, listenerAt } from "../../events/Listeners.ts"
import { attemptSeconds } from "../../events/post.ts"
import { printerOf } from "../../events/printer.ts"
import { secretFileFlag, secretIn } from "../../events/secret.ts"
import { alike } from "../../events/suggest.ts"
import { Output } from "../../output/Output.ts"
import { Screen } from "../../Screen.ts"
import { portico } from "../../Session.ts"

const ping = "webhook.ping"

const refuse = (message: string, hint?: string) => new CliFailure({ exit: "usage", message, hint })

/** The event of a kind, with what the caller puts in its place. */
const eventOf = Effect.fnUntraced(function* (
  kind: string,
  key: Option.Option<string>,
  data: Option.Option<Event["data"]>
) {
  const { samples } = yield* Effect.promise(() => import("../../events/samples.ts"))
  const sample = Object.entries(samples).find(([name]) => name === kind)?.[1]
  if (sample === undefined) {
    const kinds = Object.keys(samples)
    const near = alike(kind, kinds)
    const words = near.length < kinds.length ? "Did you mean" : "There are"
    return yield* refuse(`'${kind}' is not a kind of event`, `${words}: ${near.join(", ")}`)
  }
  return {
    id: randomUUID(),
    topic: sample.topic,
    kind,
    at: DateTime.formatIso(yield* DateTime.now),
    key: Option.getOrElse(key, () => sample.key),
    project_id: sample.project_id,
    data: { ...sample.data, ...Option.getOrUndefined(data) }
  } satisfies Event
})

/** The address that is named, or else the only one that a listener has forwarded to. */
const addressOf = Effect.fnUntraced(function* (given: Option.Option<URL>) {
  if (Option.isSome(given)) return given.value
  const [only, ...others] = yield* knownAddresses
  if (only !== undefined && others.length === 0) return only
  const known = [only, ...others].flatMap((_) => (_ === undefined ? [] : [_.href]))
  return yield* refuse(
    "No address is named",
    known.length === 0
      ? "Name one with --forward-to, or a webhook with --webhook"
      : `Name one with --forward-to: ${known.join(", ")}`
  )
})

const toWebhook = Effect.fnUntraced(function* (kind: string, webhook_id: string) {
  if (kind !== ping) {
    return yield* refuse(
      `A registered webhook gets '${ping}' alone, and not '${kind}'`,
      "With --forward-to, an event of any kind goes to an address of yours"
    )
  }
  const { use } = yield* portico
  const { show } = yield* Output
  const outcome = yield* use((_, signal) => _.webhooks.test({ webhook_id }, { signal }))
  yield* show(outcome)
  if (!outcome.delivered) {
    return yield* new CliFailure({ exit: "platform", message: `The ping was not delivered: ${outcome.error}` })
  }
})

const dataFlag = Flag.String("data").pipe(
  Flag.withDescription("Fields of the event's data, as a JSON object, in place of the sample's"),
  Flag.withMetavar("json"),
  Flag.filterMap(Schema.decodeUnknownOption(Schema.fromJsonString(Schema.JsonObject)), () => "Expected a JSON object"),
  Flag.optional
)

export const trigger = Command.make(
  "trigger",
  {
    kind: Argument.String("kind").pipe(
      Argument.withDescription("The kind of the event, such as volume.create"),
      Argument.withDefault(ping)
    ),
    key: Flag.String("key").pipe(Flag.withDescription("The event's key, in place of the sample's"), Flag.optional),
    data: dataFlag,
    forwardTo: Flag.optional(forwardToFlag),
    secretFile: secretFileFlag,
    webhook: Flag.String("webhook").pipe(
      Flag.withDescription("Make the gateway send a ping to this webhook of the tenant"),
      Flag.withMetavar("webhook id"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* ({ data, forwardTo, key, kind, secretFile, webhook }) {
    if (Option.isSome(webhook)) return yield* toWebhook(kind, webhook.value)
    const event = yield* eventOf(kind, key, data)
    const url = yield* addressOf(forwardTo)
    const { out } = yield* Screen
    const own = yield* secretIn(secretFile)
    const listener = yield* listenerAt(url)
    if (own === undefined) yield* listener.save
    const shown = yield* printerOf((_: Delivered) => deliveryLine(out, _), "event_id")
    const receiver = { url, secret: own ?? listener.secret, seconds: attemptSeconds, attempts: 1 }
    if (!(yield* deliver(receiver, event, shown, Effect.void))) {
      return yield* new CliFailure({ exit: "platform", message: `${url.href} did not accept the event` })
    }
  })
).pipe(
  Command.withShortDescription("Send a synthetic event to a local address, or a ping to a webhook"),
  Command.withDescription(
    "Makes an event of a kind, with realistic data, signs it with the secret of the listener of that address (see " +
      "'portico events listen') and posts it there, once. The event is in no log. Without --forward-to it goes to the " +
      "only address that a listener has forwarded to."
  ),
  Command.withExamples([
    {
      command: "portico webhooks trigger credential.revoked --forward-to http://localhost:3000/hook",
      description: "Send a revoked credential to a receiver on this machine"
    },
    {
      command: `portico webhooks trigger volume.create --forward-to localhost:3000/hook --data '{"detail":{"size_gb":20}}'`,
      description: "Send a new volume of 20 GiB"
    }
  ])
)
