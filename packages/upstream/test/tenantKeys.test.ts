import { assert, it } from "@effect/vitest"
import { tenantKeys } from "@portico/upstream/tenantKeys"
import { ConfigProvider, Effect, Redacted } from "effect"

const keysOf = (settings: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    return (yield* tenantKeys).map(Redacted.value)
  }).pipe(Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(settings)))

it.effect("an accepted key comes second; an empty or equal one is ignored", () =>
  Effect.gen(function* () {
    const first = { TENANT_PASSWORD_KEY: "first" }
    assert.deepStrictEqual(yield* keysOf({ ...first, ACCEPTED_TENANT_PASSWORD_KEY: "second" }), ["first", "second"])
    for (const accepted of ["", "first"]) {
      assert.deepStrictEqual(yield* keysOf({ ...first, ACCEPTED_TENANT_PASSWORD_KEY: accepted }), ["first"], accepted)
    }
    assert.deepStrictEqual(yield* keysOf(first), ["first"])
  })
)
