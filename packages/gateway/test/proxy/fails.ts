import { assert } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import type { Asked } from "../harness/http.ts"
import { bearer } from "../harness/Loner.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import type { Breach } from "./breaches.ts"

const outcomes: ReadonlyArray<readonly [method: string, asked: Asked]> = [
  ["GET", {}],
  ["POST", { body: Buffer.alloc(20_000, "x") }]
]

/** The client is told of it, in one way or the other; what it gets never looks like the whole answer. */
export const fails = Effect.fnUntraced(function* (path: string, index: number, outcome: Breach["outcome"]) {
  const [method, { body }] = outcomes[index % outcomes.length] ?? ["", {}]
  const headers = { connection: "close" }
  const { call } = yield* TestGateway
  const exit = yield* Effect.exit(call("customer", method, `/v1/iaas/${path}`, { token: bearer, headers, body }))
  if (outcome === "broken")
    return assert.include(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : exit.value.text, "broke off")
  if (Exit.isFailure(exit)) return assert.fail(Cause.pretty(exit.cause))
  const { detail, ...more } = jsonOf(exit.value)
  assert.deepStrictEqual([exit.value.status, more], [502, { code: "upstream_failed", transient: true }])
  assert.match(detail, outcome)
})
