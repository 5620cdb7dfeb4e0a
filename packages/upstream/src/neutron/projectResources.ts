import { Effect, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { kindOf, type Table } from "../projectResources/listing.ts"
import type { Kind } from "../projectResources/Kind.ts"
import { controlled } from "../openstack/openstack.ts"
import { putJson } from "../requests.ts"

const Thing = Schema.Struct({
  id: Schema.String,
  project_id: Schema.String,
  name: Schema.optionalKey(Schema.String),
  floating_ip_address: Schema.optionalKey(Schema.String),
  object_type: Schema.optionalKey(Schema.String),
  device_owner: Schema.optionalKey(Schema.String),
  device_id: Schema.optionalKey(Schema.String)
})
type Thing = typeof Thing.Type

/**
 * @param collection as in the response; the path has hyphens instead of underscores
 * @param more `fields`: what is read of each beside its owner and id. The rest stays away, because tenants choose how
 * much it is: an address group may have any number of addresses.
 */
const table = (
  collection: string,
  { fields = ["name"], ...more }: Partial<Table<Thing>> & { readonly fields?: ReadonlyArray<string> } = {}
): Table<Thing> => ({
  service: "network",
  name: collection,
  path: `/${collection.replaceAll("_", "-")}`,
  collection,
  item: Thing,
  // Neutron fills `project_id` from `tenant_id`.
  query: (projectId) => ({ project_id: projectId, fields: ["id", "project_id", "tenant_id", ...fields] }),
  paging: { by: "marker", limit: 500 },
  toListed: ({ floating_ip_address, id, name, object_type, project_id }) => ({
    id,
    name: floating_ip_address ?? object_type ?? name,
    project: project_id
  }),
  ...more
})

/** Ports of routers and other services go with their owners, and a project cannot remove them. */
const isTheServices = ({ device_owner = "" }: Thing): boolean => device_owner.startsWith("network:")

const ports = table("ports", {
  fields: ["name", "device_owner"],
  toListed: (port) => ({ id: port.id, name: port.name, project: isTheServices(port) ? undefined : port.project_id })
})

const interfaceOwners = /^network:(router_interface|router_interface_distributed|ha_router_replicated_interface)$/

const interfacePorts = table("ports", {
  name: "router_interfaces",
  fields: ["device_owner"],
  toListed: ({ device_owner = "", id, project_id }) => ({
    id,
    name: id,
    project: interfaceOwners.test(device_owner) ? project_id : undefined
  })
})

const ShownPort = Schema.Struct({ port: Schema.Struct({ device_id: Schema.String }) })
const ShownRouter = Schema.Struct({ router: Schema.Struct({ project_id: Schema.String }) })
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Neutron creates the default group by itself, even on a list. It is removed last. */
const securityGroups = table("security_groups", {
  toListed: ({ id, name, project_id }) => ({ id, name, project: name === "default" ? undefined : project_id })
})

/** Networks and the resources that depend on them. */
export const neutronResources = Effect.gen(function* () {
  const neutron = yield* controlled("neutron", "network")
  const kind = (of: Table<Thing>) => kindOf(of, { system: () => neutron })

  const fieldsOf = (path: string, ...fields: ReadonlyArray<string>) =>
    HttpClientRequest.get(path, { urlParams: { fields } })

  const isRouterOf = Effect.fnUntraced(function* (projectId: string, id: string) {
    if (!uuid.test(id)) return false
    const request = fieldsOf(`/routers/${id}`, "project_id", "tenant_id")
    return (yield* neutron.find("show router", request, ShownRouter))?.router.project_id === projectId
  })

  const routerInterfaces: Kind = {
    ...kind(interfacePorts),
    // A port's `device_id` is for the tenant to write, and may name anything: only the project's own router is asked to
    // let go of a port. Neutron takes the port of any other device, and of none, for an ordinary one.
    remove: Effect.fnUntraced(function* (projectId, id) {
      const shown = yield* neutron.find(
        "show port",
        fieldsOf(`/ports/${encodeURIComponent(id)}`, "device_id"),
        ShownPort
      )
      if (shown === undefined) return
      const router = shown.port.device_id
      const request = (yield* isRouterOf(projectId, router))
        ? putJson(`/routers/${router}/remove_router_interface`, { port_id: id })
        : HttpClientRequest.delete(`/ports/${encodeURIComponent(id)}`)
      yield* neutron.remove("remove router_interfaces", request)
    })
  }
  return {
    floatingIps: kind(table("floatingips", { fields: ["floating_ip_address"], billed: "floating_ip" })),
    trunks: kind(table("trunks", { optional: true })),
    routerInterfaces,
    routers: kind(table("routers")),
    ports: kind(ports),
    rbacPolicies: kind(table("rbac_policies", { fields: ["object_type"], optional: true })),
    subnets: kind(table("subnets")),
    networks: kind(table("networks")),
    securityGroups: kind(securityGroups),
    addressGroups: kind(table("address_groups", { optional: true })),
    subnetPools: kind(table("subnetpools", { optional: true })),
    addressScopes: kind(table("address_scopes", { optional: true }))
  }
})
