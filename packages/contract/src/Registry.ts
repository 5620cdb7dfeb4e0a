import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { described, titled } from "./describe.ts"
import { failures } from "./Failures.ts"

export const RegistryToken = Schema.Struct({
  token: Schema.String.annotateKey({
    description: "A JWT for the registry, under the name that Docker's protocol gives it."
  }),
  access_token: Schema.String.annotateKey({ description: "The same JWT, under OAuth's name." }),
  expires_in: Schema.Int.annotateKey({
    description: "The lifetime of the token in seconds: 300, or less when the credential ends earlier."
  }),
  issued_at: Schema.String.annotateKey({ description: "When the token was issued. RFC 3339, UTC, in whole seconds." }),
  scope: Schema.optionalKey(Schema.String).annotateKey({
    description: "The granted scopes, separated by spaces. Absent in the response to a GET."
  })
}).annotate({
  identifier: "RegistryToken",
  description: "A token for the container registry, in the names of both of its protocols."
})
export type RegistryToken = typeof RegistryToken.Type

export const RegistryKey = Schema.Struct({
  kty: Schema.Literal("RSA").annotateKey({ description: "The type of the key: `RSA`." }),
  n: Schema.String.annotateKey({ description: "The modulus of the key, in base64url." }),
  e: Schema.String.annotateKey({ description: "The exponent of the key, in base64url." }),
  kid: Schema.String.annotateKey({ description: "The id of the key, by which the registry finds a token's key." }),
  alg: Schema.Literal("RS256").annotateKey({ description: "The algorithm of the signatures: `RS256`." }),
  use: Schema.Literal("sig").annotateKey({ description: "The use of the key: `sig`, signatures." }),
  x5c: Schema.optionalKey(Schema.Array(Schema.String)).annotateKey({
    description:
      "The key as a certificate, DER in base64, for registries before distribution v3. Absent from keys that are " +
      "older than the certificates."
  })
}).annotate({
  identifier: "RegistryKey",
  description: "A public key (RFC 7517) with which the registry checks tokens."
})
export type RegistryKey = typeof RegistryKey.Type

export const RegistryKeySet = Schema.Struct({
  keys: Schema.Array(RegistryKey).annotateKey({
    description: "The key that signs now, the next one a week before it signs, and the last one for an hour afterwards."
  })
}).annotate({ identifier: "RegistryKeySet", description: "A JSON Web Key Set (RFC 7517)." })
export type RegistryKeySet = typeof RegistryKeySet.Type

const text = { type: "string" } as const
const parameter = (name: string, description: string, schema: object = text) => ({
  name,
  in: "query",
  required: false,
  description,
  schema
})

const words = {
  service: "The registry, as it names itself in its challenge. Another one is a 400 (`registry_service_unknown`).",
  scope:
    "The requested access, entries separated by spaces: `repository:<project_id>/<name>:pull,push`. Without it the " +
    "token allows nothing, as for `docker login`.",
  client_id: "The client's own name. It is ignored."
}

const parameters = [
  parameter("service", words.service),
  parameter("scope", `${words.scope} It may be repeated.`, { type: "array", items: text }),
  parameter("account", "The user name. It is ignored: the login decides."),
  parameter("client_id", words.client_id),
  parameter("offline_token", "Requests a refresh token. The gateway ignores it and issues none.")
]

const field = (description: string) => ({ ...text, description })

const form = {
  description: "The OAuth variant. A grant other than `password` is a 404, after which clients use GET.",
  required: true,
  content: {
    "application/x-www-form-urlencoded": {
      schema: {
        type: "object",
        required: ["grant_type", "username", "password"],
        properties: {
          grant_type: { type: "string", enum: ["password"], description: "The grant: `password`." },
          service: field(words.service),
          client_id: field(words.client_id),
          scope: field(words.scope),
          username: field("A credential's `client_id`, or any name when the password is a token."),
          password: field("The credential's `client_secret`, its `pat`, or another token of the API."),
          access_type: field("`offline` requests a refresh token. The gateway ignores it and issues none.")
        }
      }
    }
  }
}

/** What both protocols have in common. */
const granted =
  "The tier decides the rights of the token in the repositories below the tenant's project id: pull at tier 0, " +
  "push at tier 1, delete at tier 2. The token omits further requested rights without an error, and the registry " +
  "refuses them. While the project is being deleted its images can only be pulled, and a suspended tenant pushes " +
  "nothing. A token lasts five minutes at most."

/** The failures of a login, and of its token. */
const refusals = [
  "registry_service_unknown",
  "registry_login_refused",
  "rate_limited",
  "identity_provider_unreachable",
  "policy_unreadable"
] as const

/**
 * The token service authenticates with a login of its own (Basic, or in a form),
 * because registry clients send that, and accepts any parameters that they send.
 */
export class Registry extends HttpApiGroup.make("registry")
  .add(
    HttpApiEndpoint.get("token", "/registry/token", {
      success: RegistryToken,
      error: failures(...refusals)
    })
      .annotateMerge(
        described(
          "Get a registry token with Basic credentials",
          "Makes a token for the container registry. Docker and other clients call it by themselves. The " +
            "`Authorization` header holds Basic credentials: a credential's `client_id` and `client_secret`, or any " +
            "user name with a token of the " +
            `API as the password. ${granted}`
        )
      )
      .annotate(OpenApi.Override, { parameters }),
    HttpApiEndpoint.post("oauth", "/registry/token", {
      success: RegistryToken,
      error: failures(...refusals, "not_found", "body_too_slow", "body_too_large", "form_expected")
    })
      .annotateMerge(
        described(
          "Get a registry token with a form",
          `Makes the same token as the GET, for a login in a form, as OAuth clients send it. ${granted}`
        )
      )
      .annotate(OpenApi.Override, { requestBody: form }),
    HttpApiEndpoint.get("keys", "/registry/jwks", { success: RegistryKeySet }).annotateMerge(
      described(
        "Show the keys of registry tokens",
        "Returns the public keys with which the registry checks its tokens. The operator of the registry gives it " +
          "this set, and fetches it again every day: a new key is published a week before it signs. It needs no " +
          "login."
      )
    )
  )
  .annotateMerge(
    titled(
      "Container Registry",
      "Logins to the platform's container registry. A tenant owns the repositories below its project's id, such as " +
        "`registry.cloud.example/<project_id>/app`, and logs in with one of its credentials: `docker login -u " +
        "<client_id> -p <client_secret>`. The registry sends the client here for a token. Images never pass through " +
        "this API."
    )
  )
  .prefix("/v1") {}
