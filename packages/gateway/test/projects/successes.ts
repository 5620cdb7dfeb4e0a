import { Effect } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import type { Success } from "../routes/Success.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { nextOf } from "../routes/nextOf.ts"

const acmes = (rest = ""): Success["prepare"] =>
  Effect.map(Cast, ({ acme }) => ({ path: `/v1/projects/${acme.projectId}${rest}` }))

const absent = {
  status: 404,
  body: (path: string) => ({
    detail: `Project '${path.split("/")[3]?.split("?")[0]}' not found`,
    code: "project_not_found"
  })
}

/** Acme is as it was before its deletion was asked for, and nobody has begun with it. */
const liveAgain = Effect.gen(function* () {
  const { acme } = yield* Cast
  const { call } = yield* TestGateway
  yield* call("operator", "POST", `/v1/tenants/${acme.projectId}/deletion/cancel`, { token: operator })
})

/** A tenant that nobody else's call is about, and whose deletion has just begun. */
const condemned = Effect.gen(function* () {
  const { call } = yield* TestGateway
  const name = `doomed-${nextOf("projects")}`
  const answer = yield* call("operator", "POST", "/v1/tenants", { token: operator, body: { name } })
  const id = jsonOf(answer).tenant.project_id
  yield* call("operator", "DELETE", `/v1/projects/${id}?confirm=${name}`, { token: operator })
  return { path: `/v1/tenants/${id}/deletion/cancel` }
})

export const projectSuccesses: Readonly<Record<string, Success>> = {
  "GET /v1/projects": { status: 200, prepare: Effect.succeed({ path: "/v1/projects" }) },
  "GET /v1/projects/:project_id": { status: 200, prepare: acmes(), elsewhere: absent },
  "GET /v1/projects/:project_id/contents": { status: 200, prepare: acmes("/contents"), elsewhere: absent },
  "DELETE /v1/projects/:project_id": {
    status: 202,
    prepare: acmes("?confirm=acme"),
    after: liveAgain,
    elsewhere: absent,
    hides: true,
    roles: {
      allowed: ["customer-owner"],
      refusal: {
        status: 403,
        body: {
          detail: "This action requires the role customer-owner in the account, or the platform administrator role",
          code: "owner_required"
        }
      }
    }
  },
  "POST /v1/tenants/:project_id/deletion/cancel": { status: 200, prepare: condemned }
}
