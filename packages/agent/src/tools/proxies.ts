import type { Caller } from "@portico/contract/Access"
import { Invalid } from "@portico/contract/Failures"
import { Effect, Predicate, Result } from "effect"
import { Api, type ApiRequest } from "../Api.ts"
import type { Rights } from "../Rights.ts"
import { proxyAnswerOf, refused } from "./answers.ts"
import { knownOperations } from "../answers/operations.ts"
import { paths, type Proxied, proxied } from "./proxyPaths.ts"
import type { Arguments, InputSchema, Tool } from "./Tool.ts"

type Issue = Invalid["detail"][number]

const writeMethods = ["POST", "PUT", "PATCH"] as const

/**
 * A tool that reads and one that writes for each service behind a catch-all route. The route checks each call: tenant,
 * tier, policy, acts that destroy, stored secrets. The tool checks that a call goes to its own service, is not endless,
 * and is not a DELETE.
 */
export const proxyTools = (rights: Rights["Service"]): ReadonlyArray<Tool> => {
  const permits = (caller: Caller, service: Proxied, method: "get" | "post") => {
    const endpoint = knownOperations.get(`${areaOf(service)}.${method}`)?.endpoint
    const tier = method === "get" ? 0 : 1
    return endpoint !== undefined && rights.permits(caller, endpoint) && rights.permitsArea(caller, service, tier)
  }
  return proxied.flatMap((service) => [
    readTool(service, (caller) => permits(caller, service, "get")),
    // No tenant writes to the identity service, at any tier.
    writeTool(service, (caller) => service !== "identity" && permits(caller, service, "post"))
  ])
}

const areaOf = (service: Proxied) => (service === "kubernetes" ? "kubernetes" : "iaas")
const prefixOf = (service: Proxied) => (service === "kubernetes" ? "/v1/kubernetes/" : `/v1/iaas/${service}/`)

/** The name of the tool for the reads or the writes of an area: `key_manager_write`. */
export const proxyToolName = (area: string, act: "read" | "write"): string => `${area.replaceAll("-", "_")}_${act}`

/** Numbers and booleans are taken as well: a union of types here is a schema that some models refuse as a whole. */
const common = {
  path: { type: "string" },
  query: { type: "object", additionalProperties: { type: "string" } }
} as const

const readTool = (service: Proxied, permits: (caller: Caller) => boolean): Tool => ({
  name: proxyToolName(service, "read"),
  title: `Read from ${service}`,
  description: `GET of a path: ${paths[service].reads}.`,
  input: { type: "object", properties: common, required: ["path"], additionalProperties: false },
  area: service,
  writes: false,
  weight: [],
  idempotent: true,
  visibleTo: ({ caller }) => permits(caller),
  run: runOf(service, ["path", "query"])
})

const writeInput: InputSchema = {
  type: "object",
  properties: { method: { type: "string", enum: [...writeMethods] }, path: common.path, query: common.query, body: {} },
  required: ["method", "path"],
  additionalProperties: false
}

const writeTool = (service: Proxied, permits: (caller: Caller) => boolean): Tool => ({
  name: proxyToolName(service, "write"),
  title: `Create or change in ${service}`,
  description: `${paths[service].writes}. What deletes or overwrites data is refused.`,
  input: writeInput,
  area: service,
  writes: true,
  weight: paths[service].billed ? ["billed"] : [],
  idempotent: false,
  visibleTo: ({ caller }) => permits(caller),
  run: runOf(service, ["method", "path", "query", "body"])
})

const runOf = (service: Proxied, names: ReadonlyArray<string>): Tool["run"] =>
  Effect.fnUntraced(function* (agent, given) {
    const request = requestOf(service, names, given)
    if (Result.isFailure(request)) return refused(request.failure)
    return proxyAnswerOf(yield* (yield* Api).call(agent, request.success))
  })

const requestOf = (
  service: Proxied,
  names: ReadonlyArray<string>,
  given: Arguments
): Result.Result<ApiRequest, Invalid> => {
  const { body, method = "GET", path, query = {} } = given
  const [pathname = "", search] = splitAt(Predicate.isString(path) ? path : "", "?")
  const parameters = new URLSearchParams(search)
  const issues = [
    ...Object.keys(given)
      .filter((_) => !names.includes(_))
      .map((_) => issue(_, `Extra inputs are not permitted: the arguments are ${names.join(", ")}`, "extra_forbidden")),
    ...(names.includes("method") && !writeMethods.some((_) => _ === method)
      ? [issue("method", `Input should be ${writeMethods.join(", ")}`, "value_error")]
      : []),
    ...pathIssues(path, pathname),
    ...queryIssues(query, parameters)
  ]
  if (issues.length === 0 && isEndless(pathname, parameters)) {
    issues.push(issue("path", "A tool has no watches and follows no logs: read once, and again later", "value_error"))
  }
  if (issues.length === 0 && service === "kubernetes" && leadsToServer(pathname)) {
    issues.push(issue("path", "A tool calls no server behind the cluster's API: it may do anything", "value_error"))
  }
  if (issues.length > 0) return Result.fail(Invalid.issues(issues))
  const whole = `${prefixOf(service)}${pathname.replace(/^\//, "")}${parameters.size === 0 ? "" : `?${parameters.toString()}`}`
  return Result.succeed({
    method: String(method),
    path: whole,
    ...(body === undefined
      ? {}
      : {
          body: JSON.stringify(body),
          headers: { "content-type": mediaTypeOf(service, String(method), body) }
        })
  })
}

const issue = (name: string, msg: string, type: string): Issue => ({ loc: ["arguments", name], msg, type })

const splitAt = (text: string, mark: string): readonly [string, string] => {
  const at = text.indexOf(mark)
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)]
}

/** The characters of a path: those of RFC 3986, without the parameters of segments. */
const allowed = /^\/?[A-Za-z0-9\-._~!$&'()*+,=:@%/]+$/
const dots = /^(\.|%2e){1,2}$/i

const pathIssues = (path: unknown, pathname: string): ReadonlyArray<Issue> => {
  const wrong = (why: string) => [issue("path", why, "value_error")]
  if (path === undefined) return [issue("path", "Field required", "missing")]
  if (!Predicate.isString(path)) return [issue("path", "Input should be a string", "string_type")]
  if (!allowed.test(pathname)) return wrong("Input should be a path of the service, percent-encoded, without # and ;")
  const segments = pathname.replace(/^\//, "").replace(/\/$/, "").split("/")
  if (segments.some((_) => _ === "" || dots.test(_))) return wrong("Input should have no empty and no dot segments")
  return []
}

const queryIssues = (query: unknown, parameters: URLSearchParams): ReadonlyArray<Issue> => {
  if (!Predicate.isReadonlyObject(query)) return [issue("query", "Input should be an object", "value_error")]
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (!Predicate.isString(one) && !Predicate.isNumber(one) && !Predicate.isBoolean(one)) {
        return [issue("query", "Input should have strings, numbers and booleans", "value_error")]
      }
      parameters.append(name, String(one))
    }
  }
  return []
}

/** Whether the answer has no end. The API server takes every value except `0` and `false` for true. */
const isEndless = (pathname: string, query: URLSearchParams): boolean =>
  ["watch", "follow"].some((name) => query.getAll(name).some((_) => !/^(0|false)$/i.test(_))) ||
  /(^|\/)watch(\/|$)/.test(pathname)

/** Whether the API server passes the call on to a pod, a Service or a node. */
const leadsToServer = (pathname: string): boolean => /\/(?:pods|services|nodes)\/[^/]+\/proxy(?:\/|$)/i.test(pathname)

/** Some services have a media type of their own for patches. */
const mediaTypeOf = (service: Proxied, method: string, body: unknown): string => {
  if (method !== "PATCH") return "application/json"
  if (service === "image") return "application/openstack-images-v2.1-json-patch"
  if (service !== "kubernetes") return "application/json"
  return Array.isArray(body) ? "application/json-patch+json" : "application/merge-patch+json"
}
