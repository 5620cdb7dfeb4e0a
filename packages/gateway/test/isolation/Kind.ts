import type { Belongings } from "./Belongings.ts"

/** One way of a stranger. */
export interface Try {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** Below `/v1/iaas`. */
  readonly path: string
  /** What the gateway or the service answers; a good answer is one that shows nothing and does nothing to others. */
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /**
   * The service's words for what is another's differ from those for what never
   * was, though neither is told apart from the other by status.
   */
  readonly tells?: true
  /** The service may still have to make it, and until then has nothing to show to its owner either. */
  readonly unready?: true
}

/** A kind of thing, the ways that lead to it, and what a stranger gets there. */
export interface Kind {
  /** Where it would be listed, as B asks: the answer is good and tells nothing of A. */
  readonly lists: ReadonlyArray<string>
  /** What its owner reads, and must read again afterwards, letter by letter. */
  readonly owned: ReadonlyArray<string>
  /** What has to be ACTIVE before it can stay as it is. */
  readonly active?: ReadonlyArray<string>
  /** What B tries by id, by name, and in bodies. */
  readonly tries: ReadonlyArray<Try>
  /** Where keys of too low a tier, of the owner itself, try to delete or change it. */
  readonly one?: string
}

/** What B does to a kind of A's. */
export type KindOf = (a: Belongings, b: Belongings) => Kind

const trying =
  (method: Try["method"]) =>
  (path: string, status: number, body?: unknown, more: Partial<Try> = {}): Try => ({
    method,
    path,
    status,
    ...(body === undefined ? {} : { body }),
    ...more
  })

export const get = (path: string, status: number, more: Partial<Try> = {}) =>
  trying("GET")(path, status, undefined, more)
export const post = trying("POST")
export const put = trying("PUT")
export const patch = trying("PATCH")
export const remove = (path: string, status: number, more: Partial<Try> = {}) =>
  trying("DELETE")(path, status, undefined, more)

/** The ways by which a list might be widened, or narrowed to what is another's. */
export const asked = (list: string, { name, projectId }: Belongings, ...queries: ReadonlyArray<string>) => [
  list,
  ...[
    `name=${name}`,
    "all_tenants=1",
    "all_tenants",
    "ALL_TENANTS=1",
    "all%5Ftenants=true",
    "all_projects=1",
    `all_tenants=1&project_id=${projectId}`,
    ...queries
  ].map((_) => `${list}?${_}`)
]
