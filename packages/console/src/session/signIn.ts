import { PorticoError } from "@portico/client/PorticoError"
import { begin, end } from "./session.ts"
import { consoleConfig } from "./config.ts"
import * as v from "valibot"

/** What has to be known when the provider sends the person back. It is gone with the tab. */
const Pending = v.object({ state: v.string(), verifier: v.string(), back: v.string() })
const key = "sign-in"

export const redirectUri = (): string => `${location.origin}/console/signed-in`

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCodePoint(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "")

const random = (): string => base64url(crypto.getRandomValues(new Uint8Array(32)))

/** Goes to the provider's page, and comes back to where the person is now. */
export const signIn = async (options: { readonly choose?: boolean } = {}): Promise<void> => {
  const { authorization_endpoint, client_id, scope } = await consoleConfig()
  const verifier = random()
  const state = random()
  const challenge = base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))))
  const back = location.pathname.startsWith("/console/signed-in")
    ? "/console/"
    : location.href.slice(location.origin.length)
  sessionStorage.setItem(key, JSON.stringify({ state, verifier, back }))
  const target = new URL(authorization_endpoint)
  for (const [name, value] of Object.entries({
    client_id,
    scope,
    state,
    response_type: "code",
    redirect_uri: redirectUri(),
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...(options.choose === true ? { prompt: "select_account" } : {})
  })) {
    target.searchParams.set(name, value)
  }
  location.assign(target)
}

/** Ends the session here, then at the provider, which would otherwise let the next person in without a question. */
export const signOut = async (): Promise<void> => {
  const { client_id, end_session_endpoint } = await consoleConfig()
  await end()
  const home = `${location.origin}/console/`
  const target = new URL(end_session_endpoint ?? home)
  if (end_session_endpoint !== null) {
    target.searchParams.set("client_id", client_id)
    target.searchParams.set("post_logout_redirect_uri", home)
  }
  location.assign(target)
}

/** The provider asks who it is, also when it knows somebody. */
export const signInAsAnother = async (): Promise<void> => {
  await end()
  await signIn({ choose: true })
}

/** `path`: where the person was. `reason`: why nobody is signed in, in the provider's words. */
export type Return = { readonly path: string } | { readonly reason: string }

/** The provider has sent the person back. */
export const signedIn = async (): Promise<Return> => {
  const query = new URLSearchParams(location.search)
  const pending = v.safeParse(Pending, JSON.parse(sessionStorage.getItem(key) ?? "{}"))
  sessionStorage.removeItem(key)
  const code = query.get("code")
  if (!pending.success || query.get("state") !== pending.output.state) return { reason: "" }
  if (code === null) return { reason: query.get("error_description") ?? query.get("error") ?? "" }
  const { back, verifier } = pending.output
  return begin(code, { verifier, redirectUri: redirectUri() }).then(
    () => ({ path: back }),
    (error: unknown) => ({ reason: error instanceof PorticoError ? error.detail : "" })
  )
}
