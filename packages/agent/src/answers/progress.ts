import { Effect, Predicate } from "effect"
import { McpSchema, type McpServer } from "effect/ai"
import type { Report } from "./Answering.ts"

/** The reporter of progress for the current request; undefined when its client did not ask for progress. */
export const reportOf = Effect.fnUntraced(function* (server: McpServer.McpServer["Service"]) {
  const { requestMetadata } = yield* McpSchema.McpRequestContext
  const token = Predicate.hasProperty(requestMetadata, "progressToken") ? requestMetadata["progressToken"] : undefined
  if (typeof token !== "string" && typeof token !== "number") return undefined
  const report: Report = (progress, message) =>
    server.notifications["notifications/progress"]({ progressToken: token, progress, message }).pipe(
      // A report to a client that has disconnected fails. Its request is interrupted by the end of the connection.
      Effect.ignore
    )
  return report
})
