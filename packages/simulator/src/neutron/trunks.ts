import { Result } from "effect"
import { assign, booleanAt, type JsonObject, objectAt, objectsAt, stringAt } from "../Json.ts"
import { json, type Routes, type Step } from "../Wire.ts"
import { anything, type Check, flag, named, owned, uuid } from "./attributes.ts"
import { failed, invalidInput, refuse } from "./errors.ts"
import { ports } from "./ports.ts"
import { call, param, type Request } from "./request.ts"
import { action, changed, common, type Kind, readable, referred } from "./resource.ts"
import type { SubPort, Trunk } from "./state.ts"
import { checkSegments, portsOnly, segmented, subPortList } from "./subPortForms.ts"
import { carrierOf, isTrunked } from "./trunkSubports.ts"

const parentInUse = (portId: string): Step<never> =>
  refuse(409, "ParentPortInUse", `Port ${portId} is currently in use and is not eligible for use as a parent port.`)

/** Another project's port does not exist. */
const subPort = (request: Request, asked: SubPort): Step<SubPort> =>
  Result.gen(function* () {
    const port = yield* referred(ports, request, asked.port_id)
    if (isTrunked(request.neutron, port.id)) return yield* parentInUse(port.id)
    if (carrierOf(request.neutron, port.id) !== undefined) {
      return yield* refuse(409, "TrunkPortInUse", `Port ${port.id} is in use by another trunk.`)
    }
    return { ...asked, port_id: port.id }
  })

/** The subports of a body that its form allows; `old` are those of the trunk. */
const subPorts = (request: Request, asked: unknown, old: ReadonlyArray<SubPort>): Step<ReadonlyArray<SubPort>> =>
  Result.gen(function* () {
    const found: Array<SubPort> = []
    for (const one of yield* segmented(asked)) found.push(yield* subPort(request, one))
    return [...old, ...found]
  })

/** A disabled trunk can only be enabled. */
const enabled = (trunk: Trunk): Step<void> =>
  trunk.admin_state_up ? Result.void : refuse(409, "TrunkDisabled", `Trunk ${trunk.id} is currently disabled.`)

export const trunks: Kind<Trunk> = {
  resource: "trunk",
  collection: "trunks",
  title: "Trunk",
  updates: true,
  attributes: {
    ...owned,
    ...named,
    admin_state_up: { check: flag, initial: true },
    port_id: { check: uuid, required: true, put: false },
    status: { check: anything, post: false, put: false },
    sub_ports: { check: subPortList, put: false, filter: false }
  },
  things: (neutron) => neutron.trunks,
  show: (_, trunk) => ({ ...common(trunk), status: "DOWN" }),
  create: (request, thing, given: JsonObject) =>
    Result.gen(function* () {
      const port = yield* referred(ports, request, stringAt(given, "port_id") ?? "")
      if (isTrunked(request.neutron, port.id) || port["binding:host_id"] !== "") return yield* parentInUse(port.id)
      const sub_ports = yield* subPorts(request, given["sub_ports"] ?? [], [])
      return { ...thing, admin_state_up: booleanAt(given, "admin_state_up") ?? true, port_id: port.id, sub_ports }
    }),
  update: (_, trunk, given) => {
    assign(trunk, given, { name: stringAt, description: stringAt, admin_state_up: booleanAt })
    return Result.void
  },
  remove: (_, trunk) => enabled(trunk)
}

/** The answer to a change of the subports is the trunk without an envelope. */
const changing = (rule: string, change: (request: Request, trunk: Trunk) => Step<ReadonlyArray<SubPort>>) =>
  action(trunks, rule, (request, trunk) =>
    Result.gen(function* () {
      if (!("sub_ports" in objectAt(request.incoming.json))) return yield* failed
      trunk.sub_ports = yield* change(request, trunk)
      return changed(trunks, request, trunk)
    })
  )

const asked = ({ incoming }: Request): unknown => objectAt(incoming.json)["sub_ports"]

const validated = (request: Request, check: Check = subPortList): Step<void> => {
  const checked = check(asked(request))
  return "wrong" in checked ? invalidInput(checked.wrong) : Result.void
}

export const subPortRoutes: Routes = {
  "GET /v2.0/trunks/:id/get_subports": call((request) =>
    Result.map(readable(trunks, request, param(request, "id")), ({ sub_ports }) => json(200, { sub_ports }))
  ),
  "PUT /v2.0/trunks/:id/add_subports": changing("add_subports", (request, trunk) =>
    Result.gen(function* () {
      yield* validated(request)
      const all = yield* subPorts(request, asked(request), trunk.sub_ports)
      yield* enabled(trunk)
      yield* checkSegments(trunk, all)
      return all
    })
  ),
  "PUT /v2.0/trunks/:id/remove_subports": changing("delete_subports", (request, trunk) =>
    Result.gen(function* () {
      yield* enabled(trunk)
      yield* validated(request, portsOnly)
      const gone = objectsAt(asked(request)).map((_) => stringAt(_, "port_id"))
      const absent = gone.find((id) => trunk.sub_ports.every((_) => _.port_id !== id))
      if (absent !== undefined) {
        const message = `SubPort ${absent} on trunk ${trunk.id} could not be found.`
        return yield* refuse(404, "SubPortNotFound", message)
      }
      return trunk.sub_ports.filter((_) => !gone.includes(_.port_id))
    })
  )
}
