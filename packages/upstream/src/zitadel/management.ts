import { Config, Effect } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { make } from "../System.ts"
import { baseOf } from "../webAddress.ts"

/** The management API (v1), under the gateway's service user in the configured organisation. */
export const management = Effect.gen(function* () {
  const auth = baseOf(yield* Config.URL("AUTH_URL"))
  const serviceToken = yield* Config.Redacted("ZITADEL_SERVICE_TOKEN")
  const orgId = yield* Config.String("ZITADEL_ORG_ID")
  return make(yield* HttpClient.HttpClient, {
    upstream: "zitadel",
    url: `${auth}/management/v1`,
    authorize: (request) =>
      Effect.succeed(
        request.pipe(HttpClientRequest.bearerToken(serviceToken), HttpClientRequest.setHeader("x-zitadel-orgid", orgId))
      )
  })
})
