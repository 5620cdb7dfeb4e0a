import { Result } from "effect"
import { scoped } from "../keystone/scope.ts"
import type { Scope } from "../keystone/state.ts"
import type { Answer, Handler, Incoming } from "../Wire.ts"
import { policyRefused, refuse, type Step } from "./answers.ts"
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

/** The version of the API that is spoken: the older one unless the newer one is asked for. */
export const versionOf = ({ headers }: Incoming): "1.0" | "1.1" =>
  /^key-manager (1\.1|latest)$/i.test(headers["openstack-api-version"]?.trim() ?? "") ? "1.1" : "1.0"

/**
 * The policy of the simulated release, which is the older one: roles of its
 * own, beside which `member` counts for nothing, even on a read.
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

/** What secrets and containers have in common for the policy. */
interface RunToCompletion {
  readonly project_id: string
  readonly creator_id: string
  readonly acl: Acl | null
}

type EntityRule = (scope: Scope, entity: RunToCompletion) => boolean

const inProject: EntityRule = (scope, { project_id }) => scope.projectId === project_id
const isPrivate = ({ acl }: RunToCompletion): boolean => acl?.project_access === false

/** `admin` here counts in its own project alone. */
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

/** Everything about it but its payload. */
export const mayRead = reading(allUsers)
export const mayDecrypt = reading(allButAudit)

export const mayFill: EntityRule = (scope, entity) => adminOrCreator(scope) && inProject(scope, entity)

export const mayReadAcl: EntityRule = (scope, entity) => allButAudit(scope) && inProject(scope, entity)

/** Removal of a secret, its metadata and who may read: its creator, or a colleague unless it is private. */
export const mayManage: EntityRule = (scope, entity) =>
  projectAdmin(scope, entity) || theCreator(scope, entity) || (creatorRole(scope, entity) && !isPrivate(entity))

/** A container is removed by its creator or an administrator, and by nobody else. */
export const mayRemoveContainer: EntityRule = (scope, entity) =>
  projectAdmin(scope, entity) || theCreator(scope, entity)

/** Looks at the caller alone. */
export const permit = ({ scope }: Request, operation: string, rule: Rule): Step<void> =>
  rule(scope) ? Result.succeed(undefined) : policyRefused(operation)

/** Another project's things are refused and not hidden: the policy looks only after the database has found them. */
export const permitOn = (
  { scope }: Request,
  operation: string,
  rule: EntityRule,
  entity: RunToCompletion
): Step<void> => (rule(scope, entity) ? Result.succeed(undefined) : policyRefused(operation))
