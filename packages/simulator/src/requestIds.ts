import { randomUUID } from "node:crypto"
import type { Answer, Call, ServiceName } from "./Wire.ts"

/** Where the middleware that writes request ids stands in a service. */
interface Rule {
  /** The headers of an answer at this path with this status. */
  readonly headers: (path: string, status: number) => ReadonlyArray<string>
  /** The id of a call that brings one; other services keep it apart, as a global id. */
  readonly taken?: (given: string) => string
}

const openstack = "x-openstack-request-id"
const compute = "x-compute-request-id"

const isRoot = (path: string): boolean => path === "/" || path === ""

const everywhere: Rule = { headers: () => [openstack] }

/** The list of versions at the root is an application of its own, without the middleware. */
const belowRoot: Rule = { headers: (path) => (isRoot(path) ? [] : [openstack]) }

/** The middleware stands behind the check of the token, so a 401 has no id. */
const behindToken = (path: string, status: number) => (isRoot(path) || status === 401 ? [] : [openstack])

/** By the `api-paste.ini` of each service; Keystone and Octavia wrap their whole application. */
const rules: Readonly<Partial<Record<ServiceName, Rule>>> = {
  keystone: everywhere,
  octavia: everywhere,
  neutron: belowRoot,
  designate: belowRoot,
  nova: { headers: (path) => (isRoot(path) ? [] : [openstack, compute]) },
  // Cinder's resources add the second header, once there is a context.
  cinder: {
    headers: (path, status) => [openstack, ...(behindToken(path, status).length === 0 ? [] : [compute])]
  },
  glance: { headers: behindToken, taken: (given) => (given.startsWith("req-") ? given : `req-${given}`) },
  barbican: { headers: behindToken, taken: (given) => given }
}

/** Stands in a body for the id of its request, see {@link identified}. */
export const requestIdHere = "req-<the id of this request>"

/** A new id of a request. */
export const newRequestId = (): string => `req-${randomUUID()}`

/** The id of a call: the service's own, or the caller's where the service takes that. */
export const requestIdOf = ({ headers, service }: Pick<Call, "headers" | "service">): string => {
  const given = headers[openstack]
  const taken = rules[service]?.taken
  return given === undefined || given === "" || taken === undefined ? newRequestId() : taken(given)
}

/** The answer with the id of its request, in the headers in which the service writes it and in the body. */
export const identified = ({ path, service }: Call, answer: Answer, id: string): Answer => {
  const names = rules[service]?.headers(path, answer.status) ?? []
  if (names.length === 0) return answer
  const headers = { ...answer.headers, ...Object.fromEntries(names.map((name) => [name, id])) }
  const { body } = answer
  return { ...answer, headers, body: typeof body === "string" ? body.replace(requestIdHere, id) : body }
}
