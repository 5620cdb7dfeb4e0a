import { Sessions } from "@portico/domain/console/Sessions"
import { fixtures } from "@portico/simulator/Fixtures"
import { memoryUrl } from "@portico/simulator/transport"
import { consoleClientId } from "@portico/simulator/zitadel/state"
import { audienceScope, projectsRolesScope } from "@portico/simulator/zitadel/tokens"
import { Effect, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { createHash } from "node:crypto"

const redirectUri = "http://127.0.0.1/console/signed-in"
const verifier = "v".repeat(43)
export const login = "otto@people.example"

const idp = Effect.fnUntraced(function* (path: string, body: object) {
  const client = yield* HttpClient.HttpClient
  const response = yield* HttpClientRequest.post(`${memoryUrl}/idp/management/v1${path}`).pipe(
    HttpClientRequest.bearerToken(fixtures.idp.serviceToken),
    HttpClientRequest.bodyJsonUnsafe(body),
    client.execute,
    Effect.orDie
  )
  return yield* Effect.orDie(Effect.flatMap(response.json, decodeMade))
})
const decodeMade = Schema.decodeUnknownEffect(Schema.Struct({ userId: Schema.optionalKey(Schema.String) }))

/** An operator with a login of their own. */
export const operator = Effect.gen(function* () {
  const { userId } = yield* idp("/users/human/_import", {
    userName: login,
    profile: { firstName: "Otto", lastName: "Operator" },
    email: { email: login, isEmailVerified: true },
    password: "a-password"
  })
  yield* idp(`/users/${userId}/grants`, { projectId: fixtures.idp.projectId, roleKeys: ["admin"] })
})

/** A code with which the provider sends the operator back to the console. */
export const code = Effect.gen(function* () {
  const client = yield* HttpClient.HttpClient
  const scope = ["openid", "profile", "email", "offline_access", projectsRolesScope]
  const answer = yield* HttpClientRequest.get(`${memoryUrl}/idp/oauth/v2/authorize`).pipe(
    HttpClientRequest.setUrlParams({
      client_id: consoleClientId,
      redirect_uri: redirectUri,
      response_type: "code",
      scope: [...scope, audienceScope(fixtures.idp.projectId)].join(" "),
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
      login_hint: login
    }),
    client.execute,
    Effect.orDie
  )
  const found = new URL(answer.headers["location"] ?? "").searchParams.get("code") ?? ""
  return { code: Redacted.make(found), verifier: Redacted.make(verifier), redirectUri }
})

export const source = () => "192.0.2.1"

/** Another session of the operator. */
export const next = Effect.gen(function* () {
  const sessions = yield* Sessions
  const found = yield* sessions.begin("operator", yield* code, source, undefined)
  return found ?? (yield* Effect.die("the code was refused"))
})

/** The operator's first session. */
export const begun = Effect.andThen(operator, next)
