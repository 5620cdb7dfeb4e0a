import { Caller, CallerTenant } from "@portico/contract/Access"
import { Forbidden, type TooManyRequests, Unauthorized, type Unavailable } from "@portico/contract/Failures"
import { type CredentialRow, Credentials, MemberRole } from "@portico/store/Credentials"
import { Policies } from "@portico/store/Policies"
import { Tenants } from "@portico/store/Tenants"
import { Kept } from "@portico/upstream/Kept"
import type { Introspected } from "@portico/upstream/zitadel/Zitadel"
import { Clock, Config, Context, DateTime, Effect, Layer, Schema, Semaphore } from "effect"
import { limited, limitsOf } from "../policy/limits.ts"
import { AdminRole } from "./AdminRole.ts"
import { AuthenticationQueue } from "./AuthenticationQueue.ts"
import { ClientLogins } from "./ClientLogins.ts"
import { Introspections } from "./Introspections.ts"
import { Issued, isIssued } from "./Issued.ts"
import { LastUses } from "./LastUses.ts"
import { comesFrom, type Source } from "./networks.ts"
import type { PresentedToken } from "./PresentedToken.ts"
import { type AccessRecord, Records } from "./Records.ts"

/** User id to project id. */
const TenantMap = Schema.fromJsonString(Schema.Record(Schema.String, Schema.String))

const noTenants: typeof TenantMap.Type = {}

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
    resolve(
      token: PresentedToken,
      source?: Source
    ): Effect.Effect<Caller, Unauthorized | Forbidden | Unavailable | TooManyRequests>
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

      /** So few look-ups of dead tokens take connections of the database at once. */
      const looking = yield* Semaphore.make(deadLookups)
      /** Why tokens are dead that the identity provider is not asked about again. */
      const reasons = new Kept<Unauthorized>(deadReasons)

      const inactive = Effect.fnUntraced(function* (presented: PresentedToken) {
        const { hash } = presented
        const known = reasons.get(hash, yield* Clock.currentTimeMillis)
        if (known !== undefined && introspections.isDead(presented)) return yield* known
        const reason = yield* Effect.flip(looking.withPermits(1)(reasonOf(presented)))
        reasons.keep(hash, reason, (yield* Clock.currentTimeMillis) + 5_000)
        return yield* reason
      })

      /** Why a token is dead: what our store knows of it, or nothing but that it is. */
      const reasonOf = Effect.fnUntraced(function* (presented: PresentedToken) {
        const userId = introspections.lastUserOf(presented)
        const known =
          (yield* credentials.findByPat(presented.hash)) ??
          (userId === undefined ? undefined : yield* credentials.findByUser(userId))
        if (known !== undefined) yield* alive(known)
        return yield* Unauthorized.tokenNotActive()
      })

      const mapped = Effect.fnUntraced(function* (user: Introspected, projectId: string) {
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

      return Callers.of({
        // Untraced and eager: it is part of every request, most of which find all of it known. What it calls is traced.
        resolve: Effect.fnUntracedEager(function* (presented, source) {
          if (isIssued(presented)) return (yield* issued.resolve(presented, source)).caller
          const user = yield* introspections.get(presented, source)
          if (user === undefined) return yield* inactive(presented)

          const record = yield* records.get(user.userId)
          if (record !== undefined) yield* alive(record.credential)
          if (user.roles.length === 0) return yield* Forbidden.noProjectRoles()
          if (record !== undefined) {
            if (record.networks !== undefined && !comesFrom(record.networks, source)) {
              return yield* Forbidden.sourceNetwork()
            }
            lastUses.note(record.credential.credential_id, source)
            return recorded(user, record)
          }

          const projectId = Object.hasOwn(tenantMap, user.userId) ? tenantMap[user.userId] : undefined
          if (projectId !== undefined) return yield* mapped(user, projectId)
          if (user.roles.includes(adminRole)) return administrator(user)
          return yield* Forbidden.noTenant(user.userName === "" ? user.userId : user.userName)
        })
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide(LastUses.layer),
    Layer.provideMerge(AdminRole.layer),
    Layer.provideMerge(Layer.mergeAll(Introspections.layer, Issued.layer, ClientLogins.layer)),
    Layer.provideMerge(AuthenticationQueue.layer),
    Layer.provideMerge(Records.layer)
  )
}

const deadLookups = 4
const deadReasons = 20_000

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

const identityOf = ({ roles, userEmail, userId, userName }: Introspected) => ({ userId, userName, userEmail, roles })

/** Of a user whom the static map binds, there is no membership: the identity provider's role counts. */
const roleOf = ({ roles }: Introspected): MemberRole | null =>
  MemberRole.literals.find((_) => roles.includes(_)) ?? null

/** A machine acts for the account; of people, those who were allowed to, and owners. */
const seesMoney = ({ billing_access, kind, role }: CredentialRow): boolean =>
  kind !== "member" || billing_access || role === "customer-owner"

/** The identity provider knows an address of people alone. */
const isPerson = ({ userEmail }: Introspected): boolean => userEmail !== ""

/** A machine user has a name for the identity provider alone (contract, Identity document). */
const callerOf = (user: Introspected, { closing, credential, limits, suspended, tenantName }: AccessRecord): Caller =>
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

const administrator = (user: Introspected): Caller =>
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
