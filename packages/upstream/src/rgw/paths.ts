/** RFC 3986: everything but the unreserved characters. */
const escaped = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (_) => `%${_.charCodeAt(0).toString(16).toUpperCase()}`)

/** The path under which an object's address is signed. */
export const objectPath = (base: string, bucket: string, key: string): string =>
  `${base}/${bucket}/${key.split("/").map(escaped).join("/")}`

/**
 * The same path as it can be sent: where it has dot segments, every reader of
 * URLs would resolve them (RFC 3986, section 6.2.2.3), and a slash before or
 * behind them is encoded so that they are none. The object gateway decodes it
 * before it looks at the signature.
 */
export const sendablePath = (path: string): string => path.replaceAll(/\/(?=\.{1,2}(\/|$))|(?<=\/\.{1,2})\//g, "%2F")

/** A query out of names and values. */
export const queryOf = (query: Readonly<Record<string, string | ReadonlyArray<string> | null>>): string =>
  Object.entries(query)
    .flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((_) => `${escaped(name)}=${escaped(_ ?? "")}`)
    )
    .join("&")
