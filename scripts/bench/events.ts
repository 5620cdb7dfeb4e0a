import { Effect } from "effect"
import { deadEndpoint } from "./events/deadEndpoint.ts"
import { pages } from "./events/pages.ts"
import { staged } from "./events/stage.ts"
import { writing } from "./events/writes.ts"
import { concluded, shown } from "./results.ts"

/** A platform that makes something takes longer than that. */
const delay = 20

/** What is told and kept of calls: what it costs them, what reading it costs, and who waits for whom. */
export const eventsBench = Effect.gen(function* () {
  const stage = yield* staged(0)
  const measured = [
    yield* shown("pages", pages(stage)),
    yield* shown("deliveries", deadEndpoint(stage)),
    yield* shown(
      "writes",
      Effect.flatMap(staged(delay), (_) => writing(_, 32, `in ${delay} ms`))
    ),
    yield* shown("writes at once", writing(stage, 32, "at once"))
  ]
  yield* concluded("events", "What it costs", measured, {})
})
