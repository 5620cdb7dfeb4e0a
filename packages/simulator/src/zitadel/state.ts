import { fixtures } from "../Fixtures.ts"
import type { PrivateJwk } from "../rsaKeys.ts"
import { firstKey } from "./signingKey.ts"

export type UserState = "USER_STATE_ACTIVE" | "USER_STATE_INACTIVE" | "USER_STATE_LOCKED" | "USER_STATE_INITIAL"

interface Account {
  readonly id: string
  readonly userName: string
  state: UserState
  readonly createdAt: number
  changedAt: number
  sequence: number
}

export interface Machine extends Account {
  readonly type: "TYPE_MACHINE"
  readonly name: string
  readonly description: string
  readonly accessTokenType: string
  clientSecret: string | null
}

export interface Human extends Account {
  readonly type: "TYPE_HUMAN"
  readonly firstName: string
  readonly lastName: string
  readonly displayName: string
  readonly nickName: string
  readonly preferredLanguage: string
  email: string
  isEmailVerified: boolean
  /** The number of sent initialization mails. */
  mails: number
}

export type User = Machine | Human

/** A user's roles in a project; Zitadel calls it "user grant", in later versions "authorization". */
export interface Grant {
  readonly id: string
  readonly userId: string
  readonly projectId: string
  roleKeys: ReadonlyArray<string>
  /** The previous roles, which searches return until the projection catches up. */
  before?: { readonly roleKeys: ReadonlyArray<string>; readonly until: number }
  state: "USER_GRANT_STATE_ACTIVE" | "USER_GRANT_STATE_INACTIVE"
  readonly createdAt: number
  changedAt: number
  sequence: number
}

/** A personal access token of a machine user. */
export interface Pat {
  readonly id: string
  readonly userId: string
  readonly token: string
  readonly scopes: ReadonlyArray<string>
  readonly createdAt: number
  readonly expiresAt: number
  readonly sequence: number
  /** False once its user was deactivated or locked: it stays in lists and is never valid again. */
  alive: boolean
}

/** An access token of a login or of client credentials, with its refresh token. */
export interface Token {
  readonly id: string
  readonly accessToken: string
  readonly userId: string
  readonly clientId: string
  readonly scopes: ReadonlyArray<string>
  readonly audience: ReadonlyArray<string>
  readonly createdAt: number
  readonly expiresAt: number
  readonly refresh: { readonly token: string; readonly expiresAt: number } | null
}

export interface DeviceCode {
  readonly deviceCode: string
  readonly userCode: string
  readonly clientId: string
  readonly scopes: ReadonlyArray<string>
  readonly expiresAt: number
  intervalSeconds: number
  polledAt: number | null
  decision: "pending" | "allowed" | "denied"
  userId: string | null
}

export interface AuthCode {
  readonly code: string
  readonly clientId: string
  readonly redirectUri: string
  readonly scopes: ReadonlyArray<string>
  readonly codeChallenge: string
  readonly nonce: string | null
  readonly userId: string
  readonly expiresAt: number
}

/**
 * `api`: introspects, has a secret. The others are public clients with loopback redirects: `native` on a person's
 * machine, with the device code grant, and `userAgent` in the browser, in development mode, which allows plain HTTP.
 */
export interface Application {
  readonly clientId: string
  readonly name: string
  readonly type: "api" | "native" | "userAgent"
  readonly projectId: string
  readonly clientSecret: string | null
  readonly redirectUris: ReadonlyArray<string>
  /** Where a browser may be sent after a logout. Absent in worlds that an earlier release saved. */
  readonly postLogoutUris?: ReadonlyArray<string>
}

export interface Project {
  readonly id: string
  readonly name: string
  readonly roleKeys: ReadonlyArray<string>
}

export interface ZitadelState {
  readonly projects: Record<string, Project>
  readonly applications: Record<string, Application>
  readonly users: Record<string, User>
  readonly grants: Record<string, Grant>
  readonly pats: Record<string, Pat>
  /** User ids with the role ORG_OWNER. */
  readonly members: Record<string, { readonly userId: string; readonly roles: ReadonlyArray<string> }>
  /** By access token. */
  readonly tokens: Record<string, Token>
  readonly deviceCodes: Record<string, DeviceCode>
  readonly authCodes: Record<string, AuthCode>
  /** Of ID tokens. */
  readonly signingKey: PrivateJwk
  /** The sequence of the last event; ids are derived from it. */
  sequence: number
}

/** The event of all initial objects, at a fixed time in the past. */
export const seedSequence = 1

/** The organization's primary domain, which role claims contain. */
export const primaryDomain = "portico.example"

/** The command line's public client. Its tokens have only its own audience, so a login must ask for the API's. */
export const nativeClientId = "100000000000000006@portico"

/** The console's public client: authorization code with PKCE, and refresh tokens. */
export const consoleClientId = "100000000000000010@portico"

/** The console is served by the gateway, on any port of this machine, with or without TLS. */
const consoleUris = (path: string): ReadonlyArray<string> =>
  ["http", "https"].flatMap((scheme) =>
    ["127.0.0.1", "[::1]", "localhost"].map((host) => `${scheme}://${host}/console/${path}`)
  )

/** The default expiry of a personal access token: Zitadel's "never". */
export const never = Date.UTC(9999, 11, 31, 23, 59, 59)

/** The same for every personal access token; the request cannot change them. */
export const patScopes = [
  "openid",
  "profile",
  "urn:zitadel:iam:user:metadata",
  "urn:zitadel:iam:user:resourceowner"
] as const

const seedMachine = (id: string, userName: string, description: string): Machine => ({
  type: "TYPE_MACHINE",
  id,
  userName,
  name: userName,
  description,
  accessTokenType: "ACCESS_TOKEN_TYPE_BEARER",
  clientSecret: null,
  state: "USER_STATE_ACTIVE",
  createdAt: 0,
  changedAt: 0,
  sequence: seedSequence
})

const seedPat = (id: string, userId: string, token: string): Pat => ({
  id,
  userId,
  token,
  scopes: patScopes,
  createdAt: 0,
  expiresAt: never,
  sequence: seedSequence,
  alive: true
})

const { idp } = fixtures

/** An instance with one organization and one project, and the two service users of a gateway. */
export const zitadel = (): ZitadelState => ({
  projects: {
    [idp.projectId]: {
      id: idp.projectId,
      name: "portico",
      roleKeys: ["customer", "customer-viewer", "customer-engineer", "customer-admin", "customer-owner", "admin"]
    }
  },
  applications: {
    [idp.introspection.clientId]: {
      ...idp.introspection,
      name: "gateway",
      type: "api",
      projectId: idp.projectId,
      redirectUris: []
    },
    [nativeClientId]: {
      clientId: nativeClientId,
      name: "command line",
      type: "native",
      projectId: idp.projectId,
      clientSecret: null,
      redirectUris: ["http://127.0.0.1/callback", "http://[::1]/callback"]
    },
    [consoleClientId]: {
      clientId: consoleClientId,
      name: "console",
      type: "userAgent",
      projectId: idp.projectId,
      clientSecret: null,
      redirectUris: consoleUris("signed-in"),
      postLogoutUris: consoleUris("")
    }
  },
  users: {
    [idp.serviceUserId]: seedMachine(idp.serviceUserId, "gateway", "Manages the machine users of tenants."),
    [idp.operatorUserId]: seedMachine(idp.operatorUserId, "operator", "Administers the platform.")
  },
  grants: {
    "100000000000000007": {
      id: "100000000000000007",
      userId: idp.operatorUserId,
      projectId: idp.projectId,
      roleKeys: ["admin"],
      state: "USER_GRANT_STATE_ACTIVE",
      createdAt: 0,
      changedAt: 0,
      sequence: seedSequence
    }
  },
  pats: {
    "100000000000000008": seedPat("100000000000000008", idp.serviceUserId, idp.serviceToken),
    "100000000000000009": seedPat("100000000000000009", idp.operatorUserId, idp.operatorToken)
  },
  members: { [idp.serviceUserId]: { userId: idp.serviceUserId, roles: ["ORG_OWNER"] } },
  tokens: {},
  deviceCodes: {},
  authCodes: {},
  signingKey: firstKey,
  sequence: seedSequence
})
