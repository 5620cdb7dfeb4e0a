import { Predicate } from "effect"
import { listOf, type Spec, textAt, withOperations } from "./tree.ts"

/** The addresses that a document names. */
export interface Addresses {
  /** Where clients reach the plane: absolute, or relative to the document. */
  readonly server: string
  /** The identity provider, without a slash at the end. */
  readonly issuer: string
  /** The identity provider's project, whose audience a token needs. */
  readonly projectId: string
}

/** Those of a document that no gateway serves. */
export const placeholders: Addresses = {
  server: "/",
  issuer: "https://auth.cloud.example",
  projectId: "PROJECT_ID"
}

const scopesOf = ({ projectId }: Addresses) => {
  const [audience, roles] = [`urn:zitadel:iam:org:project:id:${projectId}:aud`, "urn:zitadel:iam:org:projects:roles"]
  const ofMachines = {
    openid: "Identifies the user.",
    [roles]: "Puts the user's roles in the token. Required.",
    [audience]: "Makes the token valid for this API. Required: without it the gateway sees an inactive token."
  }
  return {
    ofMachines,
    ofPeople: {
      ...ofMachines,
      profile: "The user's name.",
      email: "The user's e-mail address.",
      offline_access: "A refresh token, which changes with every use."
    }
  }
}

/** The scopes that a person's login asks for. */
export const peopleScopes = (addresses: Addresses): ReadonlyArray<string> => Object.keys(scopesOf(addresses).ofPeople)

const schemesOf = (addresses: Addresses) => {
  const { issuer } = addresses
  const scopes = scopesOf(addresses)
  const tokenUrl = `${issuer}/oauth/v2/token`
  return {
    bearer: {
      type: "http",
      scheme: "bearer",
      description:
        "An access token of the identity provider, a credential's personal access token (`pat`), or the token that a workload got in exchange for its own."
    },
    oauth2: {
      type: "oauth2",
      description: [
        "Tokens of the identity provider. People log in with the authorization code flow and PKCE; machines use the client credentials flow with a credential's `client_id` and `client_secret`.",
        `Devices without a browser use the device authorization grant (RFC 8628), for which OpenAPI 3.1 has no flow: ask \`${issuer}/oauth/v2/device_authorization\` with the scopes of the authorization code flow, show the person its \`verification_uri\` and \`user_code\`, and poll \`${tokenUrl}\` with \`grant_type=urn:ietf:params:oauth:grant-type:device_code\`.`
      ].join("\n\n"),
      flows: {
        authorizationCode: {
          authorizationUrl: `${issuer}/oauth/v2/authorize`,
          tokenUrl,
          refreshUrl: tokenUrl,
          scopes: scopes.ofPeople
        },
        clientCredentials: { tokenUrl, scopes: scopes.ofMachines }
      }
    },
    openIdConnect: {
      type: "openIdConnect",
      description: "The identity provider's discovery document, for clients that read the addresses from it.",
      openIdConnectUrl: `${issuer}/.well-known/openid-configuration`
    },
    registryLogin: {
      type: "http",
      scheme: "basic",
      description:
        "The login of a container registry's client: a credential's `client_id` and `client_secret`, or any user name with a token as the password."
    }
  }
}

/** Any of these passes the gateway's authentication. */
const callers = [{ bearer: [] }, { oauth2: [] }, { openIdConnect: [] }]

/** The operation that clients of a container registry call with Basic authentication. */
const loginOfRegistry = "registry.token"

/** Declares the ways to authenticate, and the server. */
export const withSecurity = (spec: Spec, addresses: Addresses): Spec => {
  const secured = withOperations(spec, (operation) => {
    if (textAt(operation, "operationId") === loginOfRegistry) {
      return { ...operation, security: [{ registryLogin: [] }] }
    }
    return { ...operation, security: listOf(operation["security"]).length === 0 ? [] : callers }
  })
  const { components, security: _, ...others } = secured
  return {
    ...others,
    servers: [{ url: addresses.server }],
    components: { ...(Predicate.isObject(components) ? components : {}), securitySchemes: schemesOf(addresses) }
  }
}
