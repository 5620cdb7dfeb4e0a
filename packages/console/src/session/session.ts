import type { Auth, Grant } from "@portico/client/auth/Auth"
import { failureOf } from "@portico/client/failure"
import { PorticoError } from "@portico/client/PorticoError"
import { useSyncExternalStore } from "react"
import * as v from "valibot"

/** `unknown`: not looked yet. `ended`: it was there, and the provider or somebody ended it. */
export type SessionState = "unknown" | "signed_in" | "signed_out" | "ended"

const address = "/console/session"
/** Milliseconds after which an answer is given up; the gateway gives the provider less. */
const longest = 30_000
const Granted = v.object({ access_token: v.string(), expires_in: v.number() })

let state: SessionState = "unknown"
/** A token that no call has taken over yet. */
let fresh: Grant | undefined
const listeners = new Set<() => void>()

/** Windows of the same console tell each other of a sign-out and of a new sign-in. */
const windows = new BroadcastChannel("portico-session")

const become = (next: SessionState): void => {
  if (state === next) return
  state = next
  for (const listener of listeners) listener()
}

windows.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
  if (data === "signed_out" && state === "signed_in") become("ended")
  // It may be another person: nothing of the one before stays on the screen, or is sent in the other's name.
  if (data === "signed_in" && state !== "unknown") location.reload()
})

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
export const useSessionState = (): SessionState => useSyncExternalStore(subscribe, () => state)

/** In the words of the gateway. */
const refused = (answer: Response): Promise<PorticoError> => failureOf(answer, "", new Date().getTime())

const granted = async (path: string, body?: object): Promise<Grant> => {
  const answer = await fetch(`${address}${path}`, {
    method: "POST",
    signal: AbortSignal.timeout(longest),
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body ?? {})
  })
  if (!answer.ok) throw await refused(answer)
  const { access_token: accessToken, expires_in: seconds } = v.parse(Granted, await answer.json())
  return { accessToken, expiresAt: new Date().getTime() + seconds * 1000 }
}

let renewal: Promise<Grant> | undefined

/** The session's token in force, which is the same in every window. One request at a time, however many clients ask. */
const renew = (): Promise<Grant> =>
  (renewal ??= granted("/refresh")
    .catch((error: unknown) => {
      if (error instanceof PorticoError && error.status === 401) become(state === "unknown" ? "signed_out" : "ended")
      throw error
    })
    .finally(() => (renewal = undefined)))

/** How the client gets its tokens: the session is a cookie that no script can read. */
export const sessionAuth: Auth = {
  renewable: true,
  obtain: () => {
    const held = fresh
    fresh = undefined
    return held === undefined ? renew() : Promise.resolve(held)
  }
}

/** Takes up the session of the cookie, if there is one. */
export const resume = async (): Promise<void> => {
  fresh = await renew()
  become("signed_in")
}

/** @param proof of the code: RFC 7636 */
export const begin = async (code: string, proof: { readonly verifier: string; readonly redirectUri: string }) => {
  fresh = await granted("", { code, code_verifier: proof.verifier, redirect_uri: proof.redirectUri })
  become("signed_in")
  windows.postMessage("signed_in")
}

/** The gateway has refused a token of the session that it had just given out: the provider has ended it. */
export const refuse = (): void => {
  if (state === "signed_in") become("ended")
}

/** Ends the session in every window. Fails, and leaves the session, when the gateway is not reached. */
export const end = async (): Promise<void> => {
  const answer = await fetch(address, {
    method: "DELETE",
    signal: AbortSignal.timeout(longest),
    headers: { "content-type": "application/json" }
  })
  if (!answer.ok) throw await refused(answer)
  fresh = undefined
  windows.postMessage("signed_out")
}

// A browser keeps a page that was left, with its token, and shows it as it was when somebody goes back.
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) location.reload()
})
