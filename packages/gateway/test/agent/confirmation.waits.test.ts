import { assert, layer } from "@effect/vitest"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { inTime, pass } from "@portico/testing/clock"
import { sampled } from "@portico/testing/sample/sampled"
import { Effect, Layer } from "effect"
import { connected } from "../harness/agents.ts"
import { Cast } from "../harness/Cast.ts"
import { TestGateway } from "../harness/TestGateway.ts"
import { argumentsOf, everyWriteConfirmed, stories } from "./plans.ts"
import { called } from "./toolCalls.ts"

/** With the jobs that look after what tenants have. */
const Everything = Cast.layer.pipe(
  Layer.provideMerge(
    TestGateway.layerOf(
      Effect.map(Server, ({ url }) => ({
        ...gatewaySettings(url),
        ALARMS_SECONDS: "5",
        AUTOSCALING_SECONDS: "5",
        DELIVERIES_SECONDS: "5",
        EDGE_SECONDS: "10",
        SWEEP_SECONDS: "15",
        USAGE_SECONDS: "5"
      }))
    )
  ),
  Layer.provideMerge(TestGateway.cloud)
)

layer(Everything)("a plan that waits for a person's confirmation", (it) => {
  for (const { route, row, tool } of sampled("plans that wait", 8, stories)) {
    it.effect(`of ${tool} is not outdated by unrelated changes`, () =>
      Effect.gen(function* () {
        const { acme } = yield* Cast
        yield* everyWriteConfirmed
        const given = argumentsOf(route, yield* inTime(row.prepare))
        // What has just been made is there.
        yield* pass(30)
        const client = yield* connected(acme.tokens[1])
        const { body } = yield* inTime(called(client, tool, given))
        assert.isString(body["plan_id"], JSON.stringify(body))
        yield* pass(240)
        const answer = yield* inTime(called(client, "plan_apply", { plan_id: body["plan_id"] }))
        assert.isFalse(answer.isError, JSON.stringify(answer.body))
        if (row.after !== undefined) yield* inTime(row.after)
      }).pipe(Effect.scoped)
    )
  }
})
