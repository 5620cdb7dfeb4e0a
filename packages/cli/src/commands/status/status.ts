import { Effect } from "effect"
import { CliFailure } from "../../CliFailure.ts"
import { Command, Flag } from "../../effectCli.ts"
import { Output } from "../../output/Output.ts"
import { outFrame } from "../../output/Frame.ts"
import { portico } from "../../Session.ts"
import { statusText } from "./text.ts"

export const status = Command.make(
  "status",
  {
    exitCode: Flag.Boolean("exit-code").pipe(
      Flag.withDescription("End with 5 unless all services work"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ exitCode }) {
    const { use } = yield* portico
    const { show } = yield* Output
    const frame = yield* outFrame
    const document = yield* use((_, signal) => _.status.show({}, { signal }))
    yield* show(document, { text: () => statusText(document, frame) })
    if (exitCode && document.overall !== "ok") {
      return yield* new CliFailure({ exit: "platform", message: `The platform is ${document.overall}` })
    }
  })
).pipe(
  Command.withShortDescription("Show how the platform is, with incidents and maintenance"),
  Command.withDescription(
    "Shows how each service is, the incidents that stand and the maintenance to come: one line when all is well."
  ),
  Command.withExamples([
    { command: "portico status", description: "Look at the platform" },
    { command: "portico status --exit-code --quiet", description: "In a script: ends with 5 unless all services work" }
  ])
)
