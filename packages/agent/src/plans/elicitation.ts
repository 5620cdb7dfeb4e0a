import { type Duration, Effect, Option, Predicate } from "effect"
import { McpSchema } from "effect/ai"
import { Answering, type Report } from "../answers/Answering.ts"
import { AnswerTime } from "./Plans.ts"

/** What a person answered; `none` when no answer came. */
export type PersonsAnswer = "accepted" | "declined" | "dismissed" | "none"

const form = {
  type: "object" as const,
  properties: {
    confirm: { type: "boolean" as const, title: "Confirm", description: "Whether the agent may make this call." }
  },
  required: ["confirm"]
}

/** The parameters of a question to a person: a form with one field. */
export const questionParameters = (message: string) => ({ mode: "form" as const, message, requestedSchema: form })

/** Asks the client's person. The answer is `none` when the client fails, disconnects or does not answer in time. */
export const asked = Effect.fnUntraced(function* (client: McpSchema.McpServerClient["Service"], message: string) {
  const { report } = yield* Answering
  const { pause, reported, silent } = yield* AnswerTime
  const { message: text, mode, requestedSchema } = questionParameters(message)
  const request = new McpSchema.ElicitRequestFormParams({
    mode,
    message: text,
    requestedSchema: {
      ...requestedSchema,
      properties: { confirm: new McpSchema.ElicitationBoolean(requestedSchema.properties.confirm) }
    }
  })
  const answer = yield* client.getClient.pipe(
    Effect.flatMap((_) => _.elicit(request)),
    Effect.scoped,
    Effect.raceFirst(report === undefined ? Effect.never : reporting(report, pause)),
    Effect.timeout(report === undefined ? silent : reported),
    Effect.option
  )
  return Option.isNone(answer) ? ("none" as const) : accepted(answer.value)
})

/** Tells a client that asked for progress that its person has not answered yet. */
const reporting = (report: Report, pause: Duration.Duration): Effect.Effect<never> => {
  let reports = 0
  const next = Effect.suspend(() => report((reports += 1), "Waiting for the person's answer"))
  return Effect.forever(Effect.delay(next, pause))
}

/** Reads an answer to the form. Anything but a clear yes counts as declined or dismissed. */
export const accepted = (answer: unknown): Exclude<PersonsAnswer, "none"> => {
  if (!Predicate.isReadonlyObject(answer)) return "dismissed"
  const { action, content } = answer
  if (action === "decline") return "declined"
  if (action !== "accept") return "dismissed"
  return Predicate.isReadonlyObject(content) && content["confirm"] === true ? "accepted" : "declined"
}
