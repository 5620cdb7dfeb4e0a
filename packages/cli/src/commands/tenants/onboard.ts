import type { OnboardRequest } from "@portico/contract/Tenants"
import { Effect, Option, Ref } from "effect"
import { randomUUID } from "node:crypto"
import { CliFailure } from "../../CliFailure.ts"
import { Argument, Command, Flag } from "../../effectCli.ts"
import { secretsNote } from "../../output/oneTime.ts"
import { Output } from "../../output/Output.ts"
import { Screen } from "../../Screen.ts"
import { portico } from "../../Session.ts"
import { progress } from "../../waiting/progress.ts"
import { styleOfResults } from "../operator/lines.ts"
import { quoted } from "../../output/shell.ts"
import { explained } from "./failed.ts"
import { entriesOf, followed, type Seen } from "./follow.ts"
import { onboardedText } from "./onboardView.ts"
import { secretFile, secretKept } from "./secretFile.ts"

const tiers = ["discovery", "standard", "extension"] as const

const onboardFlags = {
  tenant: Argument.String("name").pipe(
    Argument.withDescription("The organisation's name. The slug is derived from it"),
    Argument.optional
  ),
  name: Flag.String("name").pipe(
    Flag.withDescription("The organisation's name, in place of the argument"),
    Flag.optional
  ),
  tier: Flag.Literals("tier", tiers).pipe(
    Flag.withDescription("The tier of the new tenant"),
    Flag.withDefault("discovery")
  ),
  tenantName: Flag.String("tenant-name").pipe(
    Flag.withDescription("Replaces the name when it is taken or makes no slug"),
    Flag.optional
  ),
  idempotencyKey: Flag.String("idempotency-key").pipe(
    Flag.withDescription("The key of an earlier call whose answer was lost. A new one, when absent"),
    Flag.optional
  ),
  secretFile: Flag.String("secret-file").pipe(
    Flag.withDescription("Writes the secret to this new file, for its owner alone, in place of showing it"),
    Flag.withMetavar("path"),
    Flag.optional
  )
}

const nameOf = (given: { readonly tenant: Option.Option<string>; readonly name: Option.Option<string> }) => {
  if (Option.isSome(given.tenant) && Option.isSome(given.name)) {
    return Effect.fail(new CliFailure({ exit: "usage", message: "The name is given twice" }))
  }
  return Option.match(
    Option.orElse(given.tenant, () => given.name),
    {
      onNone: () =>
        Effect.fail(
          new CliFailure({
            exit: "usage",
            message: "The organisation's name is missing",
            hint: "Give it as in 'portico tenants onboard Initech --tier discovery'"
          })
        ),
      onSome: (_) => Effect.succeed(_)
    }
  )
}

/** The same call once more, as a command. */
const again = ({ name, tenant_name, tier }: OnboardRequest, key: string): string =>
  [
    `portico tenants onboard ${quoted(name)} --tier ${tier}`,
    ...(tenant_name === undefined ? [] : [`--tenant-name ${quoted(tenant_name)}`]),
    `--idempotency-key ${quoted(key)}`
  ].join(" ")

/** How the secret of the first credential is replaced when it was not shown. */
const rotating = (id: string): string =>
  `Rotate with 'portico credentials rotate ${id}'; another time, --secret-file keeps the secret in a file.`

/** What Ctrl-C leaves behind. A call with a key is carried to its end without its client. */
const leftBehind = (request: OnboardRequest, key: string, seen: Seen): string =>
  [
    `The gateway goes on with the onboarding of ${quoted(request.name)} and carries it to its end without you.`,
    ...(seen.entry === undefined
      ? ["'portico journal' shows how far it is."]
      : [`'portico journal show ${seen.entry.attempt_id}' shows how far it is.`]),
    "The secret of its first credential went with the answer. To see how it ended, without the secret:",
    `  ${again(request, key)}`
  ].join("\n")

export const onboard = Command.make(
  "onboard",
  onboardFlags,
  Effect.fnUntraced(function* (given) {
    const name = yield* nameOf(given)
    const gateway = yield* portico
    const { note } = yield* Screen
    const { printed } = yield* Output
    const results = yield* styleOfResults
    const tenantName = Option.getOrUndefined(given.tenantName)
    const request = { name, tier: given.tier, ...(tenantName === undefined ? {} : { tenant_name: tenantName }) }
    const idempotencyKey = Option.getOrElse(given.idempotencyKey, () => randomUUID())
    const file = yield* Option.match(given.secretFile, {
      onNone: () => Effect.undefined,
      onSome: secretFile
    })

    const held = tenantName ?? name
    const seen = yield* Ref.make<Seen>({ entry: undefined, done: [] })
    const before = yield* entriesOf(gateway, held)
    yield* note(`Onboarding ${quoted(held)}, tier ${given.tier}, idempotency key ${idempotencyKey}`)
    // One attempt: each repetition would onboard anew, and hide why the one before failed.
    const call = gateway.use((_, signal) => _.tenants.onboard(request, { signal, idempotencyKey, retry: { times: 0 } }))
    const earlier = new Set(before.map((_) => _.attempt_id))
    const onboarded = yield* progress(`Tenant ${held}`, (progress) =>
      followed(gateway, call, { name: held, earlier, progress, seen })
    ).pipe(
      Effect.tapError((error) =>
        explained(gateway, error, { name: held, before, seen, again: again(request, idempotencyKey) })
      ),
      Effect.onInterrupt(() => Effect.flatMap(Ref.get(seen), (_) => note(leftBehind(request, idempotencyKey, _))))
    )

    const { path, shown } = yield* secretKept(file, onboarded)
    const read = yield* printed(shown, { name: "slug", text: () => onboardedText(onboarded, path, results) })
    const said = secretsNote(shown, read, rotating(onboarded.credential.id))
    if (said !== undefined) yield* note(said)
  }, Effect.scoped)
).pipe(
  Command.withShortDescription("Onboard a tenant, and show its steps as they happen"),
  Command.withDescription(
    "Creates a tenant whole or not at all: a project with the quotas of its tier, a network with a router, an object " +
      "storage user, and a first credential, whose secret is shown this once. Each step is shown when it is done. When " +
      "one fails, everything is removed again."
  ),
  Command.withExamples([
    { command: "portico tenants onboard Initech --tier discovery", description: "Onboard a tenant" },
    {
      command: "portico tenants onboard Initech --tier standard --secret-file initech.secret",
      description: "Keep the secret of its first credential off the screen"
    }
  ])
)
