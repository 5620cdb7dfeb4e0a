import { Effect } from "effect"
import { operator } from "../harness/Cast.ts"
import type { Success } from "../routes/Success.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { nextOf } from "../routes/nextOf.ts"

/** Somebody who has never been here. */
const somebody = Effect.sync(() => {
  const signedUp = nextOf("signups")
  return { email: `ann@signup-${signedUp}.example`, org_name: `Signup ${signedUp}` }
})

/** A signup that waits, and a decision about it. */
const signup = (decision: string, body?: unknown): Success["prepare"] =>
  Effect.gen(function* () {
    const { call } = yield* TestGateway
    const request = yield* somebody
    yield* call("customer", "POST", "/v1/signup", { body: request })
    const pending = yield* call("operator", "GET", "/v1/signups?state=pending&limit=1000", { token: operator })
    const { signups } = jsonOf(pending)
    const { signup_id } = signups.find((_: { email: string }) => _.email === request.email)
    return { path: `/v1/signups/${signup_id}/${decision}`, body }
  })

export const signupSuccesses: Readonly<Record<string, Success>> = {
  "POST /v1/signup": { status: 202, prepare: Effect.map(somebody, (body) => ({ path: "/v1/signup", body })) },
  "GET /v1/signups": { status: 200, prepare: Effect.succeed({ path: "/v1/signups?state=pending&limit=2" }) },
  "GET /v1/signups/capacity": { status: 200, prepare: Effect.succeed({ path: "/v1/signups/capacity" }) },
  "POST /v1/signups/:signup_id/approve": { status: 200, prepare: signup("approve", { tier: "discovery" }) },
  "POST /v1/signups/:signup_id/reject": { status: 200, prepare: signup("reject") }
}
