import { CurrentCaller } from "@portico/contract/Access"
import { apiOf } from "@portico/contract/Api"
import { pageRequestOf } from "@portico/contract/Page"
import { Signup, Signups } from "@portico/contract/Signups"
import { approveSignup, rejectSignup } from "@portico/domain/signups/approve"
import { listSignups } from "@portico/domain/signups/list"
import { requestSignup } from "@portico/domain/signups/request"
import { capacity } from "@portico/domain/tenants/admission"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { arrivalOf, SourceAddresses } from "../requests/sourceAddress.ts"
import { exact } from "./exact.ts"

export const SignupHandlers = HttpApiBuilder.group(apiOf(Signup), "signup", (handlers) =>
  handlers.handleAll(
    exact(handlers, {
      request: ({ payload, request }) =>
        Effect.flatMap(SourceAddresses, (_) => requestSignup(payload, _.of(arrivalOf(request))))
    })
  )
)

export const SignupsHandlers = HttpApiBuilder.group(apiOf(Signups), "signups", (handlers) =>
  handlers.handleAll(
    exact(handlers, {
      list: ({ query }) => listSignups(query.state, pageRequestOf(query)),
      capacity: () => capacity(),
      approve: ({ params, payload }) =>
        Effect.flatMap(CurrentCaller, (caller) => approveSignup(caller, params.signup_id, payload)),
      reject: ({ params }) => Effect.flatMap(CurrentCaller, (caller) => rejectSignup(caller, params.signup_id))
    })
  )
)
