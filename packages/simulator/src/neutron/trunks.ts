import { Result } from "effect"
import { assign, booleanAt, type JsonObject, numberAt, objectAt, objectsAt, stringAt } from "../Json.ts"
import { json, type Routes, type Step } from "../Wire.ts"
import { anything, flag, list, named, owned, uuid } from "./attributes.ts"
import { failed, invalidInput, refuse } from "./errors.ts"
import { ports } from "./ports.ts"
import { call, param, type Request } from "./request.ts"
import { action, changed, common, type Kind, readable, referred } from "./resource.ts"
import type { SubPort, Trunk } from "./state.ts"
import { carrierOf, isTrunked } from "./trunkSubports.ts"

const parentInUse = (portId: string): Step<never> =>
  refuse(409, "ParentPortInUse", `Port ${portId} is currently in use and is not eligible for use as a parent port.`)

/** Another project's port does not exist. */
const subPort = (request: Request, asked: unknown): Step<SubPort> =>
  Result.gen(function* () {
    const given = objectAt(asked)
    const portId = stringAt(given, "port_id")
    if (portId === undefined) return yield* invalidInput("A valid port UUID must be specified")
    const [type, id] = [stringAt(given, "segmentation_type"), numberAt(given, "segmentation_id")]
    if (type === undefined || id === undefined) {
      return yield* invalidInput(
        `Invalid subport details '{'port_id': '${portId}'}': missing segmentation information. Must specify both ` +
          "segmentation_id and segmentation_type"
      )
    }
    const port = yield* referred(ports, request, portId)
    if (isTrunked(request.neutron, port.id)) return yield* parentInUse(port.id)
    if (carrierOf(request.neutron, port.id) !== undefined) {
      return yield* refuse(409, "TrunkPortInUse", `Port ${port.id} is in use by another trunk.`)
    }
    return { port_id: port.id, segmentation_type: type, segmentation_id: id }
  })

const subPorts = (request: Request, asked: unknown): Step<ReadonlyArray<SubPort>> =>
  Result.gen(function* () {
    const found: Array<SubPort> = []
    for (const one of Array.isArray(asked) ? asked : []) found.push(yield* subPort(request, one))
    return found
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
    sub_ports: { check: list, put: false, filter: false }
  },
  things: (neutron) => neutron.trunks,
  show: (_, trunk) => ({ ...common(trunk), status: "DOWN" }),
  create: (request, thing, given: JsonObject) =>
    Result.gen(function* () {
      const port = yield* referred(ports, request, stringAt(given, "port_id") ?? "")
      if (isTrunked(request.neutron, port.id) || port["binding:host_id"] !== "") return yield* parentInUse(port.id)
      const sub_ports = yield* subPorts(request, given["sub_ports"])
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

export const subPortRoutes: Routes = {
  "GET /v2.0/trunks/:id/get_subports": call((request) =>
    Result.map(readable(trunks, request, param(request, "id")), ({ sub_ports }) => json(200, { sub_ports }))
  ),
  "PUT /v2.0/trunks/:id/add_subports": changing("add_subports", (request, trunk) =>
    Result.gen(function* () {
      const added = yield* subPorts(request, asked(request))
      yield* enabled(trunk)
      return [...trunk.sub_ports, ...added]
    })
  ),
  "PUT /v2.0/trunks/:id/remove_subports": changing("delete_subports", (request, trunk) =>
    Result.gen(function* () {
      yield* enabled(trunk)
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
