import { Effect, Option } from "effect"
import { CliFailure } from "../../CliFailure.ts"
import { Command, Flag } from "../../effectCli.ts"
import { Output } from "../../output/Output.ts"
import { outFrame } from "../../output/Frame.ts"
import { portico } from "../../Session.ts"
import { projectFlag } from "../projectFlag.ts"
import { readCosts } from "./read.ts"
import { costsText } from "./text.ts"

const moment = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.withMetavar("day"), Flag.optional)

export const costs = Command.make(
  "costs",
  {
    period: Flag.String("period").pipe(
      Flag.withDescription("A month, such as 2026-01; the running one when absent"),
      Flag.withMetavar("month"),
      Flag.optional
    ),
    start: moment("start", "The first day or moment in UTC, such as 2026-01-31; needs --end"),
    end: moment("end", "The day or moment after the span; needs --start"),
    groupBy: Flag.Literals("group-by", ["service", "line"]).pipe(
      Flag.withDescription("A row for each service, or one for each invoice line such as compute.m1.large"),
      Flag.withDefault("service")
    ),
    project: projectFlag
  },
  Effect.fnUntraced(function* (given) {
    const [period, start, end, project] = [given.period, given.start, given.end, given.project].map(
      Option.getOrUndefined
    )
    if ((period !== undefined && (start ?? end) !== undefined) || (start === undefined) !== (end === undefined)) {
      return yield* new CliFailure({
        exit: "usage",
        message: "The span is named by --period, or by both --start and --end"
      })
    }
    const connected = yield* portico
    const { show } = yield* Output
    const frame = yield* outFrame
    const read = yield* readCosts(connected, { period, start, end, project, group_by: given.groupBy })
    yield* show(read, { text: () => costsText(read, frame) })
  })
).pipe(
  Command.withShortDescription("Show what the account costs, with forecast, past months and budgets"),
  Command.withDescription(
    "Shows what the running month has cost until now, by service, with its forecast, the last months and the budgets. " +
      "It needs billing access, which owners of the account have and grant."
  ),
  Command.withExamples([
    { command: "portico costs", description: "What has this month cost?" },
    { command: "portico costs --period 2026-10 --group-by line", description: "A past month, by invoice line" },
    { command: "portico costs --output json --query breakdown.total_cents", description: "The sum, for a script" }
  ])
)
