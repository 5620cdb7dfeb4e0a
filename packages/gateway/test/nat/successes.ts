import { Effect } from "effect"
import { Cast } from "../harness/Cast.ts"
import type { Success } from "../routes/Success.ts"
import { TestGateway } from "../harness/TestGateway.ts"

/** Acme's gateway is there, whoever turned it off. */
const there = Effect.gen(function* () {
  const { acme } = yield* Cast
  const { call } = yield* TestGateway
  yield* call("customer", "POST", "/v1/nat-gateways", { token: acme.tokens[2] })
  return { path: `/v1/nat-gateways/ngw-${acme.routerId}` }
})

/** It was turned off. */
export const turnedOn: Success = {
  status: 201,
  prepare: Effect.gen(function* () {
    const { acme } = yield* Cast
    const { path } = yield* there
    yield* (yield* TestGateway).call("customer", "DELETE", path, { token: acme.tokens[2] })
    return { path: "/v1/nat-gateways" }
  })
}

const elsewhere = {
  status: 404,
  body: (path: string) => ({
    detail: `NAT gateway '${path.split("/").at(-1)}' not found`,
    code: "nat_gateway_not_found"
  })
}

export const natSuccesses: Readonly<Record<string, Success>> = {
  "GET /v1/nat-gateways": { status: 200, prepare: Effect.succeed({ path: "/v1/nat-gateways" }) },
  "POST /v1/nat-gateways": { status: 201, prepare: Effect.succeed({ path: "/v1/nat-gateways" }) },
  "GET /v1/nat-gateways/:ngw_id": { status: 200, prepare: there, elsewhere },
  "DELETE /v1/nat-gateways/:ngw_id": { status: 200, prepare: there, elsewhere }
}
