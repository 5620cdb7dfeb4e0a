import { Clock, Effect, Option, Stream } from "effect"
import { Command, Flag } from "../../effectCli.ts"
import { Output } from "../../output/Output.ts"
import { portico } from "../../Session.ts"
import { styleOfResults } from "../operator/lines.ts"
import { signupsReview } from "./review.ts"
import { queueText } from "./view.ts"

const states = ["pending", "approving", "onboarded", "rejected", "all"] as const

const queueFlags = {
  state: Flag.Literals("state", states).pipe(
    Flag.withDescription("Only signups in this state, or all"),
    Flag.withDefault("pending")
  ),
  limit: Flag.Int("limit").pipe(Flag.withDescription("The most signups. Default: all"), Flag.optional)
}

/** Without a verb: what waits, and what the platform can take. */
export const signups = Command.make(
  "signups",
  queueFlags,
  Effect.fnUntraced(function* ({ limit, state }) {
    const { stream, use } = yield* portico
    const { show } = yield* Output
    const style = yield* styleOfResults
    const now = yield* Clock.currentTimeMillis
    const rows = stream((_, signal) => _.signups.list.all(state === "all" ? {} : { state }, { signal }))
    const found = yield* Option.match(limit, {
      onNone: () => rows,
      onSome: (_) => Stream.take(rows, _)
    }).pipe(Stream.runCollect)
    const capacity = yield* use((_, signal) => _.signups.capacity({}, { signal }))
    yield* show({ signups: found, capacity }, { text: () => queueText(found, capacity, now, style) })
  })
).pipe(
  Command.withShortDescription("What waits for a decision, and what the platform can take"),
  Command.withDescription(
    "Lists the signups that wait for a decision, the oldest first, with the sellable budget before and after one more " +
      "tenant of each tier. 'portico signups review' goes through them one by one."
  ),
  Command.withExamples([
    { command: "portico signups", description: "List what waits for a decision" },
    { command: "portico signups --state rejected", description: "List what was rejected" }
  ]),
  Command.withSubcommands([signupsReview])
)
