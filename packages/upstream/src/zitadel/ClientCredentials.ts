import { Config, Context, Effect, Layer, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { BearerType } from "../oidc/bearer.ts"
import { exchange, inTime } from "../System.ts"
import { UpstreamError } from "../UpstreamError.ts"
import { baseOf } from "../webAddress.ts"
import { detailOf } from "../errorDetail.ts"
import { basic } from "./basic.ts"

const decodeToken = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Struct({ access_token: Schema.NonEmptyString, token_type: BearerType }))
)

/**
 * The client-credentials grant (contract, Authentication 3), made on behalf of
 * a client that does not support it. Nothing of it is stored here.
 */
export class ClientCredentials extends Context.Service<
  ClientCredentials,
  {
    /**
     * An access token with the roles and the audience of the API's project;
     * undefined when the provider rejects the pair. A provider that cannot be
     * reached, or has a fault of its own, is an error.
     */
    accessToken(
      clientId: string,
      clientSecret: Redacted.Redacted
    ): Effect.Effect<Redacted.Redacted | undefined, UpstreamError>
  }
>()("portico/upstream/zitadel/ClientCredentials") {
  static readonly layer = Layer.effect(
    ClientCredentials,
    Effect.gen(function* () {
      const auth = baseOf(yield* Config.URL("AUTH_URL"))
      const projectId = yield* Config.String("ZITADEL_PROJECT_ID")
      const client = yield* HttpClient.HttpClient
      const scope = [
        "openid",
        "urn:zitadel:iam:org:projects:roles",
        `urn:zitadel:iam:org:project:id:${projectId}:aud`
      ].join(" ")

      const accessToken = Effect.fn("ClientCredentials.accessToken")(
        function* (clientId: string, clientSecret: Redacted.Redacted) {
          const request = HttpClientRequest.post(`${auth}/oauth/v2/token`).pipe(
            HttpClientRequest.acceptJson,
            HttpClientRequest.setHeader("authorization", basic(clientId, clientSecret)),
            HttpClientRequest.bodyUrlParams({ grant_type: "client_credentials", scope })
          )
          const { status, text } = yield* exchange(client, { upstream: "zitadel", call: "get access token" }, request)
          if (isRefusal(status) && !isOurs(text)) return undefined
          if (status !== 200) return yield* failed(status, detailOf(status, text))
          const { access_token } = yield* Effect.mapError(decodeToken(text), () =>
            failed(status, "answered with a body that is not understood")
          )
          return Redacted.make(access_token)
        },
        inTime("zitadel", "get access token")
      )

      return ClientCredentials.of({ accessToken })
    })
  )
}

/**
 * An unknown client, a wrong secret and an inactive user get a status of RFC
 * 6749, section 5.2, each with its own error code.
 */
const isRefusal = (status: number): boolean => status === 400 || status === 401

/**
 * These errors concern the grant and the scope, which the client does not
 * choose: a setting of the gateway or the provider is wrong.
 */
const isOurs = (body: string): boolean => /"error"\s*:\s*"(invalid_scope|unsupported_grant_type)"/.test(body)

const failed = (status: number, detail: string): UpstreamError =>
  new UpstreamError({ upstream: "zitadel", call: "get access token", status, detail })
