import { assert, it } from "@effect/vitest"
import { ClusterSettings } from "@portico/domain/kubernetes/ClusterSettings"
import { ConfigProvider, Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"

it.effect("an object storage name that does not resolve is logged once, for any number of requests", () => {
  const lines: Array<string> = []
  const settings = ConfigProvider.fromUnknown({ RGW_URL: "http://nothing.invalid:7480" })
  return Effect.gen(function* () {
    const { archive } = yield* ClusterSettings
    for (const _ of [1, 2, 3]) {
      // Some networks answer that there is no such name, others never answer.
      const asked = yield* Effect.forkChild(archive)
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(yield* Fiber.join(asked), [])
      yield* TestClock.adjust("6 minutes")
    }
    const about = lines.filter((_) => _.includes("cannot be resolved for network policies"))
    assert.strictEqual(about.length, 1, lines.join("\n"))
    assert.include(about[0], "nothing.invalid")
  }).pipe(
    Effect.provide(
      ClusterSettings.layer.pipe(
        Layer.provideMerge(Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])),
        Layer.provide(ConfigProvider.layer(settings))
      )
    )
  )
})
