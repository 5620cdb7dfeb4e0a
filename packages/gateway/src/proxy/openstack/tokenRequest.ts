import { BadRequest, Unauthorized } from "@portico/contract/Failures"
import { Effect, Redacted, Schema } from "effect"
import { jsonOf } from "../requestBody.ts"

/** Size limit of a token request, in bytes; real ones are far smaller. */
export const tokenRequestLimit = 16 * 1024

const text = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(4096))

const methodsOf = Schema.decodeUnknownEffect(
  Schema.Struct({
    auth: Schema.Struct({ identity: Schema.Struct({ methods: Schema.Array(Schema.String) }) })
  })
)

const decodeRequest = Schema.decodeUnknownEffect(
  Schema.Struct({
    auth: Schema.Struct({
      identity: Schema.Union([
        Schema.Struct({
          methods: Schema.Tuple([Schema.Literal("application_credential")]),
          application_credential: Schema.Struct({ id: text, secret: text })
        }),
        Schema.Struct({
          methods: Schema.Tuple([Schema.Literal("token")]),
          token: Schema.Struct({ id: text })
        })
      ]),
      scope: Schema.optionalKey(Schema.Unknown)
    })
  }),
  { onExcessProperty: "error" }
)

/** A login: its method and its scope. */
export interface TokenRequest {
  readonly by:
    | { readonly method: "application_credential"; readonly id: string; readonly secret: Redacted.Redacted }
    | { readonly method: "token"; readonly token: string }
  /** The scope as sent; undefined when it is absent. */
  readonly scope: unknown
}

/**
 * Parses the supported forms of the body of `POST /v3/auth/tokens`. Unknown fields are rejected, and never echoed,
 * because they may contain a secret.
 *
 * Errors: 400 for another shape; 401 for another method.
 */
export const tokenRequest = Effect.fnUntraced(
  function* (body: Buffer | undefined) {
    const json = yield* Effect.fromOption(jsonOf(body))
    const { auth } = yield* methodsOf(json)
    if (!methods.has(auth.identity.methods.join(" "))) return yield* Unauthorized.authMethod()
    const {
      auth: { identity, scope }
    } = yield* decodeRequest(json)
    if ("token" in identity) return { by: { method: "token", token: identity.token.id }, scope } satisfies TokenRequest
    const { id, secret } = identity.application_credential
    return {
      by: { method: "application_credential", id, secret: Redacted.make(secret) },
      scope
    } satisfies TokenRequest
  },
  Effect.catchTags({
    NoSuchElementError: () => BadRequest.tokenRequest(),
    SchemaError: () => BadRequest.tokenRequest()
  })
)

const methods: ReadonlySet<string> = new Set(["application_credential", "token"])
