import { Result } from "effect"
import { type Answer, json, type Step } from "../Wire.ts"

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

export const invalidInput = (why: string): Step<never> =>
  refuse(400, "InvalidInput", `Invalid input for operation: ${why}.`)

/** The 400 of the router service, with its own spelling of the type. */
export const badRouterRequest = (message: string): Step<never> =>
  refuse(400, "BadRequest", `Bad router request: ${message}.`)

/** Kinds with their own message for a 404. */
const notFoundMessages: Readonly<Record<string, (id: string) => string>> = {
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
  refuse(404, `${title}NotFound`, notFoundMessages[title]?.(id) ?? `${title} ${id} could not be found.`)

/** The policy's refusal for another project's object. */
export const hidden: Step<never> = refuse(404, "HTTPNotFound", "The resource could not be found.")

export const policyRefused = (rule: string): Step<never> =>
  refuse(403, "PolicyNotAuthorized", `(rule:${rule}) is disallowed by policy`)

/** The same for a single rule that is not combined from several. */
export const ruleRefused = (rule: string): Step<never> =>
  refuse(403, "PolicyNotAuthorized", `rule:${rule} is disallowed by policy`)

export const overQuota = (resources: ReadonlyArray<string>): Step<never> =>
  refuse(409, "OverQuota", `Quota exceeded for resources: [${resources.map((_) => `'${_}'`).join(", ")}].`)
