import type { Asked } from "../../harness/http.ts"
import { anId, type Spelling } from "../../rules/Spelling.ts"

/** One way to ask for what a rule forbids, or for what comes near it. Ids that nobody has stand where a scene puts real ones. */
export interface Attempt {
  readonly what: string
  readonly method: string
  /** Below /v1/iaas: `/network/routers`. */
  readonly path: string
  /** Without its question mark. */
  readonly query?: string
  readonly headers?: Readonly<Record<string, string | ReadonlyArray<string>>>
  /** As it goes over the wire. */
  readonly body?: string | Uint8Array
}

const jsonType = { "content-type": "application/json" }

/** A table of the rules, as a machine sends its rows. Those that say the override, and those that remove what a rule is about, are left out. */
export const attemptsOf = (spellings: ReadonlyArray<Spelling>): ReadonlyArray<Attempt> =>
  spellings
    .filter(({ method, query, who }) => query === undefined && method !== "DELETE" && who.includes("machine"))
    .map(({ body, headers, method, path, what }) => ({
      what,
      method,
      path,
      headers: { ...(body === undefined ? {} : jsonType), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    }))

/** A JSON body, unless the headers say that it is something else. */
export const attempt = (
  what: string,
  method: string,
  path: string,
  more: Pick<Attempt, "body" | "headers" | "query"> = {}
): Attempt => ({
  what,
  method,
  path,
  ...more,
  ...(more.headers === undefined && more.body !== undefined ? { headers: jsonType } : {})
})

/** Puts ids where {@link anId} stands. */
export const withIds = (attempt: Attempt, ids: { readonly path: string; readonly body?: string }): Attempt => ({
  ...attempt,
  path: attempt.path.replaceAll(anId, ids.path).replaceAll(anId.toUpperCase(), ids.path.toUpperCase()),
  ...(typeof attempt.body === "string" ? { body: attempt.body.replaceAll(anId, ids.body ?? ids.path) } : {})
})

/** What is behind the service's name. */
export const targetOf = ({ path, query }: Attempt): string => {
  const [, service = ""] = path.split("/")
  return `${path.slice(service.length + 1)}${query === undefined ? "" : `?${query}`}`
}

export const asked = ({ body, headers }: Attempt): Asked => ({ headers, body })

export const named = ({ method, path, query, what }: Attempt): string =>
  `${what}: ${method} ${path}${query === undefined ? "" : `?${query}`}`
