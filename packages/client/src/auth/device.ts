import {
  deviceAuthorizationRequest,
  deviceCodeGrantRequest,
  processDeviceAuthorizationResponse,
  processDeviceCodeResponse
} from "oauth4webapi"
import { PorticoError } from "../PorticoError.ts"
import type { Auth, AuthContext } from "./Auth.ts"
import { byLogin, type LoginOptions } from "./login.ts"
import { connecting, oauthCodeOf, refused, type Tokens, tokensOf } from "./oauth.ts"

/** What a person is told: to open the address, and to enter the code there. */
export interface DeviceCode {
  readonly userCode: string
  readonly verificationUri: string
  /** The address with the code in it. */
  readonly verificationUriComplete: string | undefined
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

export interface DeviceOptions extends LoginOptions {
  /** Shows the code to the person. */
  readonly onCode: (code: DeviceCode) => void | Promise<void>
  readonly signal?: AbortSignal | undefined
}

/** A login on another device (RFC 8628), for programs without a browser. */
export const device = (given: DeviceOptions): Auth => {
  const connect = connecting(given)
  return byLogin(given, async (context) => {
    const connection = await connect(context)
    const { authentication, client, options, server } = connection
    const parameters = new URLSearchParams(given.scope === undefined ? {} : { scope: given.scope })
    const answer = await deviceAuthorizationRequest(server, client, authentication, parameters, options)
    const code = await processDeviceAuthorizationResponse(server, client, answer).catch(refused)
    const expiresAt = context.time.now() + code.expires_in * 1000
    await given.onCode({
      userCode: code.user_code,
      verificationUri: code.verification_uri,
      verificationUriComplete: code.verification_uri_complete,
      expiresAt
    })
    const ask = async (): Promise<Tokens> => {
      const response = await deviceCodeGrantRequest(server, client, authentication, code.device_code, options)
      return tokensOf(await processDeviceCodeResponse(server, client, response).catch(refused), context)
    }
    return polled(ask, { seconds: code.interval ?? 5, expiresAt, context, signal: given.signal })
  })
}

interface Polling {
  readonly seconds: number
  readonly expiresAt: number
  readonly context: AuthContext
  readonly signal: AbortSignal | undefined
}

const polled = async (
  ask: () => Promise<Tokens>,
  { context, expiresAt, signal, ...given }: Polling
): Promise<Tokens> => {
  let { seconds } = given
  while (context.time.now() < expiresAt) {
    await context.time.sleep(seconds * 1000, signal)
    const found = await ask().catch((error: unknown) => {
      const code = oauthCodeOf(error)
      if (code !== "authorization_pending" && code !== "slow_down") throw error
      return code
    })
    if (typeof found === "object") return found
    if (found === "slow_down") seconds += 5
  }
  throw new PorticoError("login_failed", { detail: "The code was not confirmed in time", status: 0 })
}
