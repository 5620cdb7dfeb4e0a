import type { Event } from "@portico/contract/Events"
import { Effect, Option, Stream } from "effect"
import { Command, Flag } from "../../effectCli.ts"
import { lineOf } from "../../events/line.ts"
import { momentFlag } from "../../events/moment.ts"
import { printerOf } from "../../events/printer.ts"
import { localTime } from "../../output/localTime.ts"
import { Output } from "../../output/Output.ts"
import { harmless } from "../../output/sanitize.ts"
import { type Portico } from "../../Portico.ts"
import { Screen, type Side } from "../../Screen.ts"
import { portico } from "../../Session.ts"
import { startOf } from "../events/tail.ts"
import * as flags from "./flags.ts"

const topic = "agent.actions"

/** A tool call as a row: the event's own data, with the label of the agent. */
const rowOf =
  (labels: ReadonlyMap<string, string>) =>
  ({ at, data, id }: Event) => ({
    id,
    at,
    agent: labels.get(String(data["credential_id"])) ?? data["credential_id"] ?? data["user_id"] ?? null,
    tool: data["tool"] ?? null,
    outcome: data["outcome"] ?? null,
    status: data["status"] ?? null,
    ...data
  })
type Row = ReturnType<ReturnType<typeof rowOf>>

const colors: Readonly<Record<string, number>> = { succeeded: 32, planned: 36, declined: 33, refused: 33 }

const lineFor = (side: Side, { agent, at, outcome, status, tool }: Row): string =>
  lineOf(side, [
    [localTime(at), 2],
    [harmless(String(agent))],
    [harmless(String(tool)), 36],
    [harmless(String(outcome)), colors[String(outcome)] ?? 31],
    [status === null ? "" : String(status), 2]
  ])

/** The names that people gave the credentials; without them, the log has their ids. */
const labelsOf = Effect.fnUntraced(function* (gateway: Portico, projectId: string | undefined) {
  const { agentsOf } = yield* Effect.promise(() => import("../../agents/credential.ts"))
  return yield* Stream.runCollect(agentsOf(gateway, { withRevoked: true, projectId })).pipe(
    Effect.map((all) => new Map(all.map((_) => [_.credential_id, _.label]))),
    Effect.orElseSucceed(() => new Map<string, string>())
  )
})

export const log = Command.make(
  "log",
  {
    since: momentFlag("since", "Only calls since then, at most 30 days ago, such as 1h"),
    limit: flags.limit("calls").pipe(Flag.withDefault(50)),
    projectId: flags.projectId,
    follow: Flag.Boolean("follow").pipe(
      Flag.withAlias("f"),
      Flag.withDescription("Print calls as they happen, from now or --since on"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ follow, limit, projectId, since }) {
    const gateway = yield* portico
    const { out } = yield* Screen
    const { rows } = yield* Output
    const row = rowOf(yield* labelsOf(gateway, projectId))
    if (follow) {
      const { followed } = yield* Effect.promise(() => import("../../events/follow.ts"))
      const print = yield* printerOf((_: Row) => lineFor(out, _), "id")
      const start = yield* startOf(Option.none(), since)
      return yield* Stream.runForEach(followed(gateway, { topics: [topic], kinds: [], projectId }, start), (_) =>
        print(row(_.event))
      )
    }
    const from = Option.isSome(since) ? yield* since.value : undefined
    const calls = gateway.stream((_, signal) =>
      _.events.list.all(
        { topic: [topic], order: "desc", since: from, ...(projectId === undefined ? {} : { project_id: projectId }) },
        { signal }
      )
    )
    yield* rows(calls.pipe(Stream.take(limit), Stream.map(row)), {
      columns: ["at", "agent", "tool", "outcome", "status", "code"],
      name: "id",
      empty: "No agent has called a tool."
    })
  })
).pipe(
  Command.withShortDescription("Show what agents did, the newest first"),
  Command.withDescription(
    "Lists the tool calls of the tenant's agents, also those that were refused: when, which agent, which tool, and what " +
      "came of it. The names of the arguments are there, their values are not."
  ),
  Command.withExamples([
    { command: "portico agents log", description: "The last 50 calls" },
    { command: "portico agents log --follow", description: "Watch agents at work" },
    {
      command: "portico agents log --since 24h --output json --query '[?outcome==`refused`].tool'",
      description: "What was refused in a day"
    }
  ])
)
