import { CurrentCaller } from "@portico/contract/Access"
import { apiOf } from "@portico/contract/Api"
import { OrgUsers } from "@portico/contract/Org"
import { pageRequestOf } from "@portico/contract/Page"
import { setBilling } from "@portico/domain/org/billing"
import { inviteUser } from "@portico/domain/org/invite"
import { removeUser } from "@portico/domain/org/remove"
import { listUsers } from "@portico/domain/org/users"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { exact } from "./exact.ts"

export const OrgUsersHandlers = HttpApiBuilder.group(apiOf(OrgUsers), "org-users", (handlers) =>
  handlers.handleAll(
    exact(handlers, {
      list: ({ query }) => Effect.flatMap(CurrentCaller, (caller) => listUsers(caller, query, pageRequestOf(query))),
      invite: ({ payload }) => Effect.flatMap(CurrentCaller, (caller) => inviteUser(caller, payload)),
      setBilling: ({ params, payload }) =>
        Effect.flatMap(CurrentCaller, (caller) => setBilling(caller, params.user_id, payload)),
      remove: ({ params }) => Effect.flatMap(CurrentCaller, (caller) => removeUser(caller, params.user_id))
    })
  )
)
