import { Result } from "effect"
import { scoped } from "../keystone/scope.ts"
import type { Scope } from "../keystone/state.ts"
import { type Answer, type Handler, type Incoming, json } from "../Wire.ts"
import { settle } from "./settle.ts"

/** One step of a call: what it yields, or the answer that ends the call. */
export type Step<A> = Result.Result<A, Answer>

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

/** The policy of the simulated release: a role of its own, beside which `member` counts for nothing, even on a read. */
const role = "load-balancer_member"

/** A route whose steps may each end it with an answer. */
export const call = (handler: (request: Request) => Step<Answer>): Handler =>
  scoped((incoming, scope) => {
    settle(incoming.world, incoming.now)
    if (!acceptsJson(incoming)) return Result.merge(notAcceptable)
    if (!scope.admin && !scope.roles.includes(role)) return Result.merge(policyRefused)
    return Result.merge(handler({ incoming, scope }))
  })

/** Another project's things are refused and not hidden: the policy looks only after the database has found them. */
export const allowed = ({ scope }: Request, project: string): Step<void> =>
  scope.admin || scope.projectId === project ? Result.succeed(undefined) : policyRefused
