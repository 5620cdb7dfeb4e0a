/** Refusals of the session routes, which are no part of the API document. */
const refusals = {
  foreign_origin: { status: 403, detail: "Only the console of this address can use its session" },
  login_refused: { status: 401, detail: "The identity provider refused the login: sign in again" },
  session_missing: { status: 401, detail: "There is no session: sign in" },
  session_ended: { status: 401, detail: "The session has ended: sign in again" }
} as const

type RefusalCode = keyof typeof refusals

/** A request that the session routes refuse. */
export class SessionRefused {
  readonly _tag = "SessionRefused"
  readonly status: number
  readonly body: { readonly detail: string; readonly code: RefusalCode }

  constructor(code: RefusalCode) {
    this.status = refusals[code].status
    this.body = { detail: refusals[code].detail, code }
  }
}
