import { Result } from "effect"
import { type Answer, empty, json, type Routes, type Step } from "../Wire.ts"
import { notFound, refuse } from "./errors.ts"
import { dropGateway, setGateway } from "./gateways.ts"
import { attachSubnet } from "./interfaces.ts"
import { networks } from "./networks.ts"
import { call, newThing, param, type Request } from "./request.ts"
import { routers } from "./routers.ts"
import { subnets } from "./subnets.ts"
import type { Network, NeutronState, Topology } from "./state.ts"

const projectOf = (request: Request): Step<string> => {
  const { scope } = request
  const named = param(request, "project")
  const project = ["None", "null"].includes(named) ? scope.projectId : named
  return scope.admin || scope.projectId === project
    ? Result.succeed(project)
    : refuse(403, "NotAuthorized", "Not authorized.")
}

/** Stands for upstream's default subnet pool. */
const cidr = "10.255.0.0/26"

const outsideOf = (neutron: NeutronState): Step<Network> => {
  const outside = Object.values(neutron.networks).find((_) => _["router:external"] && _.is_default)
  const message = "Deployment error: No default router:external network."
  return outside === undefined ? refuse(409, "AutoAllocationFailure", message) : Result.succeed(outside)
}

/** Creates network, subnet, router, gateway and interface inside the plugins, without quota checks. */
const build = (request: Request, project: string): Step<Topology> =>
  Result.gen(function* () {
    const { neutron, now } = request
    const outside = yield* outsideOf(neutron)
    const named = (name: string) => newThing(now, project, { name: `auto_allocated_${name}` })
    const network = yield* networks.create(request, named("network"), {})
    neutron.networks[network.id] = network
    const given = { network_id: network.id, ip_version: 4, cidr }
    const subnet = yield* subnets.create(request, named("subnet_v4"), given)
    const router = yield* routers.create(request, named("router"), {})
    neutron.routers[router.id] = router
    yield* setGateway(request, router, { network_id: outside.id })
    yield* attachSubnet({ ...request, scope: { ...request.scope, admin: true } }, router, subnet.id)
    return { project_id: project, network_id: network.id, router_id: router.id }
  })

const show = ({ network_id, project_id }: Topology): Answer =>
  json(200, { auto_allocated_topology: { id: network_id, project_id, tenant_id: project_id } })

/** A GET that creates: the first one of a project creates the topology. */
const get = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { incoming, neutron } = request
    const project = yield* projectOf(request)
    const fields = incoming.query.getAll("fields").filter((_) => _ !== "")
    if (fields.includes("dry-run")) {
      yield* outsideOf(neutron)
      return json(200, { auto_allocated_topology: { id: "dry-run=pass", project_id: project, tenant_id: project } })
    }
    // A GET with `fields` is refused, except for the dry run, because it would create the topology.
    if (fields.length > 0) return yield* refuse(400, "BadRequest", "Bad auto_allocate request: Unrecognized field.")
    const found = neutron.auto_allocated_topologies[project]
    if (found !== undefined && neutron.networks[found.network_id] !== undefined) return show(found)
    const topology = yield* build(request, project)
    neutron.auto_allocated_topologies[project] = topology
    return show(topology)
  })

const remove = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { neutron } = request
    const project = yield* projectOf(request)
    const found = neutron.auto_allocated_topologies[project]
    if (found === undefined) return yield* notFound("AutoAllocatedTopology", project)
    const [network, router] = [neutron.networks[found.network_id], neutron.routers[found.router_id]]
    if (router !== undefined) {
      yield* dropGateway(neutron, router)
      for (const port of Object.values(neutron.ports)) if (port.device_id === router.id) delete neutron.ports[port.id]
      delete neutron.routers[router.id]
    }
    if (network !== undefined) {
      yield* networks.remove(request, network)
      delete neutron.networks[network.id]
    }
    delete neutron.auto_allocated_topologies[project]
    return empty(204)
  })

export const autoAllocationRoutes: Routes = {
  "GET /v2.0/auto-allocated-topology/:project": call(get),
  "DELETE /v2.0/auto-allocated-topology/:project": call(remove)
}
