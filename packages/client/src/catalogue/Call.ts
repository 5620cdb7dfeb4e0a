import { isObject } from "@portico/contract/isObject"
import type { Plane, Shape } from "./Catalogue.ts"

interface Somewhere {
  /** The address of the plane: `https://api.cloud.example`. */
  readonly base: string
  readonly plane: Plane
}

/** An operation with the input that the client takes for it; of a catch-all `path`, and `body` where it takes one. */
export interface OperationCall extends Somewhere {
  readonly operation: Shape
  readonly input: Readonly<Record<string, unknown>>
}

/** A call by its path, as those of the services behind the gateway are. */
export interface PathCall extends Somewhere {
  readonly method: string
  /** Below the address, with a query if there is one: `/v1/iaas/compute/servers?limit=1`. */
  readonly path: string
  /** Sent as JSON. */
  readonly body?: unknown
  /** Another form of JSON than `application/json`, such as `application/merge-patch+json`. */
  readonly contentType?: string
}

/** A call that can be written out. */
export type Call = OperationCall | PathCall

/** The parts of a request. */
export interface Parts {
  readonly ids: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  /** Undefined where nothing is sent. */
  readonly body: unknown
}

/** Half a surrogate pair can neither be percent-encoded nor stand in an argument. */
const textOf = (value: unknown): string => String(value).toWellFormed()

const present = (input: object): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(input).filter(([, value]) => value !== undefined)

/** Puts each key of an input where the operation has it, as the client does. */
export const partsOf = ({ body, optional, parameters, query, takes }: Shape, input: OperationCall["input"]): Parts => {
  const paths = new Set(parameters.map((_) => _.name))
  const queries = new Set(query.map((_) => _.name))
  // The name of a restored database is a key of its path too: the body is apart.
  const isApart = body.some(({ name }) => paths.has(name) || queries.has(name))
  const isQuery = (key: string) =>
    isApart ? key !== "body" : takes === undefined || takes === "raw" || queries.has(key)
  const rest = present(input).filter(([key]) => !paths.has(key))
  const fields = Object.fromEntries(rest.filter(([key]) => !isQuery(key)))
  const whole: unknown = isApart ? input["body"] : fields
  const isEmpty = isObject(whole) && present(whole).length === 0
  return {
    ids: Object.fromEntries(parameters.map(({ name }) => [name, textOf(input[name] ?? "")])),
    query: Object.fromEntries(rest.filter(([key]) => isQuery(key))),
    body: takes === undefined || (optional === true && isEmpty) ? undefined : whole
  }
}

/**
 * JSON for a terminal: what a terminal acts on when it is pasted, and what changes the order or the look of what it
 * shows, is escaped. It is the same value.
 */
export const terminalJson = (value: unknown, indent?: number): string =>
  (JSON.stringify(value, undefined, indent) ?? "")
    .toWellFormed()
    .replaceAll(
      /[\u007F-\u009F\u200B\u200E\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/g,
      (_) => `\\u${_.charCodeAt(0).toString(16).padStart(4, "0")}`
    )

/** What no address may have as it is, such as spaces and line breaks; what is encoded stays. */
const encodedPath = (path: string): string =>
  path.toWellFormed().replaceAll(/[^\x21-\x7E]+|["<>\\^`{|}]|%(?![\dA-Fa-f]{2})/g, (_) => encodeURIComponent(_))

/** The same call with a path that an address can have; that of a catch-all is one by its path. */
export const resolved = (call: Call): Call => {
  if (!("operation" in call)) return { ...call, path: encodedPath(call.path) }
  const { base, input, operation, plane } = call
  if (operation.catchAll !== true) return call
  const rest = textOf(input["path"] ?? "").replace(/^\//, "")
  const path = encodedPath(operation.path.replace("{path}", () => rest))
  return { base, plane, method: operation.method, path, body: input["body"] }
}

const searchOf = (query: Parts["query"]): string => {
  const parameters = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) parameters.append(key, textOf(one))
  }
  return parameters.size === 0 ? "" : `?${parameters.toString()}`
}

/** The path of an operation and its query, percent-encoded. */
export const targetOf = ({ path }: Shape, { ids, query }: Parts): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(ids[key] ?? "")) + searchOf(query)
