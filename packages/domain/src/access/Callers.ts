import { Caller, CallerTenant } from "@portico/contract/Access"
import { Forbidden, Unauthorized, type Unavailable } from "@portico/contract/Failures"
import { type CredentialRow, Credentials, MemberRole } from "@portico/store/Credentials"
import { Policies } from "@portico/store/Policies"
import { Tenants } from "@portico/store/Tenants"
import type { Introspected } from "@portico/upstream/zitadel/Zitadel"
import { Clock, Config, Context, DateTime, Effect, Layer, Schema } from "effect"
import { limited, limitsOf } from "../policy/limits.ts"
import { AdminRole } from "./AdminRole.ts"
import { Introspections } from "./Introspections.ts"
import { Issued, isIssued } from "./Issued.ts"
import { LastUses } from "./LastUses.ts"
import { comesFrom, type Source } from "./networks.ts"
import type { PresentedToken } from "./PresentedToken.ts"
import { type AccessRecord, Records } from "./Records.ts"

/** User id to project id. */
const TenantMap = Schema.fromJsonString(Schema.Record(Schema.String, Schema.String))

const noTenants: typeof TenantMap.Type = {}

/** A caller of a call that goes on. */
export interface Standing {
  readonly caller: Caller
  /** When its token ends, in milliseconds since the epoch; infinite while that is not known. */
  readonly ends: number
  /**
   * Asks the identity provider again, where its last answer is too old; it may take as long as an upstream does. False
   * when the token is dead. Undefined where nothing has to be asked.
   */
  readonly renewal: Effect.Effect<boolean, Unauthorized | Unavailable> | undefined
}

/**
 * Turns a bearer token into who is calling (contract, Authentication 5): the
 * identity provider says whose token it is; then our own store decides, then
 * the static tenant map, then the admin role. The store decides first even
 * about a token that the provider calls inactive, so that a revoked key is
 * told that it was revoked.
 */
export class Callers extends Context.Service<
  Callers,
  {
    /** @param source without it, a credential that is limited to networks is refused, and no use is noted */
    resolve(token: PresentedToken, source?: Source): Effect.Effect<Caller, Unauthorized | Forbidden | Unavailable>
    /**
     * Resolves the token of a call that goes on, and notes no use of it. It never waits for the identity provider: where
     * that has to be asked again, our own store decides about the user that it named last, and `renewal` does the asking.
     *
     * @param before what it was a moment ago
     */
    again(
      token: PresentedToken,
      source: Source,
      before: Pick<Standing, "caller" | "ends">
    ): Effect.Effect<Standing, Unauthorized | Forbidden | Unavailable>
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
      const tenantMap = yield* Config.schema(TenantMap, "TENANT_MAP").pipe(Config.withDefault(noTenants))
      const { key: adminRole } = yield* AdminRole

      /** Why a token is dead: what our store knows of it, or nothing but that it is. */
      const inactive = Effect.fnUntraced(function* (presented: PresentedToken) {
        const userId = introspections.lastUserOf(presented)
        const known =
          (yield* credentials.findByPat(presented.hash)) ??
          (userId === undefined ? undefined : yield* credentials.findByUser(userId))
        if (known !== undefined) yield* alive(known)
        return yield* Unauthorized.tokenNotActive()
      })

      const mapped = Effect.fnUntraced(function* (user: Identified, projectId: string) {
        const tenant = yield* tenants.find(projectId)
        const limits = yield* Effect.provideService(limitsOf(projectId, null), Policies, policies)
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
          role: roleOf(user),
          billing: true
        })
      })

      /** Nearly every call comes from somebody who called a moment ago. */
      const recent = new WeakMap<Introspected, { readonly record: AccessRecord; readonly caller: Caller }>()
      const recorded = (user: Introspected, record: AccessRecord): Caller => {
        const known = recent.get(user)
        if (known?.record === record) return known.caller
        const caller = callerOf(user, record)
        recent.set(user, { record, caller })
        return caller
      }

      /** Whom a user of the identity provider acts for, by our own store, the static map and the admin role. */
      const held = Effect.fnUntracedEager(function* (
        user: Identified,
        source: Source | undefined,
        callerOf: (record: AccessRecord) => Caller
      ) {
        const record = yield* records.get(user.userId)
        if (record !== undefined) yield* alive(record.credential)
        if (user.roles.length === 0) return yield* Forbidden.noProjectRoles()
        if (record !== undefined) {
          if (record.networks !== undefined && !comesFrom(record.networks, source)) {
            return yield* Forbidden.sourceNetwork()
          }
          return callerOf(record)
        }

        const projectId = Object.hasOwn(tenantMap, user.userId) ? tenantMap[user.userId] : undefined
        if (projectId !== undefined) return yield* mapped(user, projectId)
        if (user.roles.includes(adminRole)) return administrator(user)
        return yield* Forbidden.noTenant(user.userName === "" ? user.userId : user.userName)
      })

      return Callers.of({
        // Untraced and eager: it is part of every request, most of which find all of it known. What it calls is traced.
        resolve: Effect.fnUntracedEager(function* (presented, source) {
          if (isIssued(presented)) return (yield* issued.resolve(presented)).caller
          const user = yield* introspections.get(presented)
          if (user === undefined) return yield* inactive(presented)

          return yield* held(user, source, (record) => {
            lastUses.note(record.credential.credential_id, source)
            return recorded(user, record)
          })
        }),
        again: Effect.fnUntracedEager(function* (presented, source, before) {
          if (isIssued(presented)) {
            const { caller, expiresAt } = yield* issued.resolve(presented)
            return { caller, ends: expiresAt, renewal: undefined }
          }
          const user = introspections.known(presented)
          if (user !== undefined) {
            const caller = yield* held(user, source, (record) => recorded(user, record))
            return { caller, ends: user.exp * 1000, renewal: undefined }
          }
          if (before.ends <= (yield* Clock.currentTimeMillis)) return yield* inactive(presented)
          const caller = yield* held(before.caller, source, (record) => callerOf(before.caller, record))
          const renewal = Effect.map(introspections.get(presented), (_) => _ !== undefined && _.roles.length > 0)
          return { caller, ends: before.ends, renewal }
        })
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide(LastUses.layer),
    Layer.provideMerge(AdminRole.layer),
    Layer.provideMerge(Introspections.layer),
    Layer.provideMerge(Issued.layer),
    Layer.provideMerge(Records.layer)
  )
}

/** Fails with the words for a credential that is revoked, held, expired, or not minted yet. */
const alive = Effect.fnUntracedEager(function* (credential: CredentialRow) {
  if (credential.state === "revoked") return yield* Unauthorized.revoked()
  if (credential.state === "suspended") return yield* Unauthorized.suspended()
  if (credential.state === "minting") return yield* Unauthorized.tokenNotActive()
  if (credential.expires_at === null && credential.revokes_at === null) return
  const now = yield* Clock.currentTimeMillis
  if (isOver(credential.revokes_at, now)) return yield* Unauthorized.revoked()
  if (isOver(credential.expires_at, now)) return yield* Unauthorized.expired()
})

const isOver = (end: DateTime.Utc | null, now: number): boolean => end !== null && DateTime.toEpochMillis(end) <= now

/** What the identity provider says of a user, of which a caller has all. */
type Identified = Pick<Introspected, "roles" | "userEmail" | "userId" | "userName">

const identityOf = ({ roles, userEmail, userId, userName }: Identified) => ({ userId, userName, userEmail, roles })

/** Of a user whom the static map binds, there is no membership: the identity provider's role counts. */
const roleOf = ({ roles }: Identified): MemberRole | null => MemberRole.literals.find((_) => roles.includes(_)) ?? null

/** A machine acts for the account; of people, those who were allowed to, and owners. */
const seesMoney = ({ billing_access, kind, role }: CredentialRow): boolean =>
  kind !== "member" || billing_access || role === "customer-owner"

/** The identity provider knows an address of people alone. */
const isPerson = ({ userEmail }: Identified): boolean => userEmail !== ""

/** A machine user has a name for the identity provider alone (contract, Identity document). */
const callerOf = (user: Identified, { closing, credential, limits, suspended, tenantName }: AccessRecord): Caller =>
  new Caller({
    ...identityOf(credential.kind === "member" ? user : { ...user, userName: "", userEmail: "" }),
    // Ours is the one that counts, and a change of it is heard of at once.
    ...(credential.role === null ? {} : { roles: [credential.role] }),
    ...limited(credential.tier, limits, credential.ou),
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
    kind: credential.kind,
    ...(credential.expires_at === null ? {} : { expiresAt: DateTime.toEpochMillis(credential.expires_at) }),
    role: credential.role,
    billing: seesMoney(credential),
    ...(credential.networks === null ? {} : { networks: credential.networks })
  })

const administrator = (user: Identified): Caller =>
  new Caller({
    ...identityOf(user),
    tier: 2,
    tenant: null,
    admin: true,
    human: isPerson(user),
    credentialId: null,
    credentialLabel: null,
    role: null,
    billing: true
  })
