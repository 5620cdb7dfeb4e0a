import { Tenants } from "@portico/store/Tenants"
import { Billing } from "@portico/upstream/billing/Billing"
import { Inventory, type InventoryType, inventoryTypes } from "@portico/upstream/billing/Inventory"
import { Clock, Effect } from "effect"

/**
 * Tells the billing service what there is, so that what ended without a call
 * through the gateway is not billed for ever: the volumes that went with their
 * server, the further servers of one create, a call whose answer never came.
 * Any replica may run it, and repeat it. A type whose list cannot be had whole
 * is left out, because what is missing in it would be taken for gone.
 */
export const reconcileBilling = Effect.gen(function* () {
  const { api } = yield* Billing
  if (api === undefined) return
  const projects = (yield* (yield* Tenants).list).map((_) => _.project_id)
  yield* Effect.forEach(inventoryTypes, (type) => reconcileType(type, projects), { discard: true })
}).pipe(Effect.withSpan("billing.reconcile"))

const reconcileType = Effect.fnUntraced(
  function* (type: InventoryType, projects: ReadonlyArray<string>) {
    const { api } = yield* Billing
    if (api === undefined) return
    // Before the list is read: what is made meanwhile is younger, and left alone.
    const at = yield* Clock.currentTimeMillis
    const resources = yield* (yield* Inventory).list(type)
    const { changed } = yield* api.reconcile({ at, type, projects, resources })
    if (changed > 0) yield* Effect.annotateLogs(Effect.logInfo("the ledger was made good"), { type, changed })
  },
  (effect, type) =>
    Effect.catchTag(effect, "UpstreamError", ({ sentence }) =>
      Effect.annotateLogs(Effect.logWarning("the ledger is not compared with the platform"), { type, why: sentence })
    )
)
