import { NodeRuntime } from "@effect/platform-node"
import * as Store from "@portico/store/Store"
import { Effect, Layer } from "effect"
import * as Gateway from "./Gateway.ts"
import { CustomerAddress, OperatorAddress } from "./Planes.ts"

/** The gateway in production: live upstreams, PostgreSQL at `DATABASE_URL`, every setting from the environment. */
const Announcement = Layer.effectDiscard(
  Effect.gen(function* () {
    const customer = yield* CustomerAddress
    const operator = yield* OperatorAddress
    yield* Effect.logInfo("portico is up", { customer: customer.url, operator: operator.url })
  })
)

Announcement.pipe(Layer.provide(Gateway.layer), Layer.provide(Store.layer), Layer.launch, NodeRuntime.runMain)
