import { CurrentCaller } from "@portico/contract/Access"
import { AccountGroup, Accounts, FinalizeRequest } from "@portico/contract/Accounts"
import { apiOf } from "@portico/contract/Api"
import { bodyOr } from "@portico/contract/optionalBody"
import { pageRequestOf } from "@portico/contract/Page"
import { closeAccount } from "@portico/domain/accounts/close"
import { finalizeAccount } from "@portico/domain/accounts/finalize"
import { listAccounts } from "@portico/domain/accounts/list"
import { reopenAccount } from "@portico/domain/accounts/reopen"
import { showAccount } from "@portico/domain/accounts/show"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { exact } from "./exact.ts"

const finalizing = bodyOr(FinalizeRequest)

export const AccountHandlers = HttpApiBuilder.group(apiOf(AccountGroup), "account", (handlers) =>
  handlers.handleAll(
    exact(handlers, {
      show: ({ query }) => Effect.flatMap(CurrentCaller, (caller) => showAccount(caller, query.project)),
      close: ({ payload, query }) =>
        Effect.flatMap(CurrentCaller, (caller) => closeAccount(caller, query.project, payload))
    })
  )
)

export const AccountsHandlers = HttpApiBuilder.group(apiOf(Accounts), "accounts", (handlers) =>
  handlers.handleAll(
    exact(handlers, {
      list: ({ query }) => listAccounts(query.state, pageRequestOf(query)),
      reopen: ({ params }) => reopenAccount(params.number),
      finalize: ({ params, payload }) =>
        Effect.flatMap(CurrentCaller, (caller) => finalizeAccount(caller, params.number, finalizing(payload)))
    })
  )
)
