import { strip } from "./python.ts"

export type Pairs = ReadonlyArray<readonly [key: string, value: string]>

/** How a server behind the gateway may take a query apart. */
export interface QueryReader {
  readonly name: string
  read(query: string): Pairs
}

const bytesOf = (text: string): string =>
  text
    .replaceAll("+", " ")
    .replace(/(?:%[0-9A-Fa-f]{2})+/g, (run) => Buffer.from(run.replaceAll("%", ""), "hex").toString("utf8"))

/** `urllib.parse.parse_qsl`, with the separators of its time. */
const parseQsl = (query: string, separators: RegExp, blankKept: boolean): Pairs =>
  query
    .split(separators)
    .filter((_) => _ !== "")
    .map((pair): readonly [string, string] => {
      const equals = pair.indexOf("=")
      return equals < 0 ? [bytesOf(pair), ""] : [bytesOf(pair.slice(0, equals)), bytesOf(pair.slice(equals + 1))]
    })
    .filter(([, value]) => blankKept || value !== "")

const lower = (pairs: Pairs): Pairs => pairs.map(([key, value]) => [key.toLowerCase(), value])

/** Each takes the query without its question mark. */
export const queryReaders: ReadonlyArray<QueryReader> = [
  { name: "a browser's", read: (query) => [...new URLSearchParams(query)] },
  { name: "Python's", read: (query) => parseQsl(query, /&/, true) },
  { name: "Python's without blanks", read: (query) => parseQsl(query, /&/, false) },
  {
    name: "Python's before 3.9.2, which separates at semicolons as well",
    read: (query) => parseQsl(query, /[&;]/, true)
  },
  { name: "one that takes no notice of case", read: (query) => lower(parseQsl(query, /&/, true)) },
  { name: "one that does both", read: (query) => lower(parseQsl(query, /[&;]/, true)) },
  {
    name: "a careless one, which takes off a question mark, and spaces around a key",
    read: (query) => lower(parseQsl(query, /[&;]/, true)).map(([key, value]) => [strip(key.replace(/^\?/, "")), value])
  },
  { name: "one that ends at a number sign", read: (query) => lower(parseQsl(query.split("#")[0] ?? "", /&/, true)) }
]

const everybodys: ReadonlySet<string> = new Set(["all_tenants", "all_projects", "edit_managed_records"])
const projects: ReadonlySet<string> = new Set(["project_id", "tenant_id"])

/** Does this pair name another method than the request line? */
export const namesMethod = ([key]: readonly [key: string, value: string]): boolean => key === "_method"

/** What no project's id holds, so that nobody else's can be meant. */
const noId = /[;&]/

/** Does this pair reach beyond the project `own`? */
export const reachesBeyond =
  (own: string) =>
  ([key, value]: readonly [key: string, value: string]): boolean =>
    everybodys.has(key) || (projects.has(key) && value !== own && !noId.test(value))

/** Does this pair name a project in a way that is not the own project's id, letter by letter? */
export const namesOddly =
  (own: string) =>
  ([key, value]: readonly [key: string, value: string]): boolean =>
    projects.has(key) && value !== own
