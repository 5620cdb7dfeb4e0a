import { Predicate } from "effect"

/** Reads client input as the platform's services do, which are written in Python. */

export type JsonObject = { readonly [key: PropertyKey]: unknown }

/** The value below the members of an object, one inside the other; undefined where one of them is missing. */
export const memberOf = (value: unknown, ...names: ReadonlyArray<string>): unknown =>
  names.reduce<unknown>(
    (found, name) => (Predicate.isReadonlyObject(found) && Object.hasOwn(found, name) ? found[name] : undefined),
    value
  )

export const isRead = (method: string): boolean => method === "GET" || method === "HEAD" || method === "OPTIONS"

/** What OpenStack's services read as false in a query or a header (oslo.utils, `strutils.bool_from_string`). */
export const isFalse = (value: string): boolean => /^\s*(0|f|false|off|n|no)\s*$/i.test(value)

/** POST, PUT and PATCH, and any other method that might carry a body. */
export const isWrite = (method: string): boolean => !isRead(method) && method !== "DELETE"

/** Characters that never occur in the spelling that rules use. */
const notCanonical = /[A-Z_]/

/**
 * The canonical form of a path segment, for rules that refuse. A router may take a suffix after a dot for a format
 * and drop it, Neutron accepts both `_` and `-` in collection names, and case is ignored even where a router respects
 * it. No word that a rule looks for contains a dot. Rules that allow compare the exact text instead.
 */
export const word = (segment: string | undefined): string => {
  if (segment === undefined) return ""
  const dot = segment.indexOf(".")
  const stem = dot < 0 ? segment : segment.slice(0, dot)
  return notCanonical.test(stem) ? stem.toLowerCase().replaceAll("_", "-") : stem
}

/** Keeps what is read of a body: each act and each rule asks for it, and a body may have very many members. */
export const once = <A>(read: (body: object) => A) => {
  const known = new WeakMap<object, A>()
  return (body: object): A => {
    const found = known.get(body) ?? read(body)
    known.set(body, found)
    return found
  }
}

/** The databases have room for 255 characters, which are two units at most. */
const longestName = 2 * 255

/**
 * A name as the databases of services may compare it: without case, accents, and blanks at the end. Undefined for one
 * that they have no room for.
 */
export const folded = (name: string): string | undefined =>
  name.length > longestName ? undefined : withoutMarks(withoutMarks(name).normalize("NFKD")).trimEnd().toLowerCase()

/** Marks are sorted as they are normalised, in quadratic time: those that are there are taken away before. */
const withoutMarks = (text: string): string => text.replaceAll(/\p{M}/gu, "")

const foldedMembers = once((value) => Map.groupBy(Object.entries(value), ([name]) => folded(name)))

/** The values of the members of an object that a database may take for the one of this name, which is in lower case. */
export const membersLike = (value: unknown, name: string): ReadonlyArray<unknown> =>
  Predicate.isReadonlyObject(value) ? (foldedMembers(value).get(name) ?? []).map(([, _]) => _) : []

/**
 * Every object that a body of Neutron has for a resource, at any depth: single form, bulk form, both at once, a list
 * where an object belongs. However Neutron interprets the body, the object that it acts on is among these.
 *
 * @param resource in the singular: `security_group_rule`
 */
export const objectsFor = (body: unknown, resource: string): ReadonlyArray<JsonObject> =>
  Predicate.isReadonlyObject(body)
    ? [body[resource], body[`${resource}s`]].flatMap((_) => (Predicate.isObjectOrArray(_) ? objectsIn(_) : []))
    : []

const objectsIn = once((value) => {
  const found: Array<JsonObject> = []
  const open: Array<unknown> = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (Array.isArray(next)) for (const item of next) open.push(item)
    if (!Predicate.isReadonlyObject(next)) continue
    found.push(next)
    for (const name of Object.keys(next)) if (typeof next[name] === "object") open.push(next[name])
  }
  return found
})

/** Whether Nova's schemas of a boolean take a value for true, in any of its spellings. What they refuse counts too. */
export const isOn = (value: unknown): boolean =>
  !isFalsy(value) && !(typeof value === "string" && ["false", "0", "off", "no"].includes(value.toLowerCase()))

const listOf = (value: unknown): ReadonlyArray<unknown> =>
  Array.isArray(value) ? value : isFalsy(value) ? [] : [value]

/** A block device that a new server is to have. */
interface Device {
  /** `image`, `snapshot`, `volume` or `blank`. */
  readonly source: unknown
  /** Whether it is a volume, and not a disk that the host keeps. */
  readonly isVolume: boolean
  /** Whether it is a volume that exists already. */
  readonly exists: boolean
  /** Whether it is deleted with the server. */
  readonly endsWithServer: boolean
}

/**
 * The block devices of a request to create a server, in the current form and in the older one, which has volumes only.
 *
 * Nova takes a `volume_id` from both forms whatever the source is (nova/block_device.py, `from_api`, `from_legacy`):
 * a blank device with one is that volume. The older form marks a device with a `virtual_name` to be deleted with the
 * server by itself.
 */
export const devicesOf = (body: unknown): ReadonlyArray<Device> => {
  const of = (device: unknown, source: unknown, isVolume: boolean): Device => {
    const exists = source === "volume" || !isFalsy(memberOf(device, "volume_id"))
    return {
      source,
      isVolume: isVolume || exists,
      exists,
      endsWithServer: isOn(memberOf(device, "delete_on_termination")) || !isFalsy(memberOf(device, "virtual_name"))
    }
  }
  return [
    ...listOf(memberOf(body, "server", "block_device_mapping")).map((_) =>
      of(_, isFalsy(memberOf(_, "volume_id")) ? "snapshot" : "volume", true)
    ),
    ...listOf(memberOf(body, "server", "block_device_mapping_v2")).map((device) => {
      const [source, destination] = [memberOf(device, "source_type"), memberOf(device, "destination_type")]
      // What is a volume already stays one, whatever the request says of where it is to be.
      const isMade = source === "image" || source === "blank"
      return of(device, source, !(isMade && (isFalsy(destination) || destination === "local")))
    })
  ]
}

/** The existing ports that a request to create a server names. */
export const portsOf = (body: unknown): ReadonlyArray<unknown> =>
  listOf(memberOf(body, "server", "networks")).flatMap((_) =>
    isFalsy(memberOf(_, "port")) ? [] : [memberOf(_, "port")]
  )

/** The values of the members with such names, of an object or of one within it at any depth. */
export const valuesOf = (value: unknown, names: ReadonlySet<string>): ReadonlyArray<unknown> => {
  if (!Predicate.isObjectOrArray(value)) return []
  const members = membersIn(value)
  return [...names].flatMap((_) => members.get(_) ?? [])
}

/** The values of all members, by their names. */
const membersIn = once((value) => {
  const found = new Map<string, Array<unknown>>()
  const open: Array<unknown> = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (Array.isArray(next)) for (const item of next) open.push(item)
    if (!Predicate.isReadonlyObject(next)) continue
    for (const name of Object.keys(next)) {
      const item = next[name]
      const same = found.get(name)
      if (same === undefined) found.set(name, [item])
      else same.push(item)
      if (typeof item === "object" && !free.has(name)) open.push(item)
    }
  }
  return found
})

/** Members whose own names a client chooses. */
const free: ReadonlySet<string> = new Set(["binding:profile", "insert_headers", "metadata"])

/** Whether an object, or one within it at any depth, has a member of such a name that is set. */
export const sets = (value: unknown, names: ReadonlySet<string>): boolean =>
  valuesOf(value, names).some((_) => !isFalsy(_))

/**
 * The id that Nova reads of a value that may be a link: the last segment of its path (nova/api/openstack/common.py,
 * `get_id_from_href`, by `urlsplit`). Undefined for what is neither text nor a number.
 */
export const idFromLink = (given: unknown): string | undefined => {
  if (typeof given === "number") return String(given)
  if (typeof given !== "string") return undefined
  const [address = ""] = given
    .replaceAll(/^[\0-\x20]+|[\t\r\n]/g, "")
    .replace(/^[a-z][a-z\d+.-]*:/i, "")
    .split(/[?#]/, 1)
  return address
    .replace(/^\/\/[^/]*/, "")
    .split("/")
    .at(-1)
}

/** The canonical form of an id. */
export const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether Python's `not value` holds. An absent value counts as well. */
export const isFalsy = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === 0 ||
  value === "" ||
  (Array.isArray(value) && value.length === 0) ||
  (Predicate.isReadonlyObject(value) && Object.keys(value).length === 0)

/** Python's `strip()`: it treats four control characters as blanks that JavaScript does not, and keeps U+FEFF. */
export const stripped = (text: string): string => {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (start < end && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

/**
 * The first part of the pointer in a patch of an image. Glance drops leading slashes, takes what stands before the next
 * one, decodes `~1` and `~0`, and trims; no name that is looked for contains a tilde.
 */
export const pointerRoot = (pointer: string): string => {
  const [first = ""] = pointer.replace(/^\/+/, "").split("/", 1)
  return stripped(first).toLowerCase()
}

/** All blanks are of one UTF-16 code unit. */
const isBlank = (unit: number): boolean =>
  (unit >= 0x1c && unit <= 0x20) || (unit >= 9 && unit <= 13) || (unit > 0x7f && furtherBlanks.has(unit))

const furtherBlanks: ReadonlySet<number> = new Set(
  [
    ..."\u0085\u00a0\u1680\u2028\u2029\u202f\u205f\u3000",
    ..."\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
  ].map((_) => _.charCodeAt(0))
)

/** Beyond ASCII, Python knows further digits and blanks. */
const foreign = /[^\0-\x7f]/
const integer = /^[+-]?\d+(_\d+)*$/

/**
 * The result of Python's `int()` for a JSON value, which accepts `" +0_22 "`, `22.9` and `true`. Undefined where
 * Python rejects the value; NaN where Python may know digits that this function does not.
 */
export const intOf = (value: unknown): number | undefined => {
  switch (typeof value) {
    case "number":
      return Number.isFinite(value) ? Math.trunc(value) : undefined
    case "boolean":
      return Number(value)
    case "string": {
      if (foreign.test(value)) return Number.NaN
      const text = value.trim()
      return integer.test(text) ? Number(text.replaceAll("_", "")) : undefined
    }
  }
}
