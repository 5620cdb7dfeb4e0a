import { CurrentCaller } from "@portico/contract/Access"
import { OperatorApi } from "@portico/contract/Api"
import { pageRequestOf } from "@portico/contract/Page"
import { setBilling } from "@portico/domain/org/billing"
import { inviteUser } from "@portico/domain/org/invite"
import { removeUser } from "@portico/domain/org/remove"
import { listUsers } from "@portico/domain/org/users"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

export const OrgUsersHandlers = HttpApiBuilder.group(OperatorApi, "org-users", (handlers) =>
  handlers
    .handle("list", ({ query }) =>
      Effect.flatMap(CurrentCaller, (caller) => listUsers(caller, query, pageRequestOf(query)))
    )
    .handle("invite", ({ payload }) => Effect.flatMap(CurrentCaller, (caller) => inviteUser(caller, payload)))
    .handle("setBilling", ({ params, payload }) =>
      Effect.flatMap(CurrentCaller, (caller) => setBilling(caller, params.user_id, payload))
    )
    .handle("remove", ({ params }) => Effect.flatMap(CurrentCaller, (caller) => removeUser(caller, params.user_id)))
)
