import { verify as verified, WebhookError } from "@portico/client/webhooks"
import { Effect, Option } from "effect"
import { CliFailure } from "../../CliFailure.ts"
import { Command, Flag } from "../../effectCli.ts"
import { forwardToFlag } from "../../events/address.ts"
import { listenerAt } from "../../events/Listeners.ts"
import { secretFileFlag, secretIn } from "../../events/secret.ts"
import { standardText } from "../../StandardInput.ts"
import { Output } from "../../output/Output.ts"

const header = (name: string) =>
  Flag.String(name).pipe(Flag.withDescription(`The header ${name} of the delivery`), Flag.withMetavar("value"))

const failureOf = (error: unknown) =>
  new CliFailure({
    exit: "refused",
    message: error instanceof WebhookError ? `${error.message} (${error.code})` : "The delivery cannot be verified"
  })

export const verify = Command.make(
  "verify",
  {
    id: header("webhook-id"),
    timestamp: header("webhook-timestamp"),
    signature: header("webhook-signature"),
    secretFile: secretFileFlag.pipe(Flag.withDescription("The file with the secret that the delivery is signed with")),
    forwardTo: forwardToFlag.pipe(
      Flag.withDescription("Use the secret of the listener that forwards to this address"),
      Flag.optional
    ),
    toleranceSeconds: Flag.Int("tolerance-seconds").pipe(
      Flag.withDescription("How many seconds the time of the delivery may be from now"),
      Flag.withDefault(300)
    )
  },
  Effect.fnUntraced(function* ({ forwardTo, id, secretFile, signature, timestamp, toleranceSeconds }) {
    const own = yield* secretIn(secretFile)
    const kept = Option.isSome(forwardTo) ? (yield* listenerAt(forwardTo.value)).secret : undefined
    const secret = own ?? kept
    if (secret === undefined) {
      const hint = "Name the file with --secret-file, or the address of a listener with --forward-to"
      return yield* new CliFailure({ exit: "usage", message: "No secret is named", hint })
    }
    const { show } = yield* Output
    const headers = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature }
    const payload = yield* standardText
    const event = yield* Effect.tryPromise({
      try: () => verified(payload, headers, secret, { toleranceSeconds }),
      catch: failureOf
    })
    yield* show(event)
  })
).pipe(
  Command.withShortDescription("Check the signature of a delivery, whose body is on standard input"),
  Command.withDescription(
    "Reads the body of a delivery from standard input, byte for byte as it came, and prints the event in it when the " +
      "signature and the time are right. Otherwise it says what is wrong, and ends with exit code 1. The secret comes from --secret-file or --forward-to."
  ),
  Command.withExamples([
    {
      command:
        "portico webhooks verify --webhook-id ID --webhook-timestamp TIME --webhook-signature SIGNATURE --secret-file secret < body.json",
      description: "Check a delivery that a receiver has saved"
    }
  ])
)
