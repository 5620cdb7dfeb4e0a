import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import {
  BadRequest,
  NotFound,
  RequestTimeout,
  TooLarge,
  TooManyRequests,
  Unauthorized,
  Unavailable,
  UnsupportedMediaType
} from "./Failures.ts"

/**
 * The response of a container registry's token service, in the names of both of
 * its protocols: `token` is Docker's, `access_token` and `scope` are OAuth's.
 */
export const RegistryToken = Schema.Struct({
  token: Schema.String,
  access_token: Schema.String,
  /** In seconds. */
  expires_in: Schema.Int,
  /** RFC 3339 with whole seconds. */
  issued_at: Schema.String,
  /** The granted scopes, separated by spaces. Only in the response to a POST. */
  scope: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "RegistryToken" })
export type RegistryToken = typeof RegistryToken.Type

/** A public key (RFC 7517) that the registry trusts. */
export const RegistryKey = Schema.Struct({
  kty: Schema.Literal("RSA"),
  n: Schema.String,
  e: Schema.String,
  kid: Schema.String,
  alg: Schema.Literal("RS256"),
  use: Schema.Literal("sig")
}).annotate({ identifier: "RegistryKey" })
export type RegistryKey = typeof RegistryKey.Type

export const RegistryKeySet = Schema.Struct({ keys: Schema.Array(RegistryKey) }).annotate({
  identifier: "RegistryKeySet"
})
export type RegistryKeySet = typeof RegistryKeySet.Type

const text = { type: "string" } as const
const parameter = (name: string, description: string, schema: object = text) => ({
  name,
  in: "query",
  required: false,
  description,
  schema
})

const parameters = [
  parameter("service", "The registry; it must be the one that tokens are given for."),
  parameter("scope", "What is asked for, entries separated by spaces; it may be repeated.", {
    type: "array",
    items: text
  }),
  parameter("account", "The user name; the login decides."),
  parameter("client_id", "The client's own name; it is not looked at."),
  parameter("offline_token", "Asks for a refresh token, of which there are none.")
]

const form = {
  description:
    "The OAuth variant; of the grants there is `password`, and any other is a 404, at which clients use GET.",
  required: true,
  content: {
    "application/x-www-form-urlencoded": {
      schema: {
        type: "object",
        required: ["grant_type", "username", "password"],
        properties: {
          grant_type: { type: "string", enum: ["password"] },
          service: text,
          client_id: text,
          scope: text,
          username: text,
          password: text,
          access_type: text
        }
      }
    }
  }
}

const described = (description: string, more: Record<string, unknown> = {}) =>
  OpenApi.annotations({ description, override: more })

const failures = [BadRequest, Unauthorized, TooManyRequests, Unavailable]

/**
 * The token service of a container registry. Both planes. It authenticates with
 * a login of its own (Basic, or in a form), because registry clients send that,
 * and accepts any parameters that they send.
 */
export class Registry extends HttpApiGroup.make("registry")
  .add(
    HttpApiEndpoint.get("token", "/registry/token", { success: RegistryToken, error: failures }).annotateMerge(
      described("A token for the container registry, for the login of the Authorization header (Basic).", {
        parameters
      })
    ),
    HttpApiEndpoint.post("oauth", "/registry/token", {
      success: RegistryToken,
      error: [...failures, NotFound, RequestTimeout, TooLarge, UnsupportedMediaType]
    }).annotateMerge(described("A token for the container registry, for the login in a form.", { requestBody: form })),
    HttpApiEndpoint.get("keys", "/registry/jwks", { success: RegistryKeySet }).annotateMerge(
      described("The public keys of the registry's tokens, those of the next key and of the last one included.")
    )
  )
  .prefix("/v1") {}
