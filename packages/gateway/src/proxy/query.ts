import { BadRequest, Forbidden } from "@portico/contract/Failures"
import { Result } from "effect"

/** Who asks for what, as far as a query depends on it. */
export interface QueryCall {
  readonly method: string
  readonly service: string
  /** Without the optional project id of compute and volume. */
  readonly segments: ReadonlyArray<string>
  /** Null for a platform administrator. */
  readonly projectId: string | null
}

/** Parameters by which an administrator asks for more than one project; a customer's are taken away. */
const widening: ReadonlySet<string> = new Set(["all_tenants", "all_projects", "edit_managed_records"])
/** Filters that name a project. A customer's may name its own. */
const naming: ReadonlySet<string> = new Set(["project_id", "tenant_id"])
/** Meant for the gateway alone (contract, Authentication 13); network and compute would refuse what they do not know. */
const override = "allow_ssh_from_anywhere"
const overridden: ReadonlySet<string> = new Set(["network", "compute"])
/**
 * Most services of the platform take this for the method, whatever the request line says: `GET
 * servers/{id}?_method=DELETE` removes the server. Tiers and rules are about the method of the request line.
 */
const method = "_method"

/** Lists that show one project unless an administrator asks for all of them, and how to ask. The other services show all, or know no such thing. */
const listsOfOneProject: Readonly<Record<string, ReadonlyMap<string, string>>> = {
  compute: new Map([
    ["servers", "all_tenants=1"],
    ["servers/detail", "all_tenants=1"],
    ["os-server-groups", "all_projects=1"]
  ]),
  volume: new Map(
    ["volumes", "volumes/detail", "snapshots", "snapshots/detail", "backups", "backups/detail"].map((_) => [
      _,
      "all_tenants=1"
    ])
  )
}

/** What none of the parameters above can be spelled without: most queries need no further look. */
const suspicious = /[_%+;#]/

/**
 * The query as it goes on. One that names a method is refused with 400,
 * whoever sends it. A customer's widening parameters are taken away, and one
 * that names another project is refused with 403. For a platform
 * administrator the lists of compute and volume are asked for all projects,
 * unless the query says itself which. Whatever is kept keeps its spelling.
 *
 * @param query as sent, without its question mark
 */
export const forwardedQuery = (
  query: string | undefined,
  call: QueryCall
): Result.Result<string | undefined, BadRequest | Forbidden> => {
  if (query === undefined || !suspicious.test(query)) return Result.succeed(withAllProjects(query, call))
  if (query.includes("#")) return Result.fail(BadRequest.queryNotCanonical("it holds a '#'"))
  const pairs = query.split("&")
  const kept: Array<string> = []
  for (const pair of pairs) {
    // Some readers end a pair at a semicolon as well.
    const readings = pair.split(";").map(readingOf)
    if (readings.some(({ name }) => name === method)) {
      return Result.fail(BadRequest.queryNotCanonical(`'${method}' names another method`))
    }
    const unwanted = readings.filter((_) => isUnwanted(_, call))
    if (unwanted.some(({ name }) => naming.has(name))) return Result.fail(Forbidden.otherProject())
    if (unwanted.length === 0) kept.push(pair)
    else if (readings.length > 1) return Result.fail(BadRequest.queryNotCanonical("it holds a ';'"))
  }
  return Result.succeed(withAllProjects(kept.length === pairs.length ? query : joined(kept), call))
}

interface Reading {
  /** Decoded, in lower case and trimmed. */
  readonly name: string
  readonly value: string
}

/** A pair as a form decoder reads it. */
const readingOf = (pair: string): Reading => {
  const [[name, value] = ["", ""]] = new URLSearchParams(pair)
  return { name: name.trim().toLowerCase(), value }
}

const isUnwanted = ({ name, value }: Reading, { projectId, service }: QueryCall): boolean =>
  (name === override && overridden.has(service)) ||
  (projectId !== null && (widening.has(name) || (naming.has(name) && value !== projectId)))

const joined = (pairs: ReadonlyArray<string>): string | undefined => (pairs.length === 0 ? undefined : pairs.join("&"))

const withAllProjects = (query: string | undefined, call: QueryCall): string | undefined => {
  if (call.projectId !== null || call.method !== "GET") return query
  const wanted = listsOfOneProject[call.service]?.get(call.segments.join("/"))
  if (wanted === undefined) return query
  if (query === undefined || query === "") return wanted
  const named = [...new URLSearchParams(query).keys()].some((_) => widening.has(_))
  return named ? query : `${query}&${wanted}`
}
