import type { Resource } from "./Resource.ts"

/** Failures of accounts and their closing. */
export const accounts = {
  NotFound: {
    account: {
      code: "account_not_found",
      detail: (number: string) => `Account '${number}' not found`,
      example: ["7"],
      cause: "No account has this number.",
      fix: "List the accounts with GET /v1/tenants/accounts."
    }
  },
  Conflict: {
    accountNotClosing: {
      code: "account_not_closing",
      detail: (number: number, state: string) => `Account '${number}' is not closing: it is ${state}`,
      example: [7, "open"],
      cause: "The account is open, or destroyed already: there is nothing to reopen or to finalize.",
      fix: "Look at its state with GET /v1/tenants/accounts."
    },
    accountWindowOver: {
      code: "account_window_over",
      detail: (number: number, closesAt: string) =>
        `Account '${number}' cannot be reopened: its closing window was over at ${closesAt}`,
      example: [7, "2026-01-31T00:00:00.000Z"],
      cause: "The closing window is over, and the account is about to be destroyed.",
      fix: "Nothing brings the account back. Onboard the organisation anew."
    },
    accountDestroying: {
      code: "account_destroying",
      detail: (number: number) => `Account '${number}' cannot be reopened: its destruction has begun`,
      example: [7],
      cause: "The destruction of the account has begun, so that not all of it could be restored.",
      fix: "Nothing brings the account back. Onboard the organisation anew."
    },
    accountInWindow: {
      code: "account_in_window",
      detail: (number: number, closesAt: string) =>
        `The closing window of account '${number}' is over at ${closesAt}: state a reason to destroy it earlier`,
      example: [7, "2026-01-31T00:00:00.000Z"],
      cause: "The closing window is not over, and no reason was stated for destroying the account earlier.",
      fix: "Wait for the end of the window, after which it is destroyed by itself, or send a `reason`."
    }
  },
  Unprocessable: {
    /** Only for callers who may see the account, and so know its name. */
    closingNotConfirmed: {
      code: "closing_not_confirmed",
      detail: (name: string) => `Nothing was closed: confirm must be the name of the account, '${name}'`,
      example: ["Acme"],
      cause: "`confirm` is not the name of the account.",
      fix: "Send the name as GET /v1/account shows it, letter by letter."
    }
  }
} as const satisfies Resource
