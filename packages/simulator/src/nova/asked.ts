import { settleCinder } from "../cinder/state.ts"
import { webob } from "../glance/webob.ts"
import { scoped } from "../keystone/scope.ts"
import type { Scope } from "../keystone/state.ts"
import { settle } from "../octavia/settle.ts"
import type { Answer, Handler, Incoming } from "../Wire.ts"
import { unreadable } from "./body.ts"
import { badRequest, fault, notFound, policyRefuses } from "./fault.ts"
import type { Server } from "./state.ts"

/** A call behind the token middleware, with its microversion as the number after the `2.`. */
export interface Asked extends Incoming {
  readonly scope: Scope
  readonly minor: number
}

export type Answering = (asked: Asked) => Answer

/** The version that is implemented; above it 406. */
const maxMinor = 101

const minorOf = (headers: Incoming["headers"]): number | string => {
  const named = /(?:^|,)\s*compute\s+([^,]*)/.exec(headers["openstack-api-version"] ?? "")?.[1]?.trim()
  const asked = named ?? headers["x-openstack-nova-api-version"]
  if (asked === undefined) return 1
  if (asked === "latest") return maxMinor
  const minor = /^2\.([1-9]\d*)$/.exec(asked)?.[1]
  return minor === undefined ? asked : Number(minor)
}

/** A route of the compute API: token, microversion, and everything that was due has happened. */
export const computeRoute = (handler: Answering): Handler =>
  scoped((incoming, scope) => {
    const minor = minorOf(incoming.headers)
    if (typeof minor === "string" && !/^\d+\.\d+$/.test(minor)) {
      return typed(badRequest(`API Version String ${minor} is of invalid format. Must be of format MajorNum.MinorNum.`))
    }
    const version = typeof minor === "string" ? minor : `2.${minor}`
    const told = (answer: Answer) => typed({ ...answer, headers: { ...answer.headers, ...echo(version) } })
    if (typeof minor === "string" || minor > maxMinor) {
      return told(
        fault(406, `Version ${version} is not supported by the API. Minimum is 2.1 and maximum is 2.${maxMinor}.`)
      )
    }
    const unread = unreadable(incoming)
    if (unread !== undefined) return told(unread)
    const project = incoming.params["project"]
    if (project !== undefined && !/^[0-9a-f-]+$/.test(project))
      return webob(incoming, 404, "The resource could not be found.")
    if (project !== undefined && project !== scope.projectId) {
      return told(
        badRequest(
          `Malformed request URL: URL's project_id '${project}' doesn't match Context's project_id '${scope.projectId}'`
        )
      )
    }
    settle(incoming.world, incoming.now)
    settleCinder(incoming.world.cinder, incoming.now)
    return told(handler({ ...incoming, scope, minor }))
  })

/** A refusal says its charset, a good answer does not; and without a body there is a type all the same. */
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

/** A call that changes something: role `reader` is not enough. */
export const memberRoute = (rule: string, handler: Answering): Handler =>
  computeRoute((asked) =>
    asked.scope.roles.includes("member") ? handler(asked) : policyRefuses(`os_compute_api:${rule}`)
  )

export const adminRoute = (rule: string, handler: Answering): Handler =>
  computeRoute((asked) => (asked.scope.admin ? handler(asked) : policyRefuses(`os_compute_api:${rule}`)))

/** A handler of one server; another project's does not exist, except for an administrator. */
export const ofServer =
  (handler: (asked: Asked, server: Server) => Answer): Answering =>
  (asked) => {
    const id = asked.params["id"] ?? ""
    const server = asked.world.nova.servers[id]
    return server === undefined || (!asked.scope.admin && server.project_id !== asked.scope.projectId)
      ? notFound(`Instance ${id} could not be found.`)
      : handler(asked, server)
  }

/** The 409 of a server that is locked against everybody but administrators. */
export const lockedFor = ({ scope }: Asked, server: Server): Answer | undefined =>
  server.locked_by === null || scope.admin ? undefined : fault(409, `Instance ${server.id} is locked`)

/** The 409 of a call that the server's state does not allow. */
export const wrongState = (action: string, server: Server, states: ReadonlyArray<string>): Answer | undefined => {
  const refuse = (attribute: string, state: string) =>
    fault(409, `Cannot '${action}' instance ${server.id} while it is in ${attribute} ${state}`)
  if (!states.includes(server.vm_state)) return refuse("vm_state", server.vm_state)
  return server.task_state === null ? undefined : refuse("task_state", server.task_state)
}

/** Where clients find this API, as Nova spells its links: with the project where the URL says it, in whatever place. */
export const computeBase = ({ headers, scope, target }: Asked): string =>
  `http://${headers["host"] ?? "localhost"}/compute/v2.1${target.includes(scope.projectId) ? `/${scope.projectId}` : ""}`

export const linksOf = (asked: Asked, kind: string, id: string) => [
  { rel: "self", href: `${computeBase(asked)}/${kind}/${id}` },
  { rel: "bookmark", href: `${computeBase(asked).replace("/v2.1", "")}/${kind}/${id}` }
]

export { stamp } from "./stamp.ts"
