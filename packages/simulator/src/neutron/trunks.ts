import { Result } from "effect"
import { booleanAt, numberAt, objectAt, stringAt } from "../Json.ts"
import { type Answer, json, type Routes } from "../Wire.ts"
import { anything, flag, type Given, list, named, owned, uuid } from "./attributes.ts"
import { failed, refuse, type Step } from "./errors.ts"
import { ports } from "./ports.ts"
import { call, mayWrite, param, type Request, touch } from "./request.ts"
import { common, type Kind, readable, referred, writable } from "./resource.ts"
import type { SubPort, Trunk } from "./state.ts"
import { carrierOf, isTrunked } from "./trunkports.ts"

const invalid = (message: string): Step<never> =>
  refuse(400, "InvalidInput", `Invalid input for operation: ${message}.`)

const parentInUse = (portId: string): Step<never> =>
  refuse(409, "ParentPortInUse", `Port ${portId} is currently in use and is not eligible for use as a parent port.`)

/** Another project's port is not there. */
const subPort = (request: Request, asked: unknown): Step<SubPort> =>
  Result.gen(function* () {
    const given = objectAt(asked)
    const portId = stringAt(given, "port_id")
    if (portId === undefined) return yield* invalid("A valid port UUID must be specified")
    const [type, id] = [stringAt(given, "segmentation_type"), numberAt(given, "segmentation_id")]
    if (type === undefined || id === undefined) {
      return yield* invalid(
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

/** A trunk that is switched off may only be switched on. */
const enabled = (trunk: Trunk): Step<void> =>
  trunk.admin_state_up
    ? Result.succeed(undefined)
    : refuse(409, "TrunkDisabled", `Trunk ${trunk.id} is currently disabled.`)

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
  create: (request, thing, given: Given) =>
    Result.gen(function* () {
      const port = yield* referred(ports, request, stringAt(given, "port_id") ?? "")
      if (isTrunked(request.neutron, port.id) || port["binding:host_id"] !== "") return yield* parentInUse(port.id)
      const sub_ports = yield* subPorts(request, given["sub_ports"])
      return { ...thing, admin_state_up: booleanAt(given, "admin_state_up") ?? true, port_id: port.id, sub_ports }
    }),
  update: (_, trunk, given) => {
    trunk.name = stringAt(given, "name") ?? trunk.name
    trunk.description = stringAt(given, "description") ?? trunk.description
    trunk.admin_state_up = booleanAt(given, "admin_state_up") ?? trunk.admin_state_up
    return Result.succeed(undefined)
  },
  remove: (_, trunk) => enabled(trunk)
}

/** The answer to a change of the ports is the trunk without an envelope. */
const changing = (rule: string, changed: (request: Request, trunk: Trunk) => Step<ReadonlyArray<SubPort>>) =>
  call((request: Request): Step<Answer> =>
    Result.gen(function* () {
      const trunk = yield* writable(trunks, request, param(request, "id"))
      yield* mayWrite(request, rule)
      if (!("sub_ports" in objectAt(request.incoming.json))) return yield* failed
      trunk.sub_ports = yield* changed(request, trunk)
      touch(trunk, request.now)
      return json(200, trunks.show(request.neutron, trunk, request.scope))
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
      const given = asked(request)
      const gone = (Array.isArray(given) ? given : []).map((_) => stringAt(objectAt(_), "port_id"))
      const absent = gone.find((id) => trunk.sub_ports.every((_) => _.port_id !== id))
      if (absent !== undefined) {
        const message = `SubPort ${absent} on trunk ${trunk.id} could not be found.`
        return yield* refuse(404, "SubPortNotFound", message)
      }
      return trunk.sub_ports.filter((_) => !gone.includes(_.port_id))
    })
  )
}
