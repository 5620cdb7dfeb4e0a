import { Result } from "effect"
import { type Answer, json } from "../Wire.ts"

/** One step of a call: what it yields, or the answer that ends the call. */
export type Step<A> = Result.Result<A, Answer>

export const answerOf = (status: number, type: string, message: string): Answer =>
  json(status, { NeutronError: { type, message, detail: "" } })

export const refuse = (status: number, type: string, message: string): Step<never> =>
  Result.fail(answerOf(status, type, message))

/** An uncaught exception. */
export const failed: Step<never> = refuse(
  500,
  "HTTPInternalServerError",
  "Request Failed: internal server error while processing your request."
)

export const badRequest = (message: string): Step<never> => refuse(400, "HTTPBadRequest", message)

/** The 400 of the router service, which spells its type another way. */
export const badRouterRequest = (message: string): Step<never> =>
  refuse(400, "BadRequest", `Bad router request: ${message}.`)

/** Kinds whose absence upstream words in its own way. */
const absences: Readonly<Record<string, (id: string) => string>> = {
  SecurityGroup: (id) => `Security group ${id} does not exist`,
  SecurityGroupRule: (id) => `Security group rule ${id} does not exist`,
  FloatingIP: (id) => `Floating IP ${id} could not be found`,
  Router: (id) => `Router ${id} could not be found`,
  AddressGroup: (id) => `Address group ${id} could not be found.`,
  AddressScope: (id) => `Address scope ${id} could not be found.`,
  SubnetPool: (id) => `Subnet pool ${id} could not be found.`,
  RbacPolicy: (id) => `RBAC policy of type unknown with ID ${id} not found`
}

export const notFound = (title: string, id: string): Step<never> =>
  refuse(404, `${title}NotFound`, absences[title]?.(id) ?? `${title} ${id} could not be found.`)

/** Somebody else's object, where the policy looks and not the database. */
export const hidden: Step<never> = refuse(404, "HTTPNotFound", "The resource could not be found.")

export const policyRefused = (rule: string): Step<never> =>
  refuse(403, "PolicyNotAuthorized", `(rule:${rule}) is disallowed by policy`)

/** The same of a rule that is asked for by itself and not put together from several. */
export const ruleRefused = (rule: string): Step<never> =>
  refuse(403, "PolicyNotAuthorized", `rule:${rule} is disallowed by policy`)

export const overQuota = (resources: ReadonlyArray<string>): Step<never> =>
  refuse(409, "OverQuota", `Quota exceeded for resources: [${resources.map((_) => `'${_}'`).join(", ")}].`)
