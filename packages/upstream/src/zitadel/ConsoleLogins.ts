import { decodeJson } from "@portico/contract/decodeJson"
import { Config, Context, Duration, Effect, Layer, Option, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { decodeJwt } from "jose"
import { detailOf } from "../errorDetail.ts"
import { BearerType } from "../oidc/bearer.ts"
import { exchange, inTime, type SystemResponse } from "../System.ts"
import { UpstreamError } from "../UpstreamError.ts"
import { baseOf } from "../webAddress.ts"

/** The tokens of a login or of a renewal. */
export interface Grant {
  readonly accessToken: Redacted.Redacted
  /** Seconds. */
  readonly expiresIn: number
  /** Absent where the provider gave none, which after a renewal means that the old one stays. */
  readonly refreshToken: Redacted.Redacted | undefined
}

/** The tokens of a login, and the user id of who has logged in. */
export interface LoginGrant extends Grant {
  readonly person: string
}

/** The code that the browser came back with from a login, and what proves that this console began it (RFC 7636). */
export interface Code {
  readonly code: Redacted.Redacted
  readonly verifier: Redacted.Redacted
  readonly redirectUri: string
}

/** A token of a session, and what it is. */
export interface Revocable {
  readonly token: Redacted.Redacted
  readonly kind: "refresh_token" | "access_token"
}

/** The identity provider's endpoints for the console's public client. */
export interface ConsoleClient {
  readonly clientId: string
  /** Undefined when the provider refuses the code. */
  login(code: Code): Effect.Effect<LoginGrant | undefined, UpstreamError>
  /** Undefined when the provider refuses the refresh token. A provider may exchange it for another one. */
  renew(refreshToken: Redacted.Redacted): Effect.Effect<Grant | undefined, UpstreamError>
  /** RFC 7009. An unknown token is a revoked one, and a refresh token takes its access tokens with it. Repeatable. */
  revoke(revocable: Revocable): Effect.Effect<void, UpstreamError>
}

const Tokens = Schema.fromJsonString(
  Schema.Struct({
    access_token: Schema.NonEmptyString,
    token_type: BearerType,
    expires_in: Schema.optionalKey(Schema.Number),
    refresh_token: Schema.optionalKey(Schema.NonEmptyString),
    id_token: Schema.optionalKey(Schema.String)
  })
)
const decodeTokens = Schema.decodeUnknownEffect(Tokens)
const decodeRefusal = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ error: Schema.String })))

/** Its signature need not be checked: the provider itself hands it over (OpenID Connect Core 1.0, section 3.1.3.7, no. 6). */
const claimsOf = Option.liftThrowable(decodeJwt)

/** Seconds that an access token counts for when the provider does not say how long it does (RFC 6749, section 5.1). */
const usualLifetime = 300

/** A sign-out does not wait longer for its revocation. */
const revocationLimit = Duration.seconds(5)

/** Errors of RFC 6749 that a setting of the gateway or of the provider causes, and no person. */
const ours: ReadonlySet<string> = new Set([
  "invalid_client",
  "invalid_scope",
  "unauthorized_client",
  "unsupported_grant_type"
])

const isRefusal = ({ status, text }: SystemResponse): boolean =>
  (status === 400 || status === 401) && Option.exists(decodeRefusal(text), ({ error }) => !ours.has(error))

const failed = (call: string, status: number, detail: string): UpstreamError =>
  new UpstreamError({ upstream: "zitadel", call, status, detail })

/** @param issuer the identity provider, without a slash at the end */
const clientOf = (client: HttpClient.HttpClient, issuer: string, clientId: string): ConsoleClient => {
  const post = (call: string, path: string, form: Readonly<Record<string, string>>) =>
    exchange(
      client,
      { upstream: "zitadel", call },
      HttpClientRequest.post(`${issuer}${path}`).pipe(
        HttpClientRequest.acceptJson,
        HttpClientRequest.bodyUrlParams({ client_id: clientId, ...form })
      )
    )

  const granted = Effect.fnUntraced(
    function* (call: string, form: Readonly<Record<string, string>>) {
      const answer = yield* post(call, "/oauth/v2/token", form)
      if (isRefusal(answer)) return undefined
      const { status, text } = answer
      if (status !== 200) return yield* failed(call, status, detailOf(status, text))
      const { access_token, expires_in, id_token, refresh_token } = yield* Effect.mapError(decodeTokens(text), () =>
        failed(call, status, "answered with a body that is not understood")
      )
      return {
        accessToken: Redacted.make(access_token),
        expiresIn: expires_in ?? usualLifetime,
        refreshToken: refresh_token === undefined ? undefined : Redacted.make(refresh_token),
        idToken: id_token
      }
    },
    (granted, call) => inTime("zitadel", call)(granted)
  )

  return {
    clientId,
    login: Effect.fnUntraced(function* ({ code, redirectUri, verifier }) {
      const call = "exchange code"
      const grant = yield* granted(call, {
        grant_type: "authorization_code",
        code: Redacted.value(code),
        code_verifier: Redacted.value(verifier),
        redirect_uri: redirectUri
      })
      if (grant === undefined) return undefined
      const { idToken, ...tokens } = grant
      const person = Option.getOrUndefined(claimsOf(idToken ?? ""))?.sub
      return person === undefined
        ? yield* failed(call, 200, "answered without the id of a person")
        : { ...tokens, person }
    }),
    renew: (refreshToken) =>
      granted("refresh token", { grant_type: "refresh_token", refresh_token: Redacted.value(refreshToken) }),
    revoke: ({ kind, token }) =>
      post("revoke token", "/oauth/v2/revoke", { token: Redacted.value(token), token_type_hint: kind }).pipe(
        Effect.flatMap(({ status, text }) => {
          if (status !== 200) return Effect.fail(failed("revoke token", status, detailOf(status, text)))
          // An intermediary may have answered, and the token may live on.
          return text.trim() === "" || Option.isSome(decodeJson(text))
            ? Effect.void
            : Effect.fail(failed("revoke token", status, "answered with a body that is not understood"))
        }),
        inTime("zitadel", "revoke token", revocationLimit)
      )
  }
}

/** Logins of people in the console. `api` is undefined in an installation whose console has no logins. */
export class ConsoleLogins extends Context.Service<ConsoleLogins, { readonly api: ConsoleClient | undefined }>()(
  "portico/upstream/zitadel/ConsoleLogins"
) {
  static readonly layer = Layer.effect(
    ConsoleLogins,
    Effect.gen(function* () {
      const issuer = baseOf(yield* Config.URL("AUTH_URL"))
      const clientId = Option.getOrUndefined(yield* Config.option(Config.String("CONSOLE_CLIENT_ID")))
      const client = yield* HttpClient.HttpClient
      return ConsoleLogins.of({ api: clientId === undefined ? undefined : clientOf(client, issuer, clientId) })
    })
  )
}
