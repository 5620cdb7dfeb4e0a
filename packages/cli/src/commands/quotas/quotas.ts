import { Effect, Option } from "effect"
import { Command } from "../../effectCli.ts"
import { Output } from "../../output/Output.ts"
import { outFrame } from "../../output/Frame.ts"
import { portico } from "../../Session.ts"
import { projectFlag } from "../projectFlag.ts"
import { quotasText } from "./text.ts"

export const quotas = Command.make(
  "quotas",
  { project: projectFlag },
  Effect.fnUntraced(function* ({ project }) {
    const { use } = yield* portico
    const { show } = yield* Output
    const frame = yield* outFrame
    const found = yield* use((_, signal) => _.quotas.show({ project: Option.getOrUndefined(project) }, { signal }))
    yield* show(found, { text: () => quotasText(found, frame) })
  })
).pipe(
  Command.withShortDescription("Show what the project may have, and what it uses"),
  Command.withDescription(
    "Shows the limits of the project's tier and what is used of them, by service. When a service does not " +
      "answer, only its own rows lack their numbers."
  ),
  Command.withExamples([
    { command: "portico quotas", description: "Show limits and usage" },
    { command: "portico quotas --output json --query compute.cores", description: "Read one limit in a script" }
  ])
)
