import { decodeJson } from "@portico/contract/decodeJson"
import { Option } from "effect"

/** What goes with a call in the raw. */
export interface Asked {
  readonly json?: unknown
  /** A body that is no JSON. */
  readonly text?: string
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Whose key signs a request to RGW, where it is not the gateway's own. */
  readonly key?: Key
}

/** As RGW's admin API prints it. */
export interface Key {
  readonly access_key: string
  readonly secret_key: string
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The body as JSON; undefined when it is none. */
  readonly json: unknown
}

export const answered = (status: number, headers: Readonly<Record<string, string>>, text: string): Answer => ({
  status,
  headers,
  text,
  json: Option.getOrUndefined(decodeJson(text))
})

/** The headers that the gateway reads, rewrites or takes away, and those that clients decide by. */
const compared = [
  "content-type",
  "location",
  "www-authenticate",
  "retry-after",
  "link",
  "openstack-api-version",
  "x-openstack-nova-api-version"
]

/** What is compared of an answer. */
export const seen = ({ headers, json, status, text }: Answer): unknown => ({
  status,
  headers: Object.fromEntries(compared.flatMap((_) => (headers[_] === undefined ? [] : [[_, headers[_]]]))),
  body: json ?? text
})

/** The same without the values of a good answer, where they tell of the installation and not of the service. */
export const shapeSeen = (answer: Answer): unknown => ({
  ...(seen(answer) as object),
  ...(answer.status < 300 && answer.json !== undefined ? { body: shapeOf(answer.json) } : {})
})

/** Names and kinds of JSON; a list shows its first item. */
export const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value
  return Object.fromEntries(Object.entries(value).map(([key, _]) => [key, shapeOf(_)]))
}

/** What stands at a path of a body; undefined where there is nothing. */
export const at = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>(
    (found, key) => (typeof found === "object" && found !== null ? (found as Record<string, unknown>)[key] : undefined),
    value
  )

/** The id under a key of an answer; a made up one where the create failed, so that the case goes on and shows it. */
export const idOf = ({ json }: Answer, key: string): string => String(at(json, key, "id") ?? `no-${key}`)

/** The ids of a list. */
export const idsIn = ({ json }: Answer, key: string): ReadonlyArray<string> => {
  const items = at(json, key)
  return Array.isArray(items) ? items.map((_) => String(at(_, "id"))) : []
}

/** What an answer shows of the one thing that it is about, for successes that show more than anybody depends on. */
export const only =
  (key: string, ...fields: ReadonlyArray<string>) =>
  (answer: Answer): unknown =>
    answer.status >= 300
      ? seen(answer)
      : {
          status: answer.status,
          [key]: Object.fromEntries(fields.map((_) => [_, at(answer.json, key, _) ?? null]))
        }
