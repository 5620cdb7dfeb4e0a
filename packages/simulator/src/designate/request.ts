import { Result } from "effect"
import { entry, isUuid, type JsonObject, objectAt } from "../Json.ts"
import { scoped } from "../keystone/scope.ts"
import type { Scope } from "../keystone/state.ts"
import { type Answer, empty, type Handler, type Incoming, json, originOf, type Step } from "../Wire.ts"
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

/** Whether a media type is in one of the ranges of an `Accept` header. Their weights make no difference here. */
const isAccepted = (accept: string | undefined, type: string): boolean =>
  !accept ||
  accept.split(",").some((part) => {
    const range = part.replace(/;.*/, "").trim().toLowerCase()
    return range === "*/*" || range === type || range === type.replace(/\/.*/, "/*")
  })

/** Pecan's refusal of an `Accept` header, in JSON for whoever reads it. */
const notAcceptable = (accept: string | undefined): Answer =>
  isAccepted(accept, "application/json")
    ? json(406, { code: 406, title: "Not Acceptable", description: null })
    : {
        status: 406,
        headers: { "content-type": "text/plain; charset=UTF-8" },
        body:
          "406 Not Acceptable\n\nThe resource could not be generated that was acceptable to your browser " +
          `(content of type ${accept}. \n\n `
      }

/**
 * A route whose steps may each end it with an answer. Parameters whose names end in `_id` must be UUIDs.
 * @param type what it answers with, of which the `Accept` header must not exclude it
 */
export const call = (handler: (request: Request) => Step<Answer>, type = "application/json"): Handler =>
  scoped((incoming, scope) => {
    const { accept } = incoming.headers
    if (!isAccepted(accept, type)) return notAcceptable(accept)
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

const unsupported = refuse(415, "unsupported_content_type", "Content-type must be application/json")
const emptyBody = refuse(400, "empty_request_body", "Request Body is empty")

/** The JSON object of the body. A `null` is an empty body. */
export const bodyOf = ({ incoming }: Request): Step<JsonObject> => {
  if (!/^application\/json\b/i.test(incoming.headers["content-type"] ?? "")) return unsupported
  const { json: body } = incoming
  if (incoming.body.length === 0 || body === null) return emptyBody
  if (body === undefined) return refuse(400, "invalid_json", "Malformed JSON")
  return typeof body === "object" && !Array.isArray(body)
    ? Result.succeed(objectAt(body))
    : refuse(400, "invalid_object", "Provided object is not valid. Got a TypeError error with message not an object")
}

/** The JSON object of a body that may be empty. */
export const optionalBodyOf = (request: Request): Step<JsonObject> => {
  const body = bodyOf(request)
  return body === emptyBody ? Result.succeed({}) : body
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
