import { loads } from "./json.ts"
import { int, isList, isObject, type PyObject, type PyValue } from "./python.ts"
import type { Arriving } from "./verdict.ts"

/**
 * Where the gateway is stricter than the upstream on purpose: harmless calls
 * of these kinds may be refused. The list may only shrink.
 */

/** Firewalls made of iptables take protocol 0 for all of them, though the network service does not. */
export const namesProtocolZero = ({ body }: Arriving): boolean =>
  objectsOf(body).some((_) => int(_.get("protocol")) === 0n)

/** A database may hold owners for the same that differ in case alone. */
export const resemblesNetworkOwner = ({ body }: Arriving): boolean =>
  objectsOf(body).some((_) => {
    const owner = _.get("device_owner")
    return typeof owner === "string" && /^network:/i.test(owner)
  })

/** No image needs a property that is called like its locations but for the case. */
export const namesLocationsInCapitals = ({ body }: Arriving): boolean =>
  objectsOf(body).some((_) =>
    [..._.values()].some((value) => typeof value === "string" && /^[/\s]*Locations/.test(value))
  )

const objectsOf = (body: Uint8Array | undefined): ReadonlyArray<PyObject> => {
  const document = body === undefined ? undefined : loads(body)
  return document === undefined ? [] : objectsIn(document)
}

const objectsIn = (value: PyValue): ReadonlyArray<PyObject> => {
  if (isList(value)) return value.flatMap(objectsIn)
  return isObject(value) ? [value, ...[...value.values()].flatMap(objectsIn)] : []
}
