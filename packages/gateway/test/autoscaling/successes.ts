import { publicImageId } from "@portico/simulator/glance/state"
import { Memory } from "@portico/testing/store/Memory"
import { Effect } from "effect"
import { Cast } from "../harness/Cast.ts"
import type { Success } from "../routes/Success.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { nextOf } from "../routes/nextOf.ts"

const template = { flavor_id: "2", image_id: publicImageId }
const policies = [{ name: "up", adjustment: 1, cooldown_seconds: 0 }]

const wanted = () => ({ name: `group-${nextOf("autoscaling")}`, min: 0, max: 5, template, policies })

/** What earlier calls made goes: a tenant has not many places, and nobody attends to its groups here. */
const places = Effect.gen(function* () {
  const { acme, globex } = yield* Cast
  const { autoscalingGroups } = yield* Memory
  for (const { group_id, project_id } of autoscalingGroups.values()) {
    if (project_id === acme.projectId || project_id === globex.projectId) autoscalingGroups.delete(group_id)
  }
})

const group = (rest = "", body?: object): Success["prepare"] =>
  Effect.gen(function* () {
    yield* places
    const { acme } = yield* Cast
    const { call } = yield* TestGateway
    const asked = { token: acme.tokens[1], body: wanted() }
    const { group_id } = jsonOf(yield* call("customer", "POST", "/v1/autoscaling/groups", asked))
    return { path: `/v1/autoscaling/groups/${group_id}${rest}`, body }
  })

const elsewhere = {
  status: 404,
  body: (path: string) => ({
    detail: `Autoscaling group '${path.split("/")[4]}' not found`,
    code: "autoscaling_group_not_found"
  })
}

/** The rows of the matrix for autoscaling groups. */
export const autoscalingSuccesses: Readonly<Record<string, Success>> = {
  "GET /v1/autoscaling/groups": { status: 200, prepare: Effect.succeed({ path: "/v1/autoscaling/groups" }) },
  "POST /v1/autoscaling/groups": {
    status: 201,
    prepare: Effect.map(places, () => ({ path: "/v1/autoscaling/groups", body: wanted() }))
  },
  "GET /v1/autoscaling/groups/:group_id": { status: 200, prepare: group(), elsewhere },
  "PATCH /v1/autoscaling/groups/:group_id": { status: 200, prepare: group("", { desired: 1 }), elsewhere },
  "DELETE /v1/autoscaling/groups/:group_id": { status: 202, prepare: group(), elsewhere },
  "POST /v1/autoscaling/groups/:group_id/policies/:policy/trigger": {
    status: 200,
    prepare: group("/policies/up/trigger"),
    elsewhere
  }
}
