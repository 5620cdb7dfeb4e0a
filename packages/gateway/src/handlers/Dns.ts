import { CurrentTenant } from "@portico/contract/Access"
import { apiOf } from "@portico/contract/Api"
import { Dns } from "@portico/contract/Dns"
import { pageRequestOf } from "@portico/contract/Page"
import { createZone } from "@portico/domain/dns/createZone"
import { checkDelegation } from "@portico/domain/dns/delegation"
import { importZone } from "@portico/domain/dns/importZone"
import { changeRecordset, createRecordset, listRecordsets, removeRecordset } from "@portico/domain/dns/recordsets"
import { changeZone, listZones, removeZone, showZone } from "@portico/domain/dns/zones"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { exact } from "./exact.ts"
import { mayDestroy } from "../middleware/access.ts"

const tenant = Effect.map(CurrentTenant, (_) => _.projectId)

export const DnsHandlers = HttpApiBuilder.group(apiOf(Dns), "dns", (handlers) =>
  handlers.handleAll(
    exact(handlers, {
      zones: ({ query }) => Effect.flatMap(tenant, (_) => listZones(_, pageRequestOf(query), query.name)),
      createZone: ({ payload }) => Effect.flatMap(tenant, (_) => createZone(_, payload)),
      showZone: ({ params }) => Effect.flatMap(tenant, (_) => showZone(_, params.zone_id)),
      changeZone: ({ params, payload }) => Effect.flatMap(tenant, (_) => changeZone(_, params.zone_id, payload)),
      removeZone: ({ params }) => Effect.flatMap(tenant, (_) => removeZone(_, params.zone_id)),
      recordsets: ({ params, query }) =>
        Effect.flatMap(tenant, (_) => listRecordsets(_, params.zone_id, query, pageRequestOf(query))),
      createRecordset: ({ params, payload }) =>
        Effect.flatMap(tenant, (_) => createRecordset(_, params.zone_id, payload)),
      changeRecordset: ({ params, payload }) =>
        Effect.flatMap(tenant, (_) => changeRecordset(_, params.zone_id, params.recordset_id, payload)),
      removeRecordset: ({ params }) =>
        Effect.flatMap(tenant, (_) => removeRecordset(_, params.zone_id, params.recordset_id)),
      importZone: ({ endpoint, params, payload }) =>
        Effect.andThen(
          mayDestroy(endpoint, payload),
          Effect.flatMap(tenant, (_) => importZone(_, params.zone_id, payload))
        ),
      delegation: ({ params }) => Effect.flatMap(tenant, (_) => checkDelegation(_, params.zone_id))
    })
  )
)
