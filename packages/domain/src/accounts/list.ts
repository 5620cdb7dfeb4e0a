import type { AccountPage, AccountState } from "@portico/contract/Accounts"
import { pageOf, type PageRequest } from "@portico/contract/Page"
import { Accounts } from "@portico/store/Accounts"
import { DateTime, Effect } from "effect"
import { toRow } from "./show.ts"

/** Every account in the given state, or in any, oldest first. */
export const listAccounts = Effect.fn("accounts.list")(function* (
  state: AccountState | undefined,
  request: PageRequest
) {
  const { count, rows } = yield* (yield* Accounts).page(state, request)
  const page = pageOf(rows, request, ({ created_at, number }) => ({
    at: DateTime.toEpochMillis(created_at),
    id: String(number)
  }))
  return {
    count,
    next_cursor: page.next_cursor,
    accounts: yield* Effect.forEach(page.rows, toRow)
  } satisfies AccountPage
})
