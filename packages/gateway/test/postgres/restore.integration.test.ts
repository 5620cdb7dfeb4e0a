import { NodeServices } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { rehearseRestore } from "../../../../scripts/rehearse/restore.ts"
import { complete, named } from "./releases.ts"

it.live.skipIf(complete === undefined)(
  named("a backup older than the newest writes is restored, and both sides are reconciled"),
  () =>
    Effect.gen(function* () {
      const { claims, findings } = yield* rehearseRestore({ prepared: true, say: () => {} })
      assert.deepStrictEqual(
        claims.filter((_) => !_.holds),
        [],
        findings.join("\n")
      )
      assert.isAbove(claims.length, 15)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)
