import { Effect, Option, Stream } from "effect"
import { Command, Flag } from "../../effectCli.ts"
import { cursorFileFlag } from "../../events/cursorFile.ts"
import { followed, type Start } from "../../events/follow.ts"
import { eventLine } from "../../events/line.ts"
import { type Moment, momentFlag } from "../../events/moment.ts"
import { flagsOf, placeIn } from "../../events/Place.ts"
import { topics } from "../../events/topics.ts"
import { printerOf } from "../../events/printer.ts"
import { Screen } from "../../Screen.ts"
import { portico } from "../../Session.ts"

export const projectFlag = Flag.String("project-id").pipe(
  Flag.withDescription("The events of this project; for platform administrators"),
  Flag.withMetavar("id"),
  Flag.optional,
  Flag.map(Option.getOrUndefined)
)

export const startOf = (cursor: Option.Option<string>, since: Option.Option<Moment>): Effect.Effect<Start> => {
  if (Option.isSome(cursor)) return Effect.succeed({ _tag: "Behind", cursor: cursor.value })
  if (Option.isSome(since)) return Effect.map(since.value, (at) => ({ _tag: "Since", at }))
  return Effect.succeed({ _tag: "Now" })
}

export const tail = Command.make(
  "tail",
  {
    topic: Flag.Literals("topic", topics).pipe(
      Flag.withDescription("Only events of this topic; may be repeated"),
      Flag.atLeast(0)
    ),
    kind: Flag.String("kind").pipe(
      Flag.withDescription("Only events of this kind, such as volume.create or 'volume.*'; may be repeated"),
      Flag.atLeast(0)
    ),
    since: momentFlag("since", "Begin with the events since then, at most 30 days ago, such as 1h"),
    cursor: Flag.String("cursor").pipe(
      Flag.withDescription("Begin behind this place, from an earlier run or page"),
      Flag.optional
    ),
    cursorFile: cursorFileFlag,
    projectId: projectFlag,
    timeout: Flag.Int("timeout-seconds").pipe(
      Flag.withDescription("End after so many seconds; with 0, at the end of the log"),
      Flag.filter(
        (_) => _ >= 0 && _ <= 86_400,
        (_) => `Expected 0 to 86400 seconds, got ${_}`
      ),
      Flag.optional,
      Flag.map(Option.getOrUndefined)
    )
  },
  Effect.fnUntraced(function* ({ cursor, cursorFile, kind, projectId, since, timeout, topic }) {
    const gateway = yield* portico
    const { out } = yield* Screen
    const print = yield* printerOf((event: Parameters<typeof eventLine>[1]) => eventLine(out, event), "id")
    const filters = flagsOf({ topic, kind, "project-id": projectId, "timeout-seconds": timeout })
    const place = yield* placeIn(cursorFile)
    const start = yield* startOf(
      Option.orElse(place.kept, () => cursor),
      since
    )
    const events = followed(gateway, { topics: topic, kinds: kind, projectId }, start, {
      timeout,
      onOpen: place.opened
    })
    yield* events.pipe(
      // An event that is printed is also passed: Ctrl-C comes before or behind both.
      Stream.runForEach((_) => Effect.uninterruptible(Effect.andThen(print(_.event), place.keep(_.cursor)))),
      Effect.onExit(() => place.farewell(`portico events tail${filters}`))
    )
  })
).pipe(
  Command.withShortDescription("Follow the tenant's events as they happen"),
  Command.withDescription(
    "Prints each event once, as a line on a terminal and as a line of JSON elsewhere, from now on or from --since or " +
      "--cursor on. It goes on across lost connections, restarts of the gateway and renewed tokens. Ctrl-C ends it " +
      "with exit code 130, and says how to go on from there."
  ),
  Command.withExamples([
    {
      command: "portico events tail --topic iam.credentials --since 1h",
      description: "Follow credentials, from an hour ago on"
    },
    {
      command: "portico events tail --since 24h --timeout-seconds 0 --output json",
      description: "Print the events of a day as lines of JSON, and end"
    },
    {
      command: "portico events tail --cursor-file events.cursor --timeout-seconds 0",
      description: "Print what has come since the last run"
    }
  ])
)
