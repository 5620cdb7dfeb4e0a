import type { TenantDrift } from "@portico/contract/Drift"
import { Effect, Option, Stream } from "effect"
import { CliFailure } from "../../CliFailure.ts"
import { Command, Flag } from "../../effectCli.ts"
import { Output } from "../../output/Output.ts"
import { portico } from "../../Session.ts"
import { progress } from "../../waiting/progress.ts"
import { styleOfResults } from "../operator/lines.ts"
import { plural } from "../operator/words.ts"
import { countsOf, driftText } from "./findings.ts"

const driftFlags = {
  projectId: Flag.String("project-id").pipe(Flag.withDescription("Only the tenant with this project"), Flag.optional),
  limit: Flag.Int("limit").pipe(Flag.withDescription("The most tenants. Default: all"), Flag.optional),
  exitCode: Flag.Boolean("exit-code").pipe(
    Flag.withDescription("Ends with 1 when a tenant has drifted, and with 5 when one could not be read"),
    Flag.withDefault(false)
  )
}

/** A tenant costs six calls of upstreams, and four are read at once. */
const pageSize = 20

/** All tenants, page by page, with a line of progress a page. */
const compared = Effect.fnUntraced(function* (projectId: Option.Option<string>, limit: Option.Option<number>) {
  const { stream } = yield* portico
  const query = {
    limit: pageSize,
    ...Option.match(projectId, { onNone: () => ({}), onSome: (_) => ({ project_id: _ }) })
  }
  return yield* progress("Quota drift", ({ now }) =>
    stream((_, signal) => _.drift.show.all(query, { signal })).pipe(
      Stream.take(Option.getOrElse(limit, () => Infinity)),
      Stream.runFoldEffect(
        (): ReadonlyArray<TenantDrift> => [],
        (rows, row) => {
          const all = [...rows, row]
          return Effect.as(all.length % pageSize === 0 ? now(`${all.length} tenants compared`) : Effect.void, all)
        }
      )
    )
  )
})

const show = Effect.fnUntraced(function* ({
  exitCode,
  limit,
  projectId
}: {
  readonly projectId: Option.Option<string>
  readonly limit: Option.Option<number>
  readonly exitCode: boolean
}) {
  const { show } = yield* Output
  const style = yield* styleOfResults
  const rows = yield* compared(projectId, limit)
  yield* show(rows, { name: "tenant.project_id", text: () => driftText(rows, style) })
  if (!exitCode) return
  const { drifted, incomplete } = countsOf(rows)
  if (drifted > 0) {
    return yield* new CliFailure({
      exit: "refused",
      message: `${plural(drifted, "tenant has", "tenants have")} drifted`
    })
  }
  if (incomplete > 0) {
    return yield* new CliFailure({
      exit: "platform",
      message: `${plural(incomplete, "tenant")} could not be read completely`,
      hint: "'portico doctor' says which service does not answer"
    })
  }
})

const words = {
  short: "Compare the quotas that are enforced with the tenants' tiers",
  long:
    "Reads each tenant's tags and the quotas that the services enforce, and compares them with what its tier grants. It " +
    "changes nothing. What differs is shown by tenant and kind, with the command that repairs it. Each tenant costs six " +
    "calls of services behind the gateway."
}

const driftShow = Command.make("show", driftFlags, show).pipe(
  Command.withShortDescription(words.short),
  Command.withDescription(words.long),
  Command.withExamples([{ command: "portico drift show --limit 10", description: "Check the ten oldest tenants" }])
)

/** Without a verb it compares. */
export const drift = Command.make("drift", driftFlags, show).pipe(
  Command.withShortDescription(words.short),
  Command.withDescription(words.long),
  Command.withExamples([
    { command: "portico drift", description: "Show what differs" },
    { command: "portico drift --exit-code --quiet", description: "Check in a job that raises an alarm" }
  ]),
  Command.withSubcommands([driftShow])
)
