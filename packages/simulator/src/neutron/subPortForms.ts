import { Result } from "effect"
import { isObject, isUuid, type JsonObject, objectsAt, stringAt } from "../Json.ts"
import { repr, str } from "../python.ts"
import type { Step } from "../Wire.ts"
import type { Check } from "./attributes.ts"
import { invalidInput, refuse } from "./errors.ts"
import { pythonInt } from "./parsing.ts"
import type { SubPort, Trunk } from "./state.ts"

type Wrong = string | undefined

const wrongPort = (port: unknown, before: ReadonlyArray<unknown>): Wrong => {
  if (!isObject(port)) return `Invalid data format for subport: '${str(port)}' is not a dict`
  const id = port["port_id"]
  if (id === undefined || id === null || id === "") return "A valid port UUID must be specified"
  if (!isUuid(id)) return `Invalid UUID for subport: '${str(id)}'`
  return before.some((_) => isObject(_) && _["port_id"] === id) ? `Non unique UUID for subport: '${id}'` : undefined
}

const unsegmented = (port: JsonObject): string =>
  `Invalid subport details '${repr(port)}': missing segmentation information. Must specify both segmentation_id and ` +
  "segmentation_type"

/** A port of `inherit` takes the segment of its network; a port with neither type nor id is refused later. */
const wrongSegment = (port: JsonObject, before: ReadonlyArray<unknown>): Wrong => {
  const [type, id] = [port["segmentation_type"], port["segmentation_id"]]
  if (type === "inherit" || (type === undefined && id === undefined)) return undefined
  if (type === undefined || id === undefined) return unsegmented(port)
  const twice = before.some((_) => isObject(_) && _["segmentation_type"] === type && _["segmentation_id"] === id)
  return twice ? `Segmentation ID '${str(id)}' for '${str(port["port_id"])}' is not unique` : undefined
}

const listOf =
  (wrongOf: (port: unknown, before: ReadonlyArray<unknown>) => Wrong): Check =>
  (value) => {
    if (!Array.isArray(value)) return { wrong: `Invalid data format for subports: '${str(value)}' is not a list` }
    const wrong = value.map((port, at) => wrongOf(port, value.slice(0, at))).find((_) => _ !== undefined)
    return wrong === undefined ? { value } : { wrong }
  }

/** The form of a list that names ports alone. */
export const portsOnly: Check = listOf(wrongPort)

/** The form of a list of subports: every port and every segment is there once. */
export const subPortList: Check = listOf(
  (port, before) => wrongPort(port, before) ?? (isObject(port) ? wrongSegment(port, before) : undefined)
)

/** The subports with their segments: VLANs are the only ones, and networks are of another type. */
const segmentOf = (port: JsonObject): Step<SubPort> => {
  const [type, asked] = [port["segmentation_type"], port["segmentation_id"]]
  if (type === undefined) return invalidInput(unsegmented(port))
  const kind = type === "inherit" ? "vxlan" : type
  if (kind !== "vlan") return invalidInput(`Unknown segmentation_type '${str(kind)}'`)
  const id = pythonInt(asked)
  if (id === undefined) {
    return invalidInput(`Invalid subport details: segmentation_id '${str(asked)}' is not an integer`)
  }
  return id < 1 || id > 4094
    ? invalidInput(`Segmentation ID '${id}' is not in range`)
    : Result.succeed({ port_id: stringAt(port, "port_id") ?? "", segmentation_type: kind, segmentation_id: id })
}

/** @param value a list that {@link subPortList} accepts */
export const segmented = (value: unknown): Step<ReadonlyArray<SubPort>> => Result.all(objectsAt(value).map(segmentOf))

/** A trunk has every segment once. */
export const checkSegments = (trunk: Trunk, ports: ReadonlyArray<SubPort>): Step<void> => {
  const key = (_: SubPort) => `segmentation_type ${_.segmentation_type} and segmentation_id ${_.segmentation_id}`
  const twice = ports.map(key).find((_, at, all) => all.indexOf(_) < at)
  return twice === undefined
    ? Result.void
    : refuse(409, "DuplicateSubPort", `${twice} already in use on trunk ${trunk.id}.`)
}
