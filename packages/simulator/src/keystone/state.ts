import { fixtures } from "../Fixtures.ts"

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
  /** Null for one that was never given. */
  description: string | null
  enabled: boolean
  password: string
  default_project_id: string | null
  options: Readonly<Record<string, unknown>>
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
  // Barbican lets nobody else write quotas: administrators of clouds that have it hold both.
  grants: [fixtures.roles.admin, fixtures.roles.keyManagerServiceAdmin].map((roleId) => ({
    projectId: fixtures.adminProjectId,
    userId: fixtures.control.userId,
    roleId
  })),
  tokens: {},
  tokenSeconds: 3600
})

/** Names are compared without case, as the stock databases do. */
export const projectNamed = (projects: Record<string, Project>, name: string | undefined): Project | undefined =>
  Object.values(projects).find((_) => _.name.toLowerCase() === name?.toLowerCase())

/** What a service learns from a token. The project comes from here and from nowhere else. */
export interface Scope {
  readonly userId: string
  readonly projectId: string
  readonly roles: ReadonlyArray<string>
  /** Role `admin` on any project is admin everywhere. */
  readonly admin: boolean
}
