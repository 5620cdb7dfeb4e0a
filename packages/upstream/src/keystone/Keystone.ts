import type { Tier } from "@portico/contract/Tiers"
import { Config, Context, Duration, Effect, Layer, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { controlled, ttlOnSuccess } from "../openstack/openstack.ts"
import { Sessions, tenantUserName } from "../openstack/Sessions.ts"
import { allPages, markerOf } from "../paging.ts"
import { patchJson, postJson, putJson } from "../requests.ts"
import { orOwn, type Taken, UpstreamError } from "../UpstreamError.ts"

const Project = Schema.Struct({ id: Schema.String, name: Schema.String, tags: Schema.Array(Schema.String) })
export type Project = typeof Project.Type

const User = Schema.Struct({ id: Schema.String, name: Schema.String, description: Schema.optionalKey(Schema.String) })

const Links = Schema.optionalKey(Schema.Struct({ next: Schema.optionalKey(Schema.NullOr(Schema.String)) }))

/**
 * The mark that every resource of a project carries from its creation, so that
 * a rollback removes only its own resources.
 */
export interface Stamp {
  /** `portico-attempt:<id>` */
  readonly stamp: string
}

/** What an attempt makes for a project. */
interface Tenanted extends Stamp {
  readonly projectId: string
}

export interface OnboardedProject extends Project, Stamp {}

interface NewProject extends Stamp {
  readonly name: string
  readonly description: string
}

const tierPrefix = "tier:"

export const tierTag = (tier: Tier): string => `${tierPrefix}${tier}`

/** The tag, beside the tier's, for zeroed quotas. */
export const suspendedTag = "suspended"

const attemptPrefix = "portico-attempt:"

/** The mark of an onboarding's resources. A project tag may contain neither a comma nor a slash. */
export const attemptStamp = (attemptId: string): string => `${attemptPrefix}${attemptId}`

/**
 * Projects, tags and users, under the control identity. Names are unique in a
 * domain and compared without case, so callers pass them in lower case.
 */
export class Keystone extends Context.Service<
  Keystone,
  {
    /**
     * Creates the project, or finds the one that this stamp created before. A
     * project of the name with another stamp is {@link Taken}.
     */
    createProject(options: NewProject): Effect.Effect<Project, UpstreamError | Taken>
    /** The project of this name, if it carries this stamp. */
    findProject(options: Stamp & { readonly name: string }): Effect.Effect<Project | undefined, UpstreamError>
    getProject(projectId: string): Effect.Effect<Project | undefined, UpstreamError>
    removeProject(projectId: string): Effect.Effect<void, UpstreamError>
    /** Every project with a tier tag. */
    readonly tieredProjects: Effect.Effect<ReadonlyArray<Project>, UpstreamError>
    /** Every project that an onboarding created, whole or not. */
    readonly onboardedProjects: Effect.Effect<ReadonlyArray<OnboardedProject>, UpstreamError>
    /** Adds the tier's tag to a project that has none. */
    tagTier(projectId: string, tier: Tier): Effect.Effect<void, UpstreamError>
    /** Replaces the tags of the tier and of the suspension; every other tag stays. */
    retag(
      projectId: string,
      tags: { readonly tier: Tier; readonly suspended: boolean }
    ): Effect.Effect<void, UpstreamError>
    /** Creates the user that acts inside the project, with its roles there. */
    createTenantUser(options: Tenanted): Effect.Effect<{ readonly id: string }, UpstreamError | Taken>
    removeTenantUser(options: Tenanted): Effect.Effect<void, UpstreamError>
    /**
     * Gives the user the password of the current key, after which Keystone accepts none of its earlier tokens. False
     * when it has the password already, and when there is no such user.
     */
    renewTenantPassword(projectId: string): Effect.Effect<boolean, UpstreamError>
  }
>()("portico/upstream/keystone/Keystone") {
  static readonly layer = Layer.effect(
    Keystone,
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const system = yield* controlled("keystone", "identity")
      const domain = yield* Config.String("KEYSTONE_DOMAIN_ID").pipe(Config.withDefault("default"))
      const roleNames = yield* Config.String("KEYSTONE_TENANT_ROLES").pipe(
        Config.withDefault("member,load-balancer_member,creator")
      )

      const named = (name: string) =>
        Effect.map(
          system.read(
            "find project",
            HttpClientRequest.get("/projects", { urlParams: { name, domain_id: domain } }),
            Schema.Struct({ projects: Schema.Array(Project) })
          ),
          ({ projects }) => projects[0]
        )

      const findProject = Effect.fn("Keystone.findProject")(function* ({
        name,
        stamp
      }: Stamp & { readonly name: string }) {
        const project = yield* named(name)
        return project?.tags.includes(stamp) ? project : undefined
      })

      const createProject = Effect.fn("Keystone.createProject")(function* (options: NewProject) {
        const { description, name, stamp } = options
        return yield* system
          .write(
            "create project",
            postJson("/projects", {
              project: { name, domain_id: domain, description, enabled: true, tags: [stamp] }
            }),
            Schema.Struct({ project: Project })
          )
          .pipe(
            Effect.map((_) => _.project),
            (created) => orOwn(created, findProject(options), { upstream: "keystone", what: `project '${name}'` })
          )
      })

      const getProject = (projectId: string) =>
        Effect.map(
          system.find(
            "get project",
            HttpClientRequest.get(`/projects/${encodeURIComponent(projectId)}`),
            Schema.Struct({ project: Project })
          ),
          (_) => _?.project
        )

      const retag = Effect.fn("Keystone.retag")(function* (
        projectId: string,
        wanted: { readonly tier: Tier; readonly suspended: boolean }
      ) {
        const project = yield* getProject(projectId)
        if (project === undefined) {
          return yield* new UpstreamError({
            upstream: "keystone",
            call: "retag",
            status: 404,
            detail: "the project is gone"
          })
        }
        const others = project.tags.filter((_) => !_.startsWith(tierPrefix) && _ !== suspendedTag)
        const tags = [...others, ...(wanted.suspended ? [suspendedTag] : []), tierTag(wanted.tier)]
        yield* system.send("retag", putJson(`/projects/${encodeURIComponent(projectId)}/tags`, { tags }))
      })

      const tagTier = Effect.fn("Keystone.tagTier")(function* (projectId: string, tier: Tier) {
        const url = `/projects/${encodeURIComponent(projectId)}/tags/${encodeURIComponent(tierTag(tier))}`
        yield* system.send("tag tier", HttpClientRequest.put(url))
      })

      // Missing roles are not an error: a cloud without load balancers has no role for them. The first configured role,
      // by default `member`, must exist.
      const roles = yield* Effect.cachedWithTTL(
        Effect.gen(function* () {
          const found = yield* system.read(
            "list roles",
            HttpClientRequest.get("/roles"),
            Schema.Struct({ roles: Schema.Array(Schema.Struct({ id: Schema.String, name: Schema.String })) })
          )
          const wanted = roleNames.split(",").map((_) => _.trim())
          const held = found.roles.filter((_) => wanted.includes(_.name))
          if (!held.some((_) => _.name === wanted[0])) {
            return yield* new UpstreamError({
              upstream: "keystone",
              call: "list roles",
              status: 404,
              detail: `there is no role '${wanted[0]}'`
            })
          }
          return held
        }),
        ttlOnSuccess(Duration.hours(1))
      )

      const usersNamed = (name: string) =>
        Effect.map(
          system.read(
            "find tenant user",
            HttpClientRequest.get("/users", { urlParams: { name, domain_id: domain } }),
            Schema.Struct({ users: Schema.Array(User) })
          ),
          (_) => _.users
        )

      const ownUser = Effect.fnUntraced(function* ({ projectId, stamp }: Tenanted) {
        return (yield* usersNamed(tenantUserName(projectId))).find((_) => _.description === stamp)
      })

      const makeUser = (options: Tenanted) =>
        system
          .write(
            "create tenant user",
            postJson("/users", {
              user: {
                name: tenantUserName(options.projectId),
                domain_id: domain,
                default_project_id: options.projectId,
                description: options.stamp,
                password: Redacted.value(sessions.tenantPassword(options.projectId)),
                enabled: true,
                // No password policy may lock the gateway out of a tenant.
                options: {
                  ignore_lockout_failure_attempts: true,
                  ignore_password_expiry: true,
                  ignore_change_password_upon_first_use: true,
                  lock_password: true
                }
              }
            }),
            Schema.Struct({ user: User })
          )
          .pipe(
            Effect.map((_) => _.user),
            (created) =>
              orOwn(created, ownUser(options), {
                upstream: "keystone",
                what: `user '${tenantUserName(options.projectId)}'`
              })
          )

      const createTenantUser = Effect.fn("Keystone.createTenantUser")(function* (options: Tenanted) {
        const [user, held] = yield* Effect.all([makeUser(options), roles], { concurrency: "unbounded" })
        yield* Effect.forEach(
          held,
          (role) =>
            system.send(
              `grant ${role.name}`,
              HttpClientRequest.put(`/projects/${options.projectId}/users/${user.id}/roles/${role.id}`)
            ),
          { concurrency: "unbounded", discard: true }
        )
        return user
      })

      const removeTenantUser = Effect.fn("Keystone.removeTenantUser")(function* (options: Tenanted) {
        const user = yield* ownUser(options)
        if (user !== undefined)
          yield* system.remove("remove tenant user", HttpClientRequest.delete(`/users/${user.id}`))
      })

      const renewTenantPassword = Effect.fn("Keystone.renewTenantPassword")(function* (projectId: string) {
        if (yield* sessions.hasTenantPassword(projectId)) return false
        const [user] = yield* usersNamed(tenantUserName(projectId))
        if (user === undefined) return false
        const password = Redacted.value(sessions.tenantPassword(projectId))
        yield* system.send("renew tenant password", patchJson(`/users/${user.id}`, { user: { password } }))
        return true
      })

      const tiers = (["discovery", "standard", "extension"] as const).map(tierTag).join(",")
      const listed = (call: string, query: Readonly<Record<string, string>>) =>
        allPages<Project, UpstreamError>(
          { upstream: "keystone", call },
          Effect.fnUntraced(function* (found) {
            const urlParams = { domain_id: domain, ...query, ...markerOf(found) }
            const { links, projects } = yield* system.read(
              call,
              HttpClientRequest.get("/projects", { urlParams }),
              Schema.Struct({ projects: Schema.Array(Project), links: Links })
            )
            const known = new Set(found.map((_) => _.id))
            // A Keystone that does not page answers the whole list again.
            return { items: projects.filter((_) => !known.has(_.id)), more: typeof links?.next === "string" }
          })
        )
      const tieredProjects = listed("list tenants", { "tags-any": tiers }).pipe(
        Effect.withSpan("Keystone.tieredProjects")
      )
      // Keystone finds no tag by its beginning.
      const onboardedProjects = listed("list projects", {}).pipe(
        Effect.map((projects) =>
          projects.flatMap((project) => {
            const stamp = project.tags.find((_) => _.startsWith(attemptPrefix))
            return stamp === undefined ? [] : [{ ...project, stamp }]
          })
        ),
        Effect.withSpan("Keystone.onboardedProjects")
      )

      return Keystone.of({
        createProject,
        findProject,
        getProject,
        removeProject: (projectId) =>
          system.remove("remove project", HttpClientRequest.delete(`/projects/${projectId}`)),
        tieredProjects,
        onboardedProjects,
        tagTier,
        retag,
        createTenantUser,
        removeTenantUser,
        renewTenantPassword
      })
    })
  )
}
