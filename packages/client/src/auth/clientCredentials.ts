import { clientCredentialsGrantRequest, processClientCredentialsResponse } from "oauth4webapi"
import type { Auth } from "./Auth.ts"
import { connecting, type Provider, refused, tokensOf } from "./oauth.ts"

/** The key pair of a machine credential: `client_id` and `client_secret` of a mint. */
export const clientCredentials = (provider: Provider & { readonly clientSecret: string }): Auth => {
  const connect = connecting(provider)
  return {
    renewable: true,
    obtain: async (context) => {
      const { authentication, client, options, server } = await connect(context)
      const parameters = new URLSearchParams(provider.scope === undefined ? {} : { scope: provider.scope })
      const response = await clientCredentialsGrantRequest(server, client, authentication, parameters, options)
      return tokensOf(await processClientCredentialsResponse(server, client, response).catch(refused), context)
    }
  }
}
