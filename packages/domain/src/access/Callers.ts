import { Caller, CallerTenant } from "@portico/contract/Access"
import { Forbidden, type TooManyRequests, Unauthorized, type Unavailable } from "@portico/contract/Failures"
import { Credentials, MemberRole } from "@portico/store/Credentials"
import { Policies } from "@portico/store/Policies"
import { Tenants } from "@portico/store/Tenants"
import { TtlCache } from "@portico/upstream/TtlCache"
import type { Introspected } from "@portico/upstream/zitadel/Zitadel"
import { Clock, Config, Context, DateTime, Effect, Layer, Schema, Semaphore } from "effect"
import type { Plane } from "../health/readiness.ts"
import { limited, limitsOf } from "./limits.ts"
import { AdminRole } from "./AdminRole.ts"
import { Admission } from "./Admission.ts"
import { asAgent } from "./asAgent.ts"
import { AuthenticationQueue } from "./AuthenticationQueue.ts"
import type { PresentedToken } from "./PresentedToken.ts"
import { alive, type Bounds, type Unworkable } from "./bounds.ts"
import { ClientLogins } from "./ClientLogins.ts"
import { EndedSessions } from "./EndedSessions.ts"
import { Introspections } from "./Introspections.ts"
import { Issued, isIssued } from "./Issued.ts"
import { LastUses } from "./LastUses.ts"
import { comesFrom, type Source } from "./networks.ts"
import { type AccessRecord, Records } from "./Records.ts"

/** User id to project id. */
export const TenantMap = Schema.fromJsonString(Schema.Record(Schema.String, Schema.String))

const noTenants: typeof TenantMap.Type = {}

/** Why a token is not accepted. */
type Dead = Unworkable | Unauthorized<"introspection_failed">

/** Why the owner of a token is unknown. */
type Unknown = Dead | TooManyRequests<"rate_limited"> | Unavailable<"identity_provider_unreachable">

/** Why the rights of a caller are unknown. */
type Unresolved =
  | Unknown
  | Forbidden<"no_project_roles" | "no_tenant" | "source_network_refused">
  | Unavailable<"policy_unreadable">

/** The caller of a long-lived call, such as a watch. */
export interface Standing {
  readonly caller: Caller
  /** When its token expires, in milliseconds since the epoch; infinite while that is unknown. */
  readonly ends: number
  /**
   * Introspects the token again when the last answer is too old; may take as long as an upstream
   * call. False for a dead token. Undefined when no introspection is due.
   */
  readonly renewal: Effect.Effect<boolean, Unknown> | undefined
}

/**
 * Resolves a bearer token to its caller (contract, Authentication 5). The identity provider says
 * whose token it is. The gateway's store decides first, then the static tenant map, then the admin
 * role. The store also decides first about a token that the provider reports as inactive, so a
 * client with a revoked key learns that the key was revoked.
 */
export class Callers extends Context.Service<
  Callers,
  {
    /**
     * @param plane the plane of the call: administrator rights exist on the operator plane alone, and on the agent
     * plane every caller has an agent's rights
     * @param source without it a credential that is limited to networks is rejected, and no use is
     * recorded
     */
    resolve(token: PresentedToken, plane: Plane, source?: Source): Effect.Effect<Caller, Unresolved>
    /**
     * Resolves the token of a long-lived call again, and records no use of it. It never waits for
     * the identity provider: when an introspection is due, the gateway's store decides about the
     * last known user, and `renewal` introspects the token.
     *
     * @param before the previous result
     */
    again(
      token: PresentedToken,
      plane: Plane,
      source: Source,
      before: Pick<Standing, "caller" | "ends">
    ): Effect.Effect<Standing, Unresolved>
  }
>()("portico/domain/access/Callers") {
  static readonly layerNoDeps = Layer.effect(
    Callers,
    Effect.gen(function* () {
      const introspections = yield* Introspections
      const records = yield* Records
      const issued = yield* Issued
      const credentials = yield* Credentials
      const tenants = yield* Tenants
      const policies = yield* Policies
      const lastUses = yield* LastUses
      const clock = yield* Clock.Clock
      const tenantMap = yield* Config.schema(TenantMap, "TENANT_MAP").pipe(Config.withDefault(noTenants))
      const { key: adminRole } = yield* AdminRole

      /** Limits the database connections that look-ups of dead tokens take. */
      const deadTokenLookups = yield* Semaphore.make(deadLookups)
      /** Why tokens are dead; the identity provider is not asked about them again. */
      const reasons = new TtlCache<Dead>(deadReasons)

      const inactive = Effect.fnUntraced(function* (presented: PresentedToken) {
        const { hash } = presented
        const known = reasons.get(hash, yield* Clock.currentTimeMillis)
        if (known !== undefined && introspections.isDead(presented)) return yield* known
        const reason = yield* Effect.flip(deadTokenLookups.withPermits(1)(reasonOf(presented)))
        reasons.keep(hash, reason, (yield* Clock.currentTimeMillis) + 5_000)
        return yield* reason
      })

      /** Why a token is dead: the reason in the gateway's store, or else the generic 401. */
      const reasonOf = Effect.fnUntraced(function* (presented: PresentedToken) {
        const userId = introspections.lastUserOf(presented)
        const known =
          (yield* credentials.derived({ patHash: presented.hash })) ??
          (userId === undefined ? undefined : yield* credentials.derived({ userId }))
        if (known !== undefined) yield* alive(known, clock.currentTimeMillisUnsafe())
        return yield* Unauthorized.tokenNotActive()
      })

      const mapped = Effect.fnUntraced(function* (user: Identified, projectId: string) {
        const tenant = yield* tenants.find(projectId)
        const limits = yield* Effect.provideService(limitsOf(projectId, []), Policies, policies)
        return new Caller({
          ...identityOf(user),
          ...limited(2, limits, null),
          tenant: new CallerTenant({
            projectId,
            name: tenant?.name ?? "",
            closing: tenant !== undefined && tenant.closing.length > 0,
            suspended: tenant?.suspended ?? false,
            source: "tenant_map"
          }),
          admin: false,
          human: isPerson(user),
          credentialId: null,
          credentialLabel: null,
          // A machine without a record has a login again whenever it wants one.
          ...(isPerson(user) ? issuedAtOf(user) : {}),
          role: roleOf(user),
          billing: true
        })
      })

      /** Nearly every call comes from a caller that called a moment ago. */
      const recent = new WeakMap<Introspected, { readonly record: AccessRecord; readonly caller: Caller }>()
      const recorded = (user: Introspected, record: AccessRecord): Caller => {
        const known = recent.get(user)
        if (known?.record === record) return known.caller
        const caller = callerOf(user, record)
        recent.set(user, { record, caller })
        return caller
      }

      /** Whom a user of the identity provider acts for, by the gateway's store, the static map and the admin role. */
      const callerFor = Effect.fnUntracedEager(function* (
        user: Identified,
        plane: Plane,
        source: Source | undefined,
        callerOf: (record: AccessRecord) => Caller
      ) {
        const record = yield* records.get(user.userId)
        if (record !== undefined) yield* alive(record.credential, clock.currentTimeMillisUnsafe())
        if (user.roles.length === 0) return yield* Forbidden.noProjectRoles()
        if (record !== undefined) {
          if (!comesFrom(record.networks, source)) return yield* Forbidden.sourceNetwork()
          return callerOf(record)
        }

        const projectId = Object.hasOwn(tenantMap, user.userId) ? tenantMap[user.userId] : undefined
        if (projectId !== undefined) return yield* mapped(user, projectId)
        if (user.roles.includes(adminRole)) return administrator(user, plane)
        return yield* Forbidden.noTenant(user.userName === "" ? user.userId : user.userName)
      })

      const callers = Callers.of({
        // Untraced and eager: every request runs it, and most find everything cached. The calls that it makes are
        // traced.
        resolve: Effect.fnUntracedEager(function* (presented, plane, source) {
          if (isIssued(presented)) {
            const { caller, networks } = yield* issued.resolve(presented, source)
            return comesFrom(networks, source) ? caller : yield* Forbidden.sourceNetwork()
          }
          const user = yield* introspections.get(presented, source)
          if (user === undefined) return yield* inactive(presented)

          return yield* callerFor(user, plane, source, (record) => {
            lastUses.note(record.credential.credential_id, source)
            return recorded(user, record)
          })
        }),
        again: Effect.fnUntracedEager(function* (presented, plane, source, before) {
          if (isIssued(presented)) {
            const { caller, expiresAt, networks } = yield* issued.resolve(presented, source)
            if (!comesFrom(networks, source)) return yield* Forbidden.sourceNetwork()
            return { caller, ends: expiresAt, renewal: undefined }
          }
          const user = introspections.known(presented)
          if (user !== undefined) {
            const caller = yield* callerFor(user, plane, source, (record) => recorded(user, record))
            return { caller, ends: user.exp * 1000, renewal: undefined }
          }
          const isOver = before.ends <= (yield* Clock.currentTimeMillis) || introspections.isDead(presented)
          if (isOver) return yield* inactive(presented)
          const caller = yield* callerFor(before.caller, plane, source, (record) => callerOf(before.caller, record))
          const renewal = Effect.map(
            introspections.get(presented, source),
            (_) => _ !== undefined && _.roles.length > 0
          )
          return { caller, ends: before.ends, renewal }
        })
      })
      return Callers.of({
        resolve: (presented, plane, source) =>
          plane === "agent"
            ? Effect.map(callers.resolve(presented, plane, source), asAgent)
            : callers.resolve(presented, plane, source),
        again: (presented, plane, source, before) =>
          plane === "agent"
            ? Effect.map(callers.again(presented, plane, source, before), (_) => ({ ..._, caller: asAgent(_.caller) }))
            : callers.again(presented, plane, source, before)
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide(LastUses.layer),
    Layer.provideMerge(AdminRole.layer),
    Layer.provideMerge(Layer.mergeAll(Introspections.layer, Issued.layer, ClientLogins.layer, Admission.layer)),
    Layer.provideMerge(AuthenticationQueue.layer),
    Layer.provideMerge(Records.layer),
    Layer.provideMerge(EndedSessions.layer)
  )
}

const deadLookups = 4
const deadReasons = 20_000

/** The identity provider's fields of a user; a caller has all of them. */
type Identified = Pick<Introspected, "issuedAt" | "roles" | "userEmail" | "userId" | "userName">

const identityOf = ({ roles, userEmail, userId, userName }: Identified) => ({ userId, userName, userEmail, roles })

const issuedAtOf = ({ issuedAt }: Identified) => (issuedAt === undefined ? {} : { issuedAt })

/** A user that the static map binds has no membership, so the identity provider's role counts. */
const roleOf = ({ roles }: Identified): MemberRole | null => MemberRole.literals.find((_) => roles.includes(_)) ?? null

/** The identity provider has an e-mail address for people alone. */
const isPerson = ({ userEmail }: Identified): boolean => userEmail !== ""

/** Only the identity provider uses a machine user's name (contract, Identity document). */
const callerOf = (
  user: Identified,
  { bounds, closing, credential, limits, suspended, tenantName }: AccessRecord
): Caller =>
  new Caller({
    ...identityOf(credential.kind === "member" ? user : { ...user, userName: "", userEmail: "" }),
    // The role of the gateway's store counts: replicas learn of its changes at once.
    ...(credential.role === null ? {} : { roles: [credential.role] }),
    ...limited(bounds.tier, limits, credential.ou),
    tenant: new CallerTenant({
      projectId: credential.project_id,
      name: tenantName,
      closing,
      suspended,
      source: "credential_store"
    }),
    admin: false,
    human: credential.kind === "member",
    credentialId: credential.credential_id,
    credentialLabel: credential.label,
    kind: bounds.agent ? "mcp" : credential.kind,
    recordId: credential.credential_id,
    ...(bounds.endsAt === null ? {} : { expiresAt: DateTime.toEpochMillis(bounds.endsAt) }),
    ...(credential.kind === "member" ? issuedAtOf(user) : { issuedAt: DateTime.toEpochMillis(credential.created_at) }),
    role: credential.role,
    billing: bounds.billing,
    ...networksOf(bounds)
  })

/** The caller's own networks: the credentials that it makes must stay within them. */
const networksOf = ({ networks: [own] }: Bounds) => (own === undefined ? {} : { networks: own })

/** On the customer plane an administrator has no tenant and no rights (contract: no cross-tenant routes at all). */
const administrator = (user: Identified, plane: Plane): Caller =>
  new Caller({
    ...identityOf(user),
    tier: 2,
    tenant: null,
    admin: plane === "operator",
    human: isPerson(user),
    credentialId: null,
    credentialLabel: null,
    role: null,
    billing: true
  })
