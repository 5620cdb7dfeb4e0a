import { fixtures } from "../Fixtures.ts"
import type { JsonObject } from "../Json.ts"

export interface Project {
  readonly id: string
  name: string
  readonly domain_id: string
  description: string
  enabled: boolean
  tags: Array<string>
}

export interface User {
  readonly id: string
  name: string
  readonly domain_id: string
  /** Null when the user never had one. */
  description: string | null
  enabled: boolean
  password: string
  default_project_id: string | null
  options: JsonObject
}

/** A role on a project, held by a user. */
export interface Grant {
  readonly projectId: string
  readonly userId: string
  readonly roleId: string
}

export interface Token {
  readonly id: string
  readonly userId: string
  readonly projectId: string
  readonly issuedAt: number
  readonly expiresAt: number
}

export interface KeystoneState {
  readonly projects: Record<string, Project>
  readonly users: Record<string, User>
  /** Role id to role name. */
  readonly roles: Record<string, string>
  grants: ReadonlyArray<Grant>
  readonly tokens: Record<string, Token>
  /** Lifetime of a token in seconds; the stock default. */
  tokenSeconds: number
}

export const keystone = (): KeystoneState => ({
  projects: {
    [fixtures.adminProjectId]: {
      id: fixtures.adminProjectId,
      name: "admin",
      domain_id: fixtures.domainId,
      description: "Bootstrap project for initializing the cloud.",
      enabled: true,
      tags: []
    }
  },
  users: {
    [fixtures.control.userId]: {
      id: fixtures.control.userId,
      name: fixtures.control.name,
      domain_id: fixtures.domainId,
      description: "",
      enabled: true,
      password: fixtures.control.password,
      default_project_id: fixtures.adminProjectId,
      options: {}
    }
  },
  roles: {
    [fixtures.roles.admin]: "admin",
    [fixtures.roles.manager]: "manager",
    [fixtures.roles.member]: "member",
    [fixtures.roles.reader]: "reader",
    [fixtures.roles.loadBalancerMember]: "load-balancer_member",
    [fixtures.roles.creator]: "creator",
    [fixtures.roles.keyManagerServiceAdmin]: "key-manager:service-admin"
  },
  // Only this role may write Barbican's quotas: administrators of clouds with Barbican have both.
  grants: [fixtures.roles.admin, fixtures.roles.keyManagerServiceAdmin].map((roleId) => ({
    projectId: fixtures.adminProjectId,
    userId: fixtures.control.userId,
    roleId
  })),
  tokens: {},
  tokenSeconds: 3600
})

/** Names are compared case-insensitively, as in the stock databases. */
export const projectNamed = (projects: Record<string, Project>, name: string | undefined): Project | undefined =>
  Object.values(projects).find((_) => _.name.toLowerCase() === name?.toLowerCase())

/** The result of a token's validation, the only source of the project. */
export interface Scope {
  readonly userId: string
  readonly projectId: string
  readonly roles: ReadonlyArray<string>
  /** Role `admin` on any project is admin everywhere. */
  readonly admin: boolean
}
