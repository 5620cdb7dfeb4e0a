import { fixtures } from "@portico/simulator/Fixtures"
import { audienceScope, projectsRolesScope } from "@portico/simulator/zitadel/tokens"
import { Zitadel } from "@portico/upstream/zitadel/Zitadel"
import { Effect, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { memoryUrl } from "@portico/simulator/transport"

const decodeToken = Schema.decodeUnknownEffect(Schema.Struct({ access_token: Schema.String }))

const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")}`

/** The access token that a client gets for its secret; undefined when the provider refuses. */
export const accessToken = Effect.fnUntraced(function* (clientId: string, secret: string) {
  const scope = ["openid", projectsRolesScope, audienceScope(fixtures.idp.projectId)].join(" ")
  const client = yield* HttpClient.HttpClient
  const response = yield* HttpClientRequest.post(`${memoryUrl}/idp/oauth/v2/token`).pipe(
    HttpClientRequest.setHeader("authorization", basic(clientId, secret)),
    HttpClientRequest.bodyUrlParams({ grant_type: "client_credentials", scope }),
    client.execute,
    Effect.orDie
  )
  if (response.status !== 200) return undefined
  const { access_token } = yield* Effect.orDie(Effect.flatMap(response.json, decodeToken))
  return Redacted.make(access_token)
})

/** Whether a client's secret gets it a token that the gateway's provider calls active, and with which roles. */
export const clientCredentials = Effect.fnUntraced(function* (clientId: string, secret: string) {
  const token = yield* accessToken(clientId, secret)
  if (token === undefined) return { active: false, roles: [] }
  const answer = yield* Effect.orDie((yield* Zitadel).introspect(token))
  return { active: answer !== undefined, roles: answer?.roles ?? [] }
})
