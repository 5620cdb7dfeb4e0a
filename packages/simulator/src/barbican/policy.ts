import { Result } from "effect"
import { scoped } from "../keystone/scope.ts"
import type { Scope } from "../keystone/state.ts"
import type { Answer, Handler, Incoming, Step } from "../Wire.ts"
import { policyRefused, refuse } from "./answers.ts"
import { settle } from "./settle.ts"
import type { Acl, BarbicanState } from "./state.ts"

/** A call behind the token middleware. */
export interface Request {
  readonly incoming: Incoming
  readonly barbican: BarbicanState
  readonly scope: Scope
}

/** `max_allowed_request_size_in_bytes`. */
const maxBody = 25_000

/** A route whose steps may each end it with an answer. */
export const call = (handler: (request: Request) => Step<Answer>): Handler =>
  scoped((incoming, scope) => {
    const { barbican } = incoming.world
    settle(barbican, incoming.now)
    const answer = Result.merge(
      incoming.body.length > maxBody ? refuse(413, "Request is too large.") : handler({ incoming, barbican, scope })
    )
    return { ...answer, headers: { ...answer.headers, "openstack-api-version": `key-manager ${versionOf(incoming)}` } }
  })

/** The microversion of the request: 1.0 unless the client asks for 1.1. */
export const versionOf = ({ headers }: Incoming): "1.0" | "1.1" =>
  /^key-manager (1\.1|latest)$/i.test(headers["openstack-api-version"]?.trim() ?? "") ? "1.1" : "1.0"

/**
 * The policy of the simulated release, which predates secure RBAC: it has roles of its own and ignores `member`,
 * even on a read.
 */
type Rule = (scope: Scope) => boolean

const holds =
  (...roles: ReadonlyArray<string>): Rule =>
  (scope) =>
    roles.some((_) => scope.roles.includes(_))

export const adminOrCreator = holds("admin", "creator")
export const allButAudit = holds("admin", "observer", "creator")
export const allUsers = holds("admin", "observer", "creator", "audit", "key-manager:service-admin")
export const serviceAdmin = holds("key-manager:service-admin")

/** The fields of secrets and containers that the policy reads. */
interface Entity {
  readonly project_id: string
  readonly creator_id: string
  readonly acl: Acl | null
}

export type EntityRule = (scope: Scope, entity: Entity) => boolean

const inProject: EntityRule = (scope, { project_id }) => scope.projectId === project_id
const isPrivate = ({ acl }: Entity): boolean => acl?.project_access === false

/** `admin` is effective in its own project only. */
const projectAdmin: EntityRule = (scope, entity) => scope.admin && inProject(scope, entity)
const creatorRole: EntityRule = (scope, entity) => scope.roles.includes("creator") && inProject(scope, entity)
const theCreator: EntityRule = (scope, entity) => creatorRole(scope, entity) && scope.userId === entity.creator_id
const listed: EntityRule = (scope, { acl }) => acl?.users.includes(scope.userId) ?? false

const reading =
  (rule: Rule): EntityRule =>
  (scope, entity) =>
    (rule(scope) && inProject(scope, entity) && !isPrivate(entity)) ||
    theCreator(scope, entity) ||
    projectAdmin(scope, entity) ||
    listed(scope, entity)

/** Reads everything of a secret except its payload. */
export const mayRead = reading(allUsers)
export const mayDecrypt = reading(allButAudit)

export const mayFill: EntityRule = (scope, entity) => adminOrCreator(scope) && inProject(scope, entity)

export const mayReadAcl: EntityRule = (scope, entity) => allButAudit(scope) && inProject(scope, entity)

/**
 * Deletes a secret, its metadata or its ACL: its creator, or another member of the project unless the secret is
 * private.
 */
export const mayManage: EntityRule = (scope, entity) =>
  projectAdmin(scope, entity) || theCreator(scope, entity) || (creatorRole(scope, entity) && !isPrivate(entity))

/** Only its creator or an administrator may delete a container. */
export const mayRemoveContainer: EntityRule = (scope, entity) =>
  projectAdmin(scope, entity) || theCreator(scope, entity)

/** Checks only the caller's roles. */
export const permit = ({ scope }: Request, operation: string, rule: Rule): Step<void> =>
  rule(scope) ? Result.void : policyRefused(operation)

/** Another project's resource is a 403, not a 404: the policy runs after the lookup. */
export const permitted = <A extends Entity>(
  { scope }: Request,
  operation: string,
  rule: EntityRule,
  found: Step<A>
): Step<A> =>
  Result.flatMap(found, (entity) => (rule(scope, entity) ? Result.succeed(entity) : policyRefused(operation)))
