import { randomUUID } from "node:crypto"
import { Result } from "effect"
import { type JsonObject, objectAt, stringAt } from "../Json.ts"
import { scoped } from "../keystone/scope.ts"
import type { Scope } from "../keystone/state.ts"
import { settle } from "../octavia/settle.ts"
import type { Answer, Handler, Incoming, Step } from "../Wire.ts"
import { toSecondsUtc } from "../times.ts"
import { badRequest, policyRefused, refuse } from "./errors.ts"
import type { NeutronState, Thing } from "./state.ts"

/** A call as the network service sees it. */
export interface Request {
  readonly incoming: Incoming
  readonly scope: Scope
  readonly neutron: NeutronState
  /** The time, as objects carry it. */
  readonly now: string
}

/** A route whose steps may each end it with an answer. */
export const call = (handler: (request: Request) => Step<Answer>): Handler =>
  scoped((incoming, scope) => {
    settle(incoming.world, incoming.now)
    const now = toSecondsUtc(incoming.now)
    return Result.merge(handler({ incoming, scope, neutron: incoming.world.neutron, now }))
  })

export const param = ({ incoming }: Request, name: string): string => incoming.params[name] ?? ""

/** The object of a body under the resource's name, or the 400 of a body without it. */
export const wrapped = ({ incoming }: Request, key: string): Step<JsonObject> => {
  const body = objectAt(incoming.json)
  if (incoming.body.length > 0 && incoming.json === undefined) return badRequest("Body contains invalid data")
  const value = body[key]
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Result.succeed(objectAt(body, key))
    : badRequest(`Unable to find '${key}' in request body`)
}

/** Administrators may create for any project; other callers may name only their own. */
export const projectOf = ({ scope }: Request, body: JsonObject): Step<string> => {
  const [project, tenant] = [stringAt(body, "project_id"), stringAt(body, "tenant_id")]
  if (project !== undefined && tenant !== undefined && project !== tenant) {
    return badRequest("'project_id' and 'tenant_id' do not match")
  }
  const named = project ?? tenant ?? scope.projectId
  return named === scope.projectId || scope.admin
    ? Result.succeed(named)
    : badRequest(
        "Specifying 'project_id' or 'tenant_id' other than the authenticated project in request requires admin or " +
          "advsvc privileges"
      )
}

export const owns = (scope: Scope, thing: { readonly project_id: string }): boolean =>
  scope.admin || scope.projectId === thing.project_id

/** Every write needs the role `member`. */
export const mayWrite = ({ scope }: Request, rule: string): Step<void> =>
  scope.admin || scope.roles.includes("member") ? Result.void : policyRefused(rule)

export const newThing = (now: string, project: string, given: JsonObject = {}): Thing => ({
  id: randomUUID(),
  project_id: project,
  name: stringAt(given, "name") ?? "",
  description: stringAt(given, "description") ?? "",
  tags: [],
  created_at: now,
  updated_at: now,
  revision_number: 1
})

export const touch = (thing: Thing, now: string): void => {
  thing.updated_at = now
  thing.revision_number += 1
}

/** Optimistic locking of every object: `If-Match: revision_number=3`. */
export const ifMatch = ({ incoming }: Request, thing: Thing): Step<void> => {
  const wanted = /^"?revision_number=(\d+)"?$/.exec(incoming.headers["if-match"] ?? "")?.[1]
  return wanted === undefined || Number(wanted) === thing.revision_number
    ? Result.void
    : refuse(
        412,
        "RevisionNumberConstraintFailed",
        `Constrained to ${wanted}, but current revision is ${thing.revision_number}`
      )
}
