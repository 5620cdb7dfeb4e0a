import { Result } from "effect"
import { randomUUID } from "node:crypto"
import { has, type JsonObject, objectAt } from "../Json.ts"
import type { Scope } from "../keystone/state.ts"
import { type Answer, empty, type Incoming, json, type Routes, type Step } from "../Wire.ts"
import { toSeconds } from "../times.ts"
import { bodyOf, issue, schemaViolation, policyRefused, refuse } from "./answers.ts"
import { orderedSecret } from "./newSecret.ts"
import { adminOrCreator, allButAudit, allUsers, call, permit, type Request } from "./policy.ts"
import { oneMore } from "./quotas.ts"
import { find, oldestFirst, pageOf, refOf } from "./refs.ts"
import { settle } from "./settle.ts"
import type { Order } from "./state.ts"

const show = (incoming: Incoming, order: Order) => ({
  order_ref: refOf(incoming, "orders", order.id),
  type: order.type,
  meta: order.meta,
  status: order.status,
  sub_status: "Unknown",
  sub_status_message: "Unknown",
  creator_id: order.creator_id,
  created: toSeconds(order.created),
  updated: toSeconds(order.updated),
  ...(order.secret_id === null ? {} : { secret_ref: refOf(incoming, "secrets", order.secret_id) }),
  ...(order.container_id === null ? {} : { container_ref: refOf(incoming, "containers", order.container_id) }),
  ...(order.error === null ? {} : { error_status_code: "500", error_reason: order.error })
})

const typeOf = (given: JsonObject): Order["type"] | undefined => {
  const type = given["type"]
  return type === "key" || type === "asymmetric" || type === "certificate" ? type : undefined
}

const checkMeta = (operation: string, type: Order["type"], meta: Order["meta"], now: number): Step<void> =>
  Result.gen(function* () {
    if ("payload" in meta) {
      return yield* schemaViolation("Order", `'payload' not allowed for ${type} type order`, "meta")
    }
    if (type === "certificate") return
    yield* orderedSecret(operation, meta, now)
    const wanted = type === "key" ? "key" : "asymmetric key"
    const missing = ["algorithm", "bit_length"].find((_) => !meta[_])
    if (missing !== undefined) {
      return yield* schemaViolation("Order", `'${missing}' is required field for ${wanted} type order`, "meta")
    }
    if (Number(meta["bit_length"]) % 8 !== 0) {
      return yield* issue(400, operation, "Provided field value is not supported")
    }
  })

const create = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const operation = "Order creation"
    const { barbican, incoming, scope } = request
    const { now } = incoming
    yield* permit(request, operation, adminOrCreator)
    const given = yield* bodyOf(incoming, operation, "Order")
    const type = typeOf(given)
    if (type === undefined) {
      return yield* schemaViolation(
        "Order",
        `'${String(given["type"])}' is not one of ['key', 'asymmetric', 'certificate']`,
        "type"
      )
    }
    if (!has(given, "meta")) return yield* schemaViolation("Order", "'meta' is a required property", "meta")
    const meta = objectAt(given, "meta")
    yield* checkMeta(operation, type, meta, now)
    const held = Object.values(barbican.orders).filter((_) => _.project_id === scope.projectId).length
    yield* oneMore(request, operation, "orders", held)
    const order: Order = {
      id: randomUUID(),
      project_id: scope.projectId,
      creator_id: scope.userId,
      type,
      meta,
      created: now,
      updated: now,
      ready_from: now + barbican.orderMillis,
      status: "PENDING",
      secret_id: null,
      container_id: null,
      error: null
    }
    barbican.orders[order.id] = order
    settle(barbican, now)
    const order_ref = refOf(incoming, "orders", order.id)
    return json(202, { order_ref }, { location: order_ref })
  })

const list = (request: Request): Step<Answer> =>
  Result.map(permit(request, "Order(s) retrieval", allButAudit), () => {
    const { barbican, incoming, scope } = request
    const found = Object.values(barbican.orders)
      .filter((_) => _.project_id === scope.projectId)
      .toSorted(oldestFirst)
      .map((_) => show(incoming, _))
    return json(200, pageOf(request, "orders", "orders", found))
  })

/** Unlike secrets and containers, orders are looked up in the token's project only. */
const own = (request: Request, operation: string, rule: (scope: Scope) => boolean): Step<Order> =>
  Result.gen(function* () {
    const order = yield* find(request, request.barbican.orders, "Order")
    if (order.project_id !== request.scope.projectId) return yield* refuse(404, "Order not found.")
    return rule(request.scope) ? order : yield* policyRefused(operation)
  })

/** Only an administrator of the project may delete an order; its creator may not. */
const remove = (request: Request): Step<Answer> =>
  Result.map(
    own(request, "Order deletion", (_) => _.admin),
    ({ id }) => {
      delete request.barbican.orders[id]
      return empty(204)
    }
  )

export const orderRoutes: Routes = {
  "GET /v1/orders": call(list),
  "POST /v1/orders": call(create),
  "PUT /v1/orders": call(() => refuse(405, "Order update is not supported.")),
  "GET /v1/orders/:id": call((request) =>
    Result.map(own(request, "Order retrieval", allUsers), (_) => json(200, show(request.incoming, _)))
  ),
  "DELETE /v1/orders/:id": call(remove)
}
