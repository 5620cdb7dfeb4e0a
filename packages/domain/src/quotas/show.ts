import type { Caller } from "@portico/contract/Access"
import { Conflict, Forbidden } from "@portico/contract/Failures"
import type { Quotas } from "@portico/contract/Quotas"
import { Cinder } from "@portico/upstream/cinder/Cinder"
import { Neutron } from "@portico/upstream/neutron/Neutron"
import { Nova } from "@portico/upstream/nova/Nova"
import { Octavia } from "@portico/upstream/octavia/Octavia"
import { Effect } from "effect"
import { badGateway } from "../badGateway.ts"
import { tierOf } from "../tenants/tierOf.ts"

/**
 * The limits and usage of a tenant, as the services that enforce them tell.
 *
 * @param override `?project=`, for platform administrators alone: the refusal to everybody else is the same whether or not the project exists
 *
 * Errors: 403, 404 and 409 as above; 502 when a service cannot be read; 503 when the tier cannot.
 */
export const showQuotas = Effect.fn("quotas.show")(function* (caller: Caller, override: string | undefined) {
  if (override !== undefined && !caller.admin) return yield* Forbidden.projectOverride()
  const projectId = override ?? caller.tenant?.projectId
  if (projectId === undefined) return yield* Conflict.tenantRequired()
  const { suspended, tier } = yield* tierOf(projectId)

  const [nova, cinder, neutron, octavia] = yield* Effect.all(
    [
      (yield* Nova).readQuotas(projectId),
      (yield* Cinder).readQuotas(projectId),
      (yield* Neutron).readQuotas(projectId),
      (yield* Octavia).readQuotas(projectId)
    ],
    { concurrency: "unbounded" }
  ).pipe(Effect.catchTag("UpstreamError", badGateway))

  return {
    project_id: projectId,
    tier,
    suspended,
    compute: { cores: inUse(nova.cores), ram: inUse(nova.ram), instances: inUse(nova.instances) },
    block_storage: {
      volumes: inUse(cinder.volumes),
      gigabytes: inUse(cinder.gigabytes),
      backups: inUse(cinder.backups),
      backup_gigabytes: inUse(cinder.backup_gigabytes)
    },
    network: { networks: used(neutron.network), routers: used(neutron.router), floating_ips: used(neutron.floatingip) },
    load_balancers: inUse(octavia)
  } satisfies Quotas
})

// The services do not agree on the word for what is used.
const inUse = (_: { readonly limit: number; readonly in_use: number }) => ({ limit: _.limit, used: _.in_use })
const used = (_: { readonly limit: number; readonly used: number }) => ({ limit: _.limit, used: _.used })
