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

/** A database may hold owners for the same that differ in case, or in a blank in front. */
export const resemblesNetworkOwner = ({ body }: Arriving): boolean =>
  objectsOf(body).some((_) => {
    const owner = _.get("device_owner")
    return typeof owner === "string" && /^\s*network:/i.test(owner)
  })

/** Where an operation takes its value from is a pointer of the general form of JSON patches, which the service ignores. */
export const patchesFromLocations = ({ body }: Arriving): boolean => pointersAt(body, ["from"]).some(nearLocations)

/** Control characters beside a name, which the service does not take off. */
export const padsLocations = ({ body }: Arriving): boolean =>
  pointersAt(body, ["path", "add", "replace", "remove"]).some((_) => nearLocations(_) && /\p{Cc}/u.test(_))

const nearLocations = (pointer: string): boolean => /^\/+[\s\p{Cc}]*locations[\s\p{Cc}]*(?:\/|$)/u.test(pointer)

const pointersAt = (body: Uint8Array | undefined, keys: ReadonlyArray<string>): ReadonlyArray<string> =>
  objectsOf(body).flatMap((_) => keys.map((key) => _.get(key)).filter((_) => typeof _ === "string"))

const objectsOf = (body: Uint8Array | undefined): ReadonlyArray<PyObject> => {
  const document = body === undefined ? undefined : loads(body)
  return document === undefined ? [] : objectsIn(document)
}

const objectsIn = (value: PyValue): ReadonlyArray<PyObject> => {
  if (isList(value)) return value.flatMap(objectsIn)
  return isObject(value) ? [value, ...[...value.values()].flatMap(objectsIn)] : []
}
