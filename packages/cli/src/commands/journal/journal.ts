import { Clock, Effect, Option } from "effect"
import { CliFailure } from "../../CliFailure.ts"
import { Argument, Command, Flag } from "../../effectCli.ts"
import { Output } from "../../output/Output.ts"
import { portico } from "../../Session.ts"
import { Screen } from "../../Screen.ts"
import { progress } from "../../waiting/progress.ts"
import { journalOf } from "../operator/journal.ts"
import { columns, indented, styleOfResults } from "../operator/lines.ts"
import { entryText, journalText } from "./view.ts"

const states = ["running", "withdrawing", "stuck", "resting"] as const

const listFlags = {
  state: Flag.Literals("state", states).pipe(Flag.withDescription("Only attempts in this state"), Flag.optional),
  limit: Flag.Int("limit").pipe(Flag.withDescription("The most attempts. Default: all"), Flag.optional)
}

const list = Effect.fnUntraced(function* ({
  limit,
  state
}: {
  readonly state: Option.Option<(typeof states)[number]>
  readonly limit: Option.Option<number>
}) {
  const { show } = yield* Output
  const entries = yield* journalOf(yield* portico, Option.getOrUndefined(state))
  const shown = Option.match(limit, { onNone: () => entries, onSome: (_) => entries.slice(0, _) })
  const style = yield* styleOfResults
  const now = yield* Clock.currentTimeMillis
  yield* show(shown, { name: "attempt_id", text: () => journalText(shown, now, style) })
})

const words = {
  short: "List onboardings that are under way, rolled back or stuck",
  long:
    "Shows each onboarding that is neither complete nor removed: its state, the step that runs, its age, and what is " +
    "left of it. Stuck ones come with the cause and the command that tries again. An empty journal means that there is " +
    "nothing to do."
}

export const journalList = Command.make("list", listFlags, list).pipe(
  Command.withShortDescription(words.short),
  Command.withDescription(words.long),
  Command.withExamples([{ command: "portico journal list --state stuck", description: "List what needs an operator" }])
)

const attempt = Argument.String("attempt-id").pipe(Argument.withDescription("The id of the attempt, or its beginning"))

/** The entry whose id is, or begins with, what was given. */
const entryOf = Effect.fnUntraced(function* (given: string) {
  const entries = (yield* journalOf(yield* portico)).filter((_) => _.attempt_id.startsWith(given))
  const [first] = entries.filter((_) => _.attempt_id === given)
  const [entry = first, ...others] = first === undefined ? entries : [first]
  if (entry === undefined) {
    return yield* new CliFailure({
      exit: "notFound",
      message: `The journal has no attempt '${given}'`,
      hint: "It was completed or rolled back, or never existed. 'portico journal' lists what is open"
    })
  }
  if (others.length > 0) {
    return yield* new CliFailure({ exit: "usage", message: `More than one attempt begins with '${given}'` })
  }
  return entry
})

export const journalShow = Command.make(
  "show",
  { attempt },
  Effect.fnUntraced(function* ({ attempt }) {
    const { show } = yield* Output
    const entry = yield* entryOf(attempt)
    const style = yield* styleOfResults
    const now = yield* Clock.currentTimeMillis
    yield* show(entry, { name: "attempt_id", text: () => entryText(entry, now, style) })
  })
).pipe(
  Command.withShortDescription("Show an onboarding with its steps"),
  Command.withDescription("Shows an attempt of the journal with all its steps, what is left of it, and what to do."),
  Command.withExamples([
    { command: "portico journal show 236754ac", description: "Name an attempt by the beginning of its id" }
  ])
)

export const journalRetry = Command.make(
  "retry",
  { attempt },
  Effect.fnUntraced(function* ({ attempt }) {
    const { show } = yield* Output
    const gateway = yield* portico
    const { note } = yield* Screen
    const { attempt_id, name } = yield* entryOf(attempt)
    const retried = yield* progress(`Attempt ${attempt_id}`, ({ now }) =>
      Effect.andThen(
        now(`removing what is left of ${name}`),
        gateway.use((_, signal) => _.journal.retry({ attempt_id }, { signal }))
      )
    ).pipe(
      Effect.onInterrupt(() =>
        note(`The gateway may go on removing it. 'portico journal show ${attempt_id}' shows what is left.`)
      )
    )
    const style = yield* styleOfResults
    const text = () =>
      retried.removed
        ? `Everything is removed, and the name is free.`
        : [
            "Not everything could be removed:",
            ...indented(
              columns(
                retried.left.map((_) => [_.step, _.message]),
                style
              )
            )
          ].join("\n")
    yield* show(retried, { name: "attempt_id", text })
    if (!retried.removed) {
      return yield* new CliFailure({
        exit: "platform",
        message: `${retried.left.length} of its parts are left`,
        hint: "Fix the cause, or remove the part by hand, and retry. The gateway tries again by itself too"
      })
    }
  })
).pipe(
  Command.withShortDescription("Try at once to remove what an onboarding left"),
  Command.withDescription(
    "Tries at once to remove what an unfinished onboarding left behind; it never completes the onboarding. Fix the " +
      "cause first, or remove the part by hand. It takes 80 seconds at most."
  ),
  Command.withExamples([
    { command: "portico journal retry 236754ac", description: "Name an attempt by the beginning of its id" }
  ])
)

/** Without a verb it lists. */
export const journal = Command.make("journal", listFlags, list).pipe(
  Command.withShortDescription(words.short),
  Command.withDescription(words.long),
  Command.withExamples([{ command: "portico journal", description: "Show what is under way, and what is stuck" }]),
  Command.withSubcommands([journalList, journalShow, journalRetry])
)
