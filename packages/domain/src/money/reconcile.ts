import { Tenants } from "@portico/store/Tenants"
import { Billing } from "@portico/upstream/billing/Billing"
import { Inventory, type InventoryType, inventoryTypes } from "@portico/upstream/billing/Inventory"
import { Clock, Effect } from "effect"

/**
 * Sends the billing service a list of the resources that exist. It then ends
 * the billing of resources that ended without a call through the gateway:
 * volumes deleted with their server, and calls whose answer was lost. It begins
 * the billing of those that began so, such as volumes made with their server.
 *
 * Any replica may run it, and repeat it. A type whose list cannot be read
 * completely is skipped, because the billing service would take what is missing
 * for deleted.
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
    // Taken before the list is read: the billing service leaves anything younger alone.
    const at = yield* Clock.currentTimeMillis
    const resources = yield* (yield* Inventory).list(type)
    const { changed } = yield* api.reconcile({ at, type, projects, resources })
    if (changed > 0) yield* Effect.annotateLogs(Effect.logInfo("the billing ledger was corrected"), { type, changed })
  },
  (effect, type) =>
    Effect.catchTag(effect, "UpstreamError", ({ summary }) =>
      Effect.annotateLogs(Effect.logWarning("the billing ledger could not be reconciled with the platform"), {
        type,
        why: summary
      })
    )
)
