import { PorticoError } from "@portico/client/PorticoError"
import type { SignupRow } from "@portico/contract/Signups"
import type { Tier } from "@portico/contract/Tiers"
import { Clock, Effect, Option, Ref, Stream } from "effect"
import { randomUUID } from "node:crypto"
import { CliFailure } from "../../CliFailure.ts"
import { Argument, Command, Flag } from "../../effectCli.ts"
import { ask } from "../../output/confirm.ts"
import { Output } from "../../output/Output.ts"
import { harmless } from "../../output/sanitize.ts"
import type { Portico } from "../../Portico.ts"
import { wordsOf } from "../../refusals.ts"
import { Screen } from "../../Screen.ts"
import { portico } from "../../Session.ts"
import { progress } from "../../waiting/progress.ts"
import { styleOfNotes, styleOfResults } from "../operator/lines.ts"
import { quoted } from "../../output/shell.ts"
import { plural } from "../operator/words.ts"
import { explained } from "../tenants/failed.ts"
import { entriesOf, followed, type Seen } from "../tenants/follow.ts"
import { onboardedText } from "../tenants/onboardView.ts"
import { secretFile, secretKept } from "../tenants/secretFile.ts"
import { confirmed, decision, otherName } from "./decide.ts"
import { signupText } from "./view.ts"

const capacityOf = ({ use }: Portico) => use((_, signal) => _.signups.capacity({}, { signal }))

/** The signups that wait, or the one that was asked for. */
export const waiting = (gateway: Portico, id: Option.Option<string>) =>
  gateway
    .stream((_, signal) => _.signups.list.all(Option.isNone(id) ? { state: "pending" } : {}, { signal }))
    .pipe(
      Stream.filter((_) => Option.isNone(id) || _.signup_id === id.value),
      Stream.runCollect,
      Effect.flatMap((found) =>
        Option.isSome(id) && found.length === 0
          ? Effect.fail(
              new CliFailure({
                exit: "notFound",
                message: `There is no signup '${id.value}'`,
                hint: "'portico signups' lists those that wait"
              })
            )
          : Effect.succeed(found)
      )
    )

/** The name is what stands in the way: another one may be sent. */
const needsName: ReadonlySet<string> = new Set(["organisation_name_taken", "unusable_name"])

/** Approves, and follows the steps. */
const approve = Effect.fnUntraced(function* (
  gateway: Portico,
  signup: SignupRow,
  to: {
    readonly tier: Tier
    readonly tenantName: string | undefined
    readonly secrets: Option.Option<string>
  }
) {
  const { secrets, tenantName, tier } = to
  const { signup_id } = signup
  const { show } = yield* Output
  const { note } = yield* Screen
  const style = yield* styleOfResults
  const file = yield* Option.match(secrets, {
    onNone: () => Effect.undefined,
    onSome: (_) => secretFile(`${_}/${signup_id}`)
  })
  const name = tenantName ?? signup.org_name
  const seen = yield* Ref.make<Seen>({ entry: undefined, done: [] })
  const before = yield* entriesOf(gateway, name)
  const idempotencyKey = randomUUID()
  const named = tenantName === undefined ? {} : { tenant_name: tenantName }
  const call = gateway.use((_, signal) =>
    _.signups.approve({ signup_id, tier, ...named }, { signal, idempotencyKey, retry: { times: 0 } })
  )
  const again = [
    `portico signups approve ${signup_id} --tier ${tier}`,
    ...(tenantName === undefined ? [] : [`--tenant-name ${quoted(tenantName)}`]),
    `--idempotency-key ${idempotencyKey}`
  ].join(" ")
  const earlier = new Set(before.map((_) => _.attempt_id))
  const approved = yield* progress(`Tenant ${name}`, (progress) =>
    followed(gateway, call, { name, earlier, progress, seen })
  ).pipe(
    Effect.tapError((error) => explained(gateway, error, { name, before, seen, again })),
    Effect.onInterrupt(() =>
      note(
        `The gateway goes on with the approval of ${quoted(name)} and carries it to its end without you. The secret of ` +
          `its first credential went with the answer; to see how it ended, without the secret:\n  ${again}`
      )
    )
  )
  const { path, shown } = yield* secretKept(file, approved)
  yield* show(shown, { name: "signup", text: () => onboardedText(approved, path, style) })
  yield* note(`${harmless(approved.owner.email)} gets a mail with the link to a login.`)
}, Effect.scoped)

type Outcome = "approved" | "rejected" | "skipped" | "refused"

const outcome = (_: Outcome): Outcome => _

/** Approves, and asks for another name as long as the name is in the way. What fails leaves the signup as it is. */
const approveNamed = Effect.fnUntraced(function* (
  gateway: Portico,
  signup: SignupRow,
  tier: Tier,
  secrets: Option.Option<string>
) {
  const { note } = yield* Screen
  let tenantName: string | undefined
  for (;;) {
    const refused = yield* approve(gateway, signup, { tier, tenantName, secrets }).pipe(
      Effect.as(undefined),
      Effect.catchIf(
        (_) => _ instanceof PorticoError && _.status < 500,
        (error) => Effect.as(Effect.flatMap(wordsOf(error), note), error)
      )
    )
    if (refused === undefined) return outcome("approved")
    if (!(refused instanceof PorticoError) || !needsName.has(refused.code)) return outcome("refused")
    const other = yield* ask(otherName(signup))
    if (other.trim() === "") return outcome("skipped")
    tenantName = other.trim()
  }
})

const reject = Effect.fnUntraced(function* ({ use }: Portico, signup: SignupRow) {
  const { note } = yield* Screen
  if (!(yield* ask(confirmed(signup)))) return outcome("skipped")
  return yield* use((_, signal) => _.signups.reject({ signup_id: signup.signup_id }, { signal })).pipe(
    Effect.as(outcome("rejected")),
    Effect.catchIf(
      (_) => _.status < 500,
      (error) => Effect.as(Effect.flatMap(wordsOf(error), note), outcome("refused"))
    )
  )
})

const summary = (outcomes: ReadonlyArray<Outcome>, total: number): string => {
  const counted = (["approved", "rejected", "skipped", "refused"] as const).flatMap((_) => {
    const count = outcomes.filter((outcome) => outcome === _).length
    return count === 0 ? [] : [`${count} ${_}`]
  })
  const rest = total - outcomes.length
  return [...counted, ...(rest === 0 ? [] : [`${rest} not looked at`])].join(", ")
}

/** Goes through the signups one by one, each with the numbers of that moment. */
const review = Effect.fnUntraced(function* (
  gateway: Portico,
  signups: ReadonlyArray<SignupRow>,
  secrets: Option.Option<string>
) {
  const { note } = yield* Screen
  const style = yield* styleOfNotes
  const outcomes: Array<Outcome> = []
  for (const [at, signup] of signups.entries()) {
    const capacity = yield* capacityOf(gateway)
    const now = yield* Clock.currentTimeMillis
    yield* note(`\n${signupText(signup, capacity, now, style, `${at + 1} of ${signups.length}: `)}`)
    const decided = yield* ask(decision(signup, capacity))
    if (decided.act === "quit") break
    if (decided.act === "skip") outcomes.push("skipped")
    else if (decided.act === "reject") outcomes.push(yield* reject(gateway, signup))
    else outcomes.push(yield* approveNamed(gateway, signup, decided.tier, secrets))
  }
  yield* note(`${plural(signups.length, "signup")}: ${summary(outcomes, signups.length)}.`)
})

export const signupsReview = Command.make(
  "review",
  {
    id: Argument.String("signup-id").pipe(
      Argument.withDescription("One signup; all that wait, when absent"),
      Argument.optional
    ),
    secrets: Flag.Directory("secret-directory", { mustExist: true }).pipe(
      Flag.withDescription("Writes each first credential's secret to a new file there, named by the signup"),
      Flag.withMetavar("path"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* ({ id, secrets }) {
    const gateway = yield* portico
    const { canAsk, note } = yield* Screen
    const { show } = yield* Output
    const signups = yield* waiting(gateway, id)
    const decided = signups.find((_) => _.state !== "pending")
    if (canAsk && decided !== undefined) {
      return yield* new CliFailure({
        exit: "refused",
        message: `Signup '${decided.signup_id}' is ${decided.state}: nothing is to be decided`
      })
    }
    if (canAsk && signups.length > 0) return yield* review(gateway, signups, secrets)
    const capacity = yield* capacityOf(gateway)
    const style = yield* styleOfResults
    const now = yield* Clock.currentTimeMillis
    const text = () => signups.map((_) => signupText(_, capacity, now, style)).join("\n\n")
    if (signups.length === 0) yield* note("No signup waits.")
    yield* show({ signups, capacity }, { text })
  })
).pipe(
  Command.withShortDescription("Decide about signups one by one"),
  Command.withDescription(
    "Goes through the signups that wait, the oldest first. Each is shown with the sellable budget before and after one " +
      "more tenant of each tier; then it is approved, rejected or skipped. An approval onboards the tenant, shows the " +
      "secret of its first credential this once, and mails the owner. Without a terminal it prints what would be asked."
  ),
  Command.withExamples([
    { command: "portico signups review", description: "Go through all that wait" },
    {
      command: "portico signups review --secret-directory .",
      description: "Keep the secrets of first credentials off the screen"
    }
  ])
)
