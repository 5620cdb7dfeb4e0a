import { Config, Effect } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { make } from "../System.ts"
import { baseOf } from "../webAddress.ts"

/** One of Zitadel's APIs (v1), under the gateway's service user in the configured organisation. */
const apiOf = (name: "auth" | "management") =>
  Effect.gen(function* () {
    const auth = baseOf(yield* Config.URL("AUTH_URL"))
    const serviceToken = yield* Config.Redacted("ZITADEL_SERVICE_TOKEN")
    const orgId = yield* Config.String("ZITADEL_ORG_ID")
    return make(yield* HttpClient.HttpClient, {
      upstream: "zitadel",
      url: `${auth}/${name}/v1`,
      authorize: (request) =>
        Effect.succeed(
          request.pipe(
            HttpClientRequest.bearerToken(serviceToken),
            HttpClientRequest.setHeader("x-zitadel-orgid", orgId)
          )
        )
    })
  })

/** The management API: users, grants and projects of the organisation. */
export const management = apiOf("management")

/** The auth API: what the service user knows of itself. */
export const self = apiOf("auth")
