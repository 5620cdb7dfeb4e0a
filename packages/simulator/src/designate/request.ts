import { Result } from "effect"
import { entry, isUuid, type JsonObject, objectAt } from "../Json.ts"
import { scoped } from "../keystone/scope.ts"
import type { Scope } from "../keystone/state.ts"
import { type Answer, empty, type Handler, type Incoming, originOf, type Step } from "../Wire.ts"
import { refuse } from "./answers.ts"
import { settle } from "./settle.ts"
import type { DesignateState } from "./state.ts"

/** A call behind the token and context middleware. */
export interface Request {
  readonly incoming: Incoming
  readonly designate: DesignateState
  readonly scope: Scope
  /** The project of the call: the token's, or the one that an administrator impersonates. */
  readonly projectId: string
  /** Whether the call is for all projects. */
  readonly everywhere: boolean
  readonly editManaged: boolean
  readonly hideCounts: boolean
  /** The query without the parameters that the middleware consumed. */
  readonly query: URLSearchParams
}

/** The values that `oslo_utils` reads as true; every other value is false. */
const isTrue = (text: string | null | undefined): boolean => /^(1|t|true|on|y|yes)$/i.test(text?.trim() ?? "")

/** The context of a call; undefined when the headers ask for more than the roles allow. */
const contextOf = (incoming: Incoming, scope: Scope): Request | undefined => {
  const { headers } = incoming
  const query = new URLSearchParams(incoming.query)
  const sudo = headers["x-auth-sudo-project-id"] || headers["x-auth-sudo-tenant-id"]
  let everywhere = isTrue(headers["x-auth-all-projects"])
  for (const name of ["all_projects", "all_tenants"]) {
    if (query.has(name)) everywhere = isTrue(query.get(name))
    query.delete(name)
  }
  const editManaged = isTrue(query.get("edit_managed_records") ?? headers["x-designate-edit-managed-records"])
  query.delete("edit_managed_records")
  const privileged = Boolean(sudo) || everywhere || editManaged || isTrue(headers["x-designate-hard-delete"])
  if (privileged && !scope.admin) return undefined
  return {
    incoming,
    designate: incoming.world.designate,
    scope,
    projectId: sudo || scope.projectId,
    everywhere,
    editManaged,
    hideCounts: isTrue(headers["openstack-dns-hide-counts"]),
    query
  }
}

/** A route whose steps may each end it with an answer. Parameters whose names end in `_id` must be UUIDs. */
export const call = (handler: (request: Request) => Step<Answer>): Handler =>
  scoped((incoming, scope) => {
    settle(incoming.world.designate, incoming.now)
    const request = contextOf(incoming, scope)
    if (request === undefined) return empty(403, { "content-type": "text/html; charset=utf-8" })
    const wrong = Object.entries(incoming.params).find(([name, value]) => name.endsWith("_id") && !isUuid(value))
    if (wrong !== undefined) return Result.merge(refuse(400, "invalid_uuid", `Invalid UUID ${wrong[0]}: ${wrong[1]}`))
    return Result.merge(handler(request))
  })

/** Whether the caller may read a project's resources. */
export const sees = ({ everywhere, projectId }: Request, owner: string): boolean => everywhere || owner === projectId

/** The caller's visible resources of a record, settled up to now. */
export const seen = <A extends { readonly project_id: string }, View>(
  request: Request,
  things: Readonly<Record<string, A>>,
  show: (request: Request, thing: A) => View
): ReadonlyArray<View> =>
  Object.values(things)
    .filter((_) => sees(request, _.project_id))
    .map((_) => show(request, _))

/** The JSON object of the body. */
export const bodyOf = ({ incoming }: Request): Step<JsonObject> => {
  if (!/^application\/json\b/i.test(incoming.headers["content-type"] ?? "")) {
    return refuse(415, "unsupported_content_type", "Content-type must be application/json")
  }
  if (incoming.body.length === 0) return refuse(400, "empty_request_body", "Request Body is empty")
  const { json: body } = incoming
  if (body === undefined) return refuse(400, "invalid_json", "Malformed JSON")
  return typeof body === "object" && body !== null && !Array.isArray(body)
    ? Result.succeed(objectAt(body))
    : refuse(400, "invalid_object", "Provided object is not valid. Got a TypeError error with message not an object")
}

export const param = ({ incoming }: Request, name: string): string => incoming.params[name] ?? ""

/** A resource by id, or the 404 of its kind: another project's does not exist. */
export const own = <A extends { readonly project_id: string }>(
  request: Request,
  things: Readonly<Record<string, A>>,
  id: string,
  kind: string,
  type: string
): Step<A> => {
  const thing = entry(things, id)
  return thing !== undefined && sees(request, thing.project_id)
    ? Result.succeed(thing)
    : refuse(404, `${type}_not_found`, `Could not find ${kind}`)
}

/** The base of links in answers. */
export const baseOf = ({ incoming }: Request): string => `${originOf(incoming)}/dns`
