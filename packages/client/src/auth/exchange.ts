import { repeated } from "../engine/retry.ts"
import { sessionOf } from "../engine/session.ts"
import { isObject } from "@portico/contract/isObject"
import { failureOf, parsed } from "../failure.ts"
import { PorticoError } from "../PorticoError.ts"
import type { Auth } from "./Auth.ts"
import { pat } from "./pat.ts"

export interface ExchangeOptions {
  /** Reads the service account's token anew at each exchange, because the cluster replaces it: `() => readFile(path, "utf8")`. */
  readonly subjectToken: () => string | Promise<string>
  /** A Bearer of the tenant. It bounds what the new one may do, and has at least its tier. */
  readonly token: string | Auth
}

const path = "/v1/workload-identity/token-exchange"

/** Workload identity: a pod's token for a Bearer of an hour. */
export const exchange = ({ subjectToken, token }: ExchangeOptions): Auth => ({
  renewable: true,
  obtain: async (context) => {
    const { fetch, time, url } = context
    const own = await sessionOf(typeof token === "string" ? pat(token) : token, context).token()
    const body = JSON.stringify({ subject_token: await subjectToken() })
    const headers = { authorization: `Bearer ${own}`, "content-type": "application/json" }
    const send = () => fetch(`${url}${path}`, { method: "POST", headers, body, redirect: "manual" })
    // An exchange leaves nothing behind, so that a second one does no harm.
    const answer = await repeated({ send, signal: undefined, again: "always", hasKey: false }, { times: 2 }, time)
    if (!answer.ok) throw await failureOf(answer, "workload-identity.exchange", time.now())
    const granted = await parsed(await answer.text())
    if (!isObject(granted) || typeof granted["access_token"] !== "string" || !isBearer(granted["token_type"])) {
      const detail = "The exchange brought no token"
      throw new PorticoError("login_failed", { detail, status: answer.status })
    }
    const seconds = granted["expires_in"]
    return {
      accessToken: granted["access_token"],
      ...(typeof seconds === "number" ? { expiresAt: time.now() + seconds * 1000 } : {})
    }
  }
})

/** RFC 6749, section 5.1: the type is required, and compared without case. */
const isBearer = (type: unknown): boolean => typeof type === "string" && type.toLowerCase() === "bearer"
