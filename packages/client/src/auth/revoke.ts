import { processRevocationResponse, revocationRequest } from "oauth4webapi"
import { PorticoError } from "../PorticoError.ts"
import type { AuthContext } from "./Auth.ts"
import { connecting, type Provider, refused } from "./oauth.ts"

/** Ends a token at the provider (RFC 7009). A refresh token takes its access tokens along, at most providers. */
export const revoke = async (provider: Provider, token: string, context: AuthContext): Promise<void> => {
  const { authentication, client, options, server } = await connecting(provider)(context)
  if (server.revocation_endpoint === undefined) {
    throw new PorticoError("login_failed", { detail: "The identity provider revokes no tokens", status: 0 })
  }
  const response = await revocationRequest(server, client, authentication, token, options)
  await processRevocationResponse(response).catch(refused)
}
