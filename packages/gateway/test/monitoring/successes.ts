import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Memory } from "@portico/testing/store/Memory"
import { Effect } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import { serverIn } from "./instances.ts"
import type { Success } from "../routes/Success.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"

const at = (path: string): Success["prepare"] => Effect.succeed({ path })

const instance = Effect.gen(function* () {
  const { acme } = yield* Cast
  return yield* serverIn(yield* SimulatedCloud, acme.projectId, "00000000-0000-4000-8000-00000000acfe")
})

const rule = Effect.map(instance, (instance_id) => ({ metric: "cpu", instance_id, comparison: "gt", threshold: 90 }))

/** What earlier calls made goes: a tenant has not many places. */
const places = Effect.map(Memory, ({ alarms }) => alarms.clear())

const wanted = Effect.gen(function* () {
  yield* places
  return { path: "/v1/alarms", body: { name: "hot", rule: yield* rule } }
})

/** Globex has no such instance. */
const noInstance = (body: (path: string) => unknown) => ({ status: 404, body })

const alarm = (body?: object): Success["prepare"] =>
  Effect.gen(function* () {
    const { acme } = yield* Cast
    const asked = { token: acme.tokens[1], body: (yield* wanted).body }
    const { alarm_id } = jsonOf(yield* (yield* TestGateway).call("customer", "POST", "/v1/alarms", asked))
    return { path: `/v1/alarms/${alarm_id}`, body }
  })

const elsewhere = {
  status: 404,
  body: (path: string) => ({ detail: `Alarm '${path.split("/").at(-1)}' not found`, code: "alarm_not_found" })
}

const notice = Effect.gen(function* () {
  const asked = { token: operator, body: { title: "Slow disks" } }
  const made = jsonOf(yield* (yield* TestGateway).call("operator", "POST", "/v1/status/incidents", asked))
  return { path: `/v1/status/incidents/${made.incident_id}` }
})

const noNotices = Effect.map(Memory, ({ incidents }) => incidents.clear())

/** The rows of the matrix for the status, metrics, alarms and the operators' view of the platform. */
export const monitoringSuccesses: Readonly<Record<string, Success>> = {
  "GET /v1/status": { status: 200, prepare: at("/v1/status") },
  "POST /v1/status/incidents": {
    status: 201,
    prepare: Effect.succeed({ path: "/v1/status/incidents", body: {} }),
    after: noNotices
  },
  "DELETE /v1/status/incidents/:incident_id": { status: 200, prepare: notice },
  "GET /v1/metrics/instances/:id/history": {
    status: 200,
    prepare: Effect.map(instance, (id) => ({ path: `/v1/metrics/instances/${id}/history?metric=memory&step=60` })),
    elsewhere: noInstance((path) => ({
      detail: `Instance '${path.split("/")[4]}' not found`,
      code: "instance_not_found"
    }))
  },
  "GET /v1/alarms": { status: 200, prepare: at("/v1/alarms?state=ok") },
  "POST /v1/alarms": {
    status: 201,
    prepare: wanted,
    elsewhere: noInstance(() => ({
      detail: "Instance '00000000-0000-4000-8000-00000000acfe' not found",
      code: "instance_not_found"
    }))
  },
  "GET /v1/alarms/:alarm_id": { status: 200, prepare: alarm(), elsewhere },
  "PATCH /v1/alarms/:alarm_id": { status: 200, prepare: alarm({ enabled: false }), elsewhere },
  "DELETE /v1/alarms/:alarm_id": { status: 200, prepare: alarm(), elsewhere },
  "GET /v1/monitoring/overview": { status: 200, prepare: at("/v1/monitoring/overview") },
  "GET /v1/monitoring/fleet": { status: 200, prepare: at("/v1/monitoring/fleet") },
  "GET /v1/monitoring/upstreams": { status: 200, prepare: at("/v1/monitoring/upstreams") },
  "GET /v1/capacity": { status: 200, prepare: at("/v1/capacity") }
}
