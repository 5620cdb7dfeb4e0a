import { fixtures } from "../Fixtures.ts"

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
  /** How many initialisation mails went out. */
  mails: number
}

export type User = Machine | Human

/** Roles of one project, held by a user; Zitadel says "user grant", later "authorization". */
export interface Grant {
  readonly id: string
  readonly userId: string
  readonly projectId: string
  roleKeys: ReadonlyArray<string>
  /** What searches go on to show for a moment after a change: they read projections. */
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
  /** False once its user was deactivated or locked: it stays listed and never works again. */
  alive: boolean
}

/** An access token of a login or of client credentials, and the refresh token that came with it. */
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
  readonly userId: string
  readonly expiresAt: number
}

/** `api`: introspects, has a secret. `native`: a public client of people, bound to loopback redirects. */
export interface Application {
  readonly clientId: string
  readonly name: string
  readonly type: "api" | "native"
  readonly projectId: string
  readonly clientSecret: string | null
  readonly redirectUris: ReadonlyArray<string>
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
  /** User ids that manage the organisation (role ORG_OWNER). */
  readonly members: Record<string, { readonly userId: string; readonly roles: ReadonlyArray<string> }>
  /** By access token. */
  readonly tokens: Record<string, Token>
  readonly deviceCodes: Record<string, DeviceCode>
  readonly authCodes: Record<string, AuthCode>
  /** Number of the last event; ids are made of it too. */
  sequence: number
}

/** The event that everything of the beginning came with: long past, whatever the clock says. */
export const seedSequence = 1

/** The one organisation's primary domain, as role claims name it. */
export const primaryDomain = "portico.example"

/** The command line's public client. It belongs to no audience but its own, so a login must ask for the API's. */
export const nativeClientId = "100000000000000006@portico"

/** What a personal access token without a date gets: Zitadel's own "never". */
export const never = Date.UTC(9999, 11, 31, 23, 59, 59)

/** Fixed for every personal access token; nobody can ask for others. */
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

/** An instance with one organisation and one project, and the two service users that a gateway needs to begin. */
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
  sequence: seedSequence
})
