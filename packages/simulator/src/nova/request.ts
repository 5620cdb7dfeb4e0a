import { settleCinder } from "../cinder/state.ts"
import { webob } from "../glance/request.ts"
import { scoped } from "../keystone/scope.ts"
import type { Scope } from "../keystone/state.ts"
import { settle } from "../octavia/settle.ts"
import { type Answer, type Handler, type Incoming, originOf } from "../Wire.ts"
import { badRequest, fault, notFound, policyRefuses, unreadable } from "./fault.ts"
import type { NovaState, Server } from "./state.ts"

/** A call behind the token middleware, with its microversion as the number after the `2.`. */
export interface Request extends Incoming {
  readonly scope: Scope
  readonly minor: number
}

export type RequestHandler = (request: Request) => Answer

/** The highest implemented microversion, as the version document says; a higher one is a 406. */
export const newestMinor = 101

const minorOf = (headers: Incoming["headers"]): number | string => {
  const named = /(?:^|,)\s*compute\s+([^,]*)/.exec(headers["openstack-api-version"] ?? "")?.[1]?.trim()
  const version = named ?? headers["x-openstack-nova-api-version"]
  if (version === undefined) return 1
  if (version === "latest") return newestMinor
  const minor = /^2\.([1-9]\d*)$/.exec(version)?.[1]
  return minor === undefined ? version : Number(minor)
}

/** A route of the compute API: checks token and microversion, and applies every change that is due. */
export const computeRoute = (handler: RequestHandler): Handler =>
  scoped((incoming, scope) => {
    const minor = minorOf(incoming.headers)
    if (typeof minor === "string" && !/^\d+\.\d+$/.test(minor)) {
      return typed(badRequest(`API Version String ${minor} is of invalid format. Must be of format MajorNum.MinorNum.`))
    }
    const version = typeof minor === "string" ? minor : `2.${minor}`
    const withVersion = (answer: Answer) => typed({ ...answer, headers: { ...answer.headers, ...echo(version) } })
    if (typeof minor === "string" || minor > newestMinor) {
      return withVersion(
        fault(406, `Version ${version} is not supported by the API. Minimum is 2.1 and maximum is 2.${newestMinor}.`)
      )
    }
    const unread = unreadable(incoming)
    if (unread !== undefined) return withVersion(unread)
    const project = incoming.params["project"]
    if (project !== undefined && !/^[0-9a-f-]+$/.test(project))
      return webob(incoming, 404, "The resource could not be found.")
    if (project !== undefined && project !== scope.projectId) {
      return withVersion(
        badRequest(
          `Malformed request URL: URL's project_id '${project}' doesn't match Context's project_id '${scope.projectId}'`
        )
      )
    }
    settle(incoming.world, incoming.now)
    settleCinder(incoming.world.cinder, incoming.now)
    return withVersion(handler({ ...incoming, scope, minor }))
  })

/** Refusals have a charset, successes do not; an empty answer still has a content type. */
const typed = (answer: Answer): Answer => {
  const { "content-type": type = "application/json", ...headers } = answer.headers
  const charset = answer.status >= 400 && type === "application/json" ? "; charset=UTF-8" : ""
  return { ...answer, headers: { "content-type": `${type}${charset}`, ...headers } }
}

const echo = (version: string) => ({
  "openstack-api-version": `compute ${version}`,
  "x-openstack-nova-api-version": version,
  vary: "OpenStack-API-Version, X-OpenStack-Nova-API-Version"
})

/** A write: role `reader` is not enough. */
export const memberRoute = (rule: string, handler: RequestHandler): Handler =>
  computeRoute((request) =>
    request.scope.roles.includes("member") ? handler(request) : policyRefuses(`os_compute_api:${rule}`)
  )

export const adminRoute = (rule: string, handler: RequestHandler): Handler =>
  computeRoute((request) => (request.scope.admin ? handler(request) : policyRefuses(`os_compute_api:${rule}`)))

/**
 * A handler of one resource by the `:id` of the route; another project's does not exist, except for an
 * administrator.
 */
export const ofOne =
  <Thing extends { readonly project_id: string }>(
    things: (nova: NovaState) => Readonly<Record<string, Thing>>,
    absent: (id: string) => Answer
  ) =>
  (handler: (request: Request, thing: Thing) => Answer): RequestHandler =>
  (request) => {
    const id = request.params["id"] ?? ""
    const thing = things(request.world.nova)[id]
    return thing === undefined || (!request.scope.admin && thing.project_id !== request.scope.projectId)
      ? absent(id)
      : handler(request, thing)
  }

export const ofServer = ofOne(
  (_) => _.servers,
  (id) => notFound(`Instance ${id} could not be found.`)
)

/** The 409 of a locked server, which only administrators may change. */
export const lockedFor = ({ scope }: Request, server: Server): Answer | undefined =>
  server.locked_by === null || scope.admin ? undefined : fault(409, `Instance ${server.id} is locked`)

/** The 409 of a call that the server's state does not allow. */
export const wrongState = (action: string, server: Server, states: ReadonlyArray<string>): Answer | undefined => {
  const refuse = (attribute: string, state: string) =>
    fault(409, `Cannot '${action}' instance ${server.id} while it is in ${attribute} ${state}`)
  if (!states.includes(server.vm_state)) return refuse("vm_state", server.vm_state)
  return server.task_state === null ? undefined : refuse("task_state", server.task_state)
}

/** The base of Nova's links: with the project when the URL has it, in any position. */
export const computeBase = (request: Request): string => {
  const { scope, target } = request
  return `${originOf(request)}/compute/v2.1${target.includes(scope.projectId) ? `/${scope.projectId}` : ""}`
}

export const linksOf = (request: Request, kind: string, id: string) => [
  { rel: "self", href: `${computeBase(request)}/${kind}/${id}` },
  { rel: "bookmark", href: `${computeBase(request).replace("/v2.1", "")}/${kind}/${id}` }
]

/** A call that exists up to a microversion; without the header the microversion is the first one. */
export const until =
  (last: number, handler: RequestHandler): RequestHandler =>
  (request) =>
    request.minor <= last ? handler(request) : notFound("The resource could not be found.")

/** The last microversion with the proxies of other services. */
export const lastProxy = 35

export const proxyRead = (handler: RequestHandler): Handler => computeRoute(until(lastProxy, handler))

export const proxyWrite = (rule: string, handler: RequestHandler): Handler =>
  memberRoute(rule, until(lastProxy, handler))
