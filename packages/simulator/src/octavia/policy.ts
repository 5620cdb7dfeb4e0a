import { Result } from "effect"
import { scoped } from "../keystone/scope.ts"
import type { Scope } from "../keystone/state.ts"
import { type Answer, type Handler, type Incoming, json, type Step } from "../Wire.ts"
import { settle } from "./settle.ts"

export interface Request {
  readonly incoming: Incoming
  readonly scope: Scope
}

export const refuse = (status: number, faultstring: string): Step<never> =>
  Result.fail(json(status, { faultcode: "Client", faultstring, debuginfo: null }))

export const policyRefused = refuse(403, "Policy does not allow this request to be performed.")

const notAcceptable: Step<never> = Result.fail(
  json(406, {
    errors: [
      {
        status: 406,
        title: "Not Acceptable",
        detail: "Only content type application/json is accepted.",
        request_id: ""
      }
    ]
  })
)

const acceptsJson = ({ headers }: Incoming): boolean =>
  headers["accept"] === undefined || /(\*|application)\/(\*|json)/.test(headers["accept"])

/** The policy of the simulated release has a role of its own and ignores `member`, even on a read. */
const role = "load-balancer_member"

/** A route whose steps may each end it with an answer. */
export const call = (handler: (request: Request) => Step<Answer>): Handler =>
  scoped((incoming, scope) => {
    settle(incoming.world, incoming.now)
    if (!acceptsJson(incoming)) return Result.merge(notAcceptable)
    if (!scope.admin && !scope.roles.includes(role)) return Result.merge(policyRefused)
    return Result.merge(handler({ incoming, scope }))
  })

/** Another project's resource is a 403, not a 404: the policy runs after the lookup. */
export const allowed = ({ scope }: Request, project: string): Step<void> =>
  scope.admin || scope.projectId === project ? Result.void : policyRefused
