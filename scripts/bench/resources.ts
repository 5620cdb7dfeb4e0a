import { Effect } from "effect"
import { lists } from "./resources/lists.ts"
import { concluded, shown } from "./results.ts"

/** What tenants hold: whether a list asks the upstreams more often when there is more to list. */
export const resourcesBench = Effect.gen(function* () {
  yield* concluded("resources", "Upstream calls", [yield* shown("lists", lists)], {})
})
