import { Effect } from "effect"
import { Cast } from "../harness/Cast.ts"
import type { Success } from "../routes/Success.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { nextOf } from "../routes/nextOf.ts"

/** Whoever asks has room: their tier allows one exposure. */
const room = Effect.gen(function* () {
  const { call } = yield* TestGateway
  const { acme, globex } = yield* Cast
  for (const { tokens } of [acme, globex]) {
    const token = tokens[2]
    const { exposures } = jsonOf(yield* call("customer", "GET", "/v1/edge/exposures", { token }))
    for (const { exposure_id } of exposures) {
      yield* call("customer", "DELETE", `/v1/edge/exposures/${exposure_id}`, { token })
    }
  }
})

/** A Service that need not be there, with a domain of its own. */
const request = Effect.map(room, () => {
  const made = nextOf("edge")
  const body = { name: `matrix-${made}`, target: { service: "web", port: 80 }, domain: `m${made}.matrix.example` }
  return { path: "/v1/edge/exposures", body }
})

const exposure = (rest = "") =>
  Effect.gen(function* () {
    const { call } = yield* TestGateway
    const { acme } = yield* Cast
    const { body, path } = yield* request
    const answer = yield* call("customer", "POST", path, { token: acme.tokens[1], body })
    return { path: `${path}/${jsonOf(answer).exposure_id}${rest}` }
  })

const absent = {
  status: 404,
  body: (path: string) => ({ detail: `Exposure '${path.split("/")[4]}' not found`, code: "exposure_not_found" })
}

/** The rows of the matrix for exposures. */
export const edgeSuccesses: Readonly<Record<string, Success>> = {
  "GET /v1/edge/exposures": { status: 200, prepare: Effect.map(exposure(), () => ({ path: "/v1/edge/exposures" })) },
  "POST /v1/edge/exposures": { status: 201, prepare: request },
  "GET /v1/edge/exposures/:exposure_id": { status: 200, prepare: exposure(), elsewhere: absent },
  "DELETE /v1/edge/exposures/:exposure_id": { status: 200, prepare: exposure(), elsewhere: absent },
  "POST /v1/edge/exposures/:exposure_id/verify": { status: 200, prepare: exposure("/verify"), elsewhere: absent },
  "POST /v1/edge/resync": { status: 200, prepare: Effect.map(exposure(), () => ({ path: "/v1/edge/resync" })) }
}
