import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { writeFileSync } from "node:fs"
import { Cast, operator } from "./Cast.ts"
import { TestGateway } from "./TestGateway.ts"
layer(Cast.layer.pipe(Layer.provideMerge(TestGateway.layer)), { excludeTestServices: true, timeout: "600 seconds" })("manual", (it) => {
  it.effect("x", () => Effect.gen(function* () {
    const { url } = yield* TestGateway
    const { acme, globex } = yield* Cast
    writeFileSync("/tmp/k8smanual.json", JSON.stringify({ url, acme, globex, operator }))
    yield* Effect.sleep("580 seconds")
  }), 600_000)
})
