import { Option } from "effect"

/** Percent-encodes everything except the unreserved characters (RFC 3986). */
const escaped = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (_) => `%${_.charCodeAt(0).toString(16).toUpperCase()}`)

/** The path of an object as it is signed. */
export const objectPath = (base: string, bucket: string, key: string): string =>
  `${base}/${bucket}/${key.split("/").map(escaped).join("/")}`

/**
 * The path as it is sent. Every URL parser would resolve dot segments (RFC
 * 3986, section 6.2.2.3), so a slash before or after them is encoded. The
 * object gateway decodes the path before it checks the signature.
 */
export const sendablePath = (path: string): string => path.replaceAll(/\/(?=\.{1,2}(\/|$))|(?<=\/\.{1,2})\//g, "%2F")

/** Encodes a query. */
export const queryOf = (query: Readonly<Record<string, string | ReadonlyArray<string> | null>>): string =>
  Object.entries(query)
    .flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((_) => `${escaped(name)}=${escaped(_ ?? "")}`)
    )
    .join("&")

const decoded = Option.liftThrowable(decodeURIComponent)

/**
 * A key or a common prefix of a list, which is asked for in this encoding because XML lacks some characters. One that is
 * not encoded so is as it is: some object gateways know no encoding.
 */
export const decodedKey = (text: string): string => Option.getOrElse(decoded(text.replaceAll("+", " ")), () => text)
