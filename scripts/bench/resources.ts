import { Console, Effect } from "effect"
import { lists } from "./resources/lists.ts"
import { concluded, printed } from "./results.ts"

/** What tenants hold: whether a list asks the upstreams more often when there is more to list. */
export const resourcesBench = Effect.gen(function* () {
  const part = yield* Effect.tap(Effect.scoped(lists), (_) => Console.log(printed(_)))
  yield* concluded("resources", "Upstream calls", [{ name: "lists", part }], {})
})
