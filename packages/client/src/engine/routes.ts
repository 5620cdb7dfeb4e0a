/** The rows of a plane: `credentials.mint` to `POST /v1/credentials body creates`. */
export type Rows = Readonly<Record<string, string>>

/** An operation as the client needs it. */
export interface Route {
  /** `credentials.mint`, with the contract's names. */
  readonly operation: string
  readonly method: string
  /** `/v1/credentials/:credential_id`; a catch-all ends with `/*`. */
  readonly path: string
  readonly pathKeys: ReadonlyArray<string>
  /** The query parameters of an operation that has a body too. */
  readonly queryKeys: ReadonlyArray<string>
  /**
   * `body`: it takes one; `optional`: or none; `apart`: as `body` in the input. `creates`: it takes an
   * `Idempotency-Key`. `open`: without a token. `sse`, `ndjson`: a stream.
   */
  readonly is: ReadonlySet<string>
  /** The field with the rows of a page. */
  readonly rows: string | undefined
  readonly matches: (path: string) => boolean
}

const routeOf = (operation: string, row: string): Route => {
  const [method = "", target = "", ...flags] = row.split(" ")
  const [path = "", query = ""] = target.split("?")
  const pattern = path.replace(/:\w+/g, "[^/]+").replace(/\*$/, ".*")
  return {
    operation,
    method,
    path,
    pathKeys: [...path.matchAll(/:(\w+)/g)].map(([, key = ""]) => key),
    queryKeys: query === "" ? [] : query.split(","),
    is: new Set(flags),
    rows: flags.find((_) => _.startsWith("rows="))?.slice(5),
    matches: (given) => new RegExp(`^${pattern}$`).test(given)
  }
}

export interface Routes {
  readonly all: ReadonlyArray<Route>
  /** Undefined for a path that the contract does not have, such as `/openapi.json`. */
  readonly at: (method: string, path: string) => Route | undefined
  readonly named: (operation: string) => Route
}

export const routesOf = (rows: Rows): Routes => {
  const all = Object.entries(rows).map(([operation, row]) => routeOf(operation, row))
  // A constant path before one with a parameter in its place.
  const ordered = all.toSorted((a, b) => a.pathKeys.length - b.pathKeys.length)
  return {
    all,
    at: (method, path) => ordered.find((_) => _.method === method && _.matches(path)),
    named: (operation) => {
      const found = all.find((_) => _.operation === operation)
      if (found === undefined) throw new TypeError(`The contract has no operation ${operation}`)
      return found
    }
  }
}
