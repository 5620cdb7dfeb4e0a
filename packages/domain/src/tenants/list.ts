import { Tenants } from "@portico/store/Tenants"
import { Effect } from "effect"
import { tenantRow } from "./change.ts"

/** Every live tenant, oldest first. */
export const listTenants = Effect.fn("tenants.list")(function* () {
  const tenants = (yield* (yield* Tenants).list).map(tenantRow)
  return { count: tenants.length, tenants }
})
