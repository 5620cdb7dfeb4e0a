import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Authenticated, Validated, WellFormed } from "./Access.ts"
import { BadGateway, Conflict, Forbidden, NotFound } from "./Failures.ts"
import { Tier } from "./Tiers.ts"

/** -1 is unlimited. */
const Usage = Schema.Struct({ limit: Schema.Int, used: Schema.Int }).annotate({ identifier: "QuotaUsage" })

/** Memory in MiB, storage in GiB. */
export const Quotas = Schema.Struct({
  project_id: Schema.String,
  tier: Tier,
  suspended: Schema.Boolean,
  compute: Schema.Struct({ cores: Usage, ram: Usage, instances: Usage }),
  block_storage: Schema.Struct({ volumes: Usage, gigabytes: Usage, backups: Usage, backup_gigabytes: Usage }),
  network: Schema.Struct({ networks: Usage, routers: Usage, floating_ips: Usage }),
  load_balancers: Usage
}).annotate({ identifier: "Quotas" })
export type Quotas = typeof Quotas.Type

/** Both planes. */
export class QuotasGroup extends HttpApiGroup.make("quotas")
  .add(
    HttpApiEndpoint.get("show", "/quotas", {
      query: { project: Schema.optionalKey(Schema.String) },
      success: Quotas,
      error: [Forbidden, NotFound, Conflict, BadGateway]
    })
  )
  .middleware(WellFormed)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}
