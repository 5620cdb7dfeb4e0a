import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Credentials } from "../src/Credentials.ts"
import { Journal } from "../src/Journal.ts"
import { Signups } from "../src/Signups.ts"
import { Tenants } from "../src/Tenants.ts"
import { storiesOf } from "./stories.ts"

storiesOf("Ids that a client chose", (story) => {
  for (const id of ["", "\0", "a\0b", "'; DROP TABLE tenants; --", "é\u{1F600}", "\uD800", "x".repeat(8000)]) {
    story(
      `${JSON.stringify(id).slice(0, 40)} is not found, and causes no failure`,
      Effect.fnUntraced(function* () {
        assert.isUndefined(yield* (yield* Credentials).find(id))
        assert.isUndefined(yield* (yield* Tenants).find(id))
        assert.isUndefined(yield* (yield* Signups).find(id))
        assert.isUndefined(yield* (yield* Journal).find(id))
        assert.isUndefined(yield* (yield* Journal).claim(id))
      })
    )
  }
})
