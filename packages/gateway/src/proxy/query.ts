import { BadRequest, Forbidden } from "@portico/contract/Failures"
import { Result } from "effect"
import { isFalse, isRead } from "../acts/reading.ts"

/** The parts of a call that the treatment of its query depends on. */
export interface QueryCall {
  readonly method: string
  readonly service: string
  /** Without the optional project id of compute and volume. */
  readonly segments: ReadonlyArray<string>
  /** Null for a platform administrator. */
  readonly projectId: string | null
}

/** Parameters with which an administrator asks for more than one project. The gateway removes a tenant's. */
const widening: ReadonlySet<string> = new Set(["all_tenants", "all_projects", "edit_managed_records"])
/** Filters that name a project. A tenant's may name its own project only. */
const naming: ReadonlySet<string> = new Set(["project_id", "tenant_id"])
/**
 * A parameter for the gateway alone (contract, Authentication 13). Network and compute would reject an unknown
 * parameter.
 */
const override = "allow_ssh_from_anywhere"
const overridden: ReadonlySet<string> = new Set(["network", "compute"])
/**
 * Most services of the platform treat this parameter as the method, whatever the request line says: `GET
 * servers/{id}?_method=DELETE` deletes the server. Tiers and rules decide on the method of the request line.
 */
const method = "_method"

/**
 * Lists that show one project unless an administrator asks for all, with the parameter for that. The other services
 * show all projects, or have no such parameter.
 */
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

/**
 * Each parameter above contains one of these characters in every spelling. Most queries contain none and need no
 * further check.
 */
const suspicious = /[_%+;#]/

/**
 * The query to forward. One that names a method is rejected with 400, for every caller. A tenant's widening
 * parameters are removed from a read and rejected with 403 in other calls, and so is a filter for another project. For a platform administrator the
 * lists of compute and volume ask for all projects, unless the query itself selects projects. The remaining parts
 * keep their spelling.
 *
 * @param query the query as sent, without its question mark
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
    // Some readers also end a pair at a semicolon.
    const readings = pair.split(";").map(readingOf)
    if (readings.some(({ name }) => name === method)) {
      return Result.fail(BadRequest.queryNotCanonical(`'${method}' names another method`))
    }
    const unwanted = readings.filter((_) => isUnwanted(_, call))
    if (unwanted.some(({ name }) => naming.has(name))) return Result.fail(Forbidden.otherProject())
    if (!isRead(call.method) && unwanted.some(asksForOthers)) return Result.fail(Forbidden.otherProjectsWrite())
    if (unwanted.length === 0) kept.push(pair)
    else if (readings.length > 1) return Result.fail(BadRequest.queryNotCanonical("it holds a ';'"))
  }
  return Result.succeed(withAllProjects(kept.length === pairs.length ? query : joined(kept), call))
}

interface Reading {
  /** Decoded, trimmed and in lower case. */
  readonly name: string
  readonly value: string
}

/** Decodes a pair as a form decoder does. */
const readingOf = (pair: string): Reading => {
  const [[name, value] = ["", ""]] = new URLSearchParams(pair)
  return { name: name.trim().toLowerCase(), value }
}

const isUnwanted = ({ name, value }: Reading, { projectId, service }: QueryCall): boolean =>
  (name === override && overridden.has(service)) ||
  (projectId !== null && (widening.has(name) || (naming.has(name) && value !== projectId)))

const asksForOthers = ({ name, value }: Reading): boolean =>
  (name === "all_tenants" || name === "all_projects") && !isFalse(value)

const joined = (pairs: ReadonlyArray<string>): string | undefined => (pairs.length === 0 ? undefined : pairs.join("&"))

const withAllProjects = (query: string | undefined, call: QueryCall): string | undefined => {
  if (call.projectId !== null || call.method !== "GET") return query
  const wanted = listsOfOneProject[call.service]?.get(call.segments.join("/"))
  if (wanted === undefined) return query
  if (query === undefined || query === "") return wanted
  const named = [...new URLSearchParams(query).keys()].some((_) => widening.has(_))
  return named ? query : `${query}&${wanted}`
}
