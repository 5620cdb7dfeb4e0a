import { Effect, Schema } from "effect"
import { kindOf, type Table } from "../projectResources/listing.ts"
import { controlled } from "../openstack/openstack.ts"

const LoadBalancer = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  project_id: Schema.String,
  provisioning_status: Schema.String
})

const loadBalancers: Table<typeof LoadBalancer.Type> = {
  service: "load-balancer",
  name: "loadbalancers",
  path: "/lbaas/loadbalancers",
  collection: "loadbalancers",
  billed: "load_balancer",
  item: LoadBalancer,
  query: (projectId) => ({ project_id: projectId }),
  paging: { by: "marker", limit: 500 },
  // Removes its listeners, pools and members too.
  removal: { cascade: "true" },
  toListed: ({ id, name, project_id, provisioning_status: status }) => ({
    id,
    name,
    project: status === "DELETED" ? undefined : project_id,
    busy: status.startsWith("PENDING_")
  })
}

export const octaviaResources = Effect.gen(function* () {
  const octavia = yield* controlled("octavia", "load-balancer")
  return { loadBalancers: kindOf(loadBalancers, { system: () => octavia }) }
})
