import { Effect, Layer } from "effect"
import { Cast } from "../harness/Cast.ts"
import type { Asked } from "../harness/http.ts"
import { Tap } from "../harness/Tap.ts"
import { TestGateway } from "../harness/TestGateway.ts"

/** The gateway behind a tap, with an odd service for dns, and everybody who may call. */
export const Tapped = Cast.layer.pipe(
  Layer.provideMerge(TestGateway.layerOf(Tap.settings)),
  Layer.provideMerge(Tap.layer),
  Layer.provideMerge(TestGateway.cloud)
)

/** One call to the odd service by acme's tier 2. */
export const odd = Effect.fnUntraced(function* (method: string, path: string, asked: Asked = {}) {
  const { acme } = yield* Cast
  return yield* (yield* TestGateway).call("customer", method, `/v1/iaas/dns${path}`, {
    token: acme.tokens[2],
    ...asked
  })
})

/** How it reached the odd service. */
export const arrived = Effect.fnUntraced(function* (method: string, path: string, asked: Asked = {}) {
  const tap = yield* Tap
  yield* tap.forget
  const answer = yield* odd(method, path, asked)
  const [seen] = (yield* tap.seen).filter((_) => _.url.startsWith(oddBase))
  return { answer, seen }
})

export const oddBase = "/odd/v2"
