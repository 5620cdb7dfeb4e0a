import { TenantMap } from "@portico/domain/access/Callers"
import { innermost } from "@portico/domain/innermost"
import { client } from "@portico/store/Database"
import { StatementTime } from "@portico/store/client/inTime"
import { MemberRole } from "@portico/store/Credentials"
import type { Designate } from "@portico/upstream/designate/Designate"
import { attemptStamp, Keystone } from "@portico/upstream/keystone/Keystone"
import type { Rgw } from "@portico/upstream/rgw/Rgw"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { Humans } from "@portico/upstream/zitadel/Humans"
import { Zitadel } from "@portico/upstream/zitadel/Zitadel"
import { Cause, Config, Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { type Check, failed, type Finding, ok } from "./Check.ts"
import { page, some } from "./differences.ts"
import { heldByNobody, holdings, type Projects } from "./holdings.ts"

/** It reads whole tables. */
const statementTime = Duration.minutes(1)

interface CredentialRow {
  readonly credential_id: string
  readonly user_id: string
  readonly email: string
  readonly member: boolean
  /** Whether it may be used, in the gateway's own eyes. */
  readonly live: boolean
  /** Searches of the identity provider may not find younger users yet. */
  readonly settled: boolean
}

/** What the database says, in statements that lock nothing. Read it after the platform: records come first there. */
const recorded = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const attempts = yield* sql<{ readonly attempt_id: string; readonly slug: string }>`
    SELECT attempt_id, slug FROM onboardings ORDER BY started_at`
  const tenants = yield* sql<{ readonly project_id: string; readonly slug: string }>`
    SELECT project_id, slug FROM tenants ORDER BY created_at`
  const credentials = yield* sql<CredentialRow>`
    SELECT credential_id, user_id, email, kind = 'member' AS member, state IN ('active', 'suspended') AS live,
      created_at < now() - interval '1 minute' AS settled
    FROM credentials ORDER BY created_at`
  const purges = yield* sql<{ readonly project_id: string }>`
    SELECT project_id FROM purges WHERE state IN ('purging', 'finishing', 'restoring') AND lease_ends < '2999-01-01'`
  const closures = yield* sql<{ readonly number: number }>`
    SELECT number FROM accounts WHERE state = 'closing' AND COALESCE(due_at, closes_at) < now() + interval '1 day'`
  return { attempts, tenants, credentials, purges, closures }
})

type Recorded = Effect.Success<typeof recorded>

/** What the platform says of the things that an onboarding, a mint or an invitation made. */
const platform = Effect.gen(function* () {
  const humans = yield* Humans
  return yield* Effect.all(
    {
      projects: (yield* Keystone).onboardedProjects,
      machines: (yield* Zitadel).machineUsers,
      held: holdings,
      people: Effect.map(Effect.forEach(MemberRole.literals, humans.holders, { concurrency: 4 }), (_) => [
        ...new Set(_.flat())
      ])
    },
    { concurrency: "unbounded" }
  )
})

type Platform = Effect.Success<typeof platform>

const tenantMap = Config.schema(TenantMap, "TENANT_MAP").pipe(Config.withDefault({}))

const projectsOf = Effect.fnUntraced(function* ({ projects }: Platform, { attempts, purges, tenants }: Recorded) {
  const underWay = new Set(attempts.map((_) => attemptStamp(_.attempt_id)))
  const known = new Set([
    ...tenants.map((_) => _.project_id),
    ...purges.map((_) => _.project_id),
    ...projects.filter((_) => underWay.has(_.stamp)).map((_) => _.id),
    ...Object.values(yield* tenantMap)
  ])
  const purged = new Set(purges.map((_) => _.project_id))
  return {
    known,
    onboarded: new Set(projects.map((_) => _.id)),
    tenants: tenants.filter((_) => !purged.has(_.project_id))
  } satisfies Projects
})

const unknownProjects = ({ projects }: Platform, { attempts, tenants }: Recorded) => {
  const known = new Set(tenants.map((_) => _.project_id))
  const underWay = new Set(attempts.map((_) => attemptStamp(_.attempt_id)))
  return some(
    projects.filter((_) => !known.has(_.id) && !underWay.has(_.stamp)).map((_) => `${_.name} (${_.id})`),
    "projects of onboardings, without a tenant",
    `Adopt or remove each: ${page}, "Projects without a tenant"`
  )
}

/** Each is asked for by itself: a list may be cut short, or older than the tenant. */
const missingProjects = Effect.fnUntraced(function* ({ projects }: Platform, { tenants }: Recorded) {
  const keystone = yield* Keystone
  const there = new Set(projects.map((_) => _.id))
  const missing = yield* Effect.filter(
    tenants.filter((_) => !there.has(_.project_id)),
    (_) => Effect.map(keystone.getProject(_.project_id), (found) => found === undefined),
    { concurrency: 4 }
  )
  return some(
    missing.map((_) => `${_.slug} (${_.project_id})`),
    "tenants without a project",
    `They were deleted after the backup; delete their records: ${page}, "Tenants without a project"`
  )
})

const unknownUsers = ({ machines }: Platform, { attempts, credentials }: Recorded) => {
  const known = new Set(credentials.map((_) => _.user_id))
  const underWay = new Set(attempts.map((_) => attemptStamp(_.attempt_id)))
  return some(
    [...machines].flatMap(([id, { active, stamp }]) => (active && !known.has(id) && !underWay.has(stamp) ? [id] : [])),
    "active machine users without a credential",
    `Their tokens are refused with 403; deactivate them: ${page}, "Credentials"`
  )
}

/** Those that two lists do not have: a list of many pages misses one when another is removed meanwhile. */
const endedCredentials = Effect.fnUntraced(function* ({ machines }: Platform, { credentials }: Recorded) {
  const missing = credentials.filter(
    (_) => !_.member && _.live && _.settled && machines.get(_.user_id)?.active !== true
  )
  const again = missing.length === 0 ? machines : yield* (yield* Zitadel).machineUsers
  return some(
    missing.filter((_) => again.get(_.user_id)?.active !== true).map((_) => _.credential_id),
    "live credentials whose machine user is inactive or gone",
    `They were revoked after the backup; revoke them again: ${page}, "Credentials"`
  )
})

const endedMembers = Effect.fnUntraced(function* ({ credentials }: Recorded) {
  const members = credentials.filter((_) => _.member && _.live && _.settled)
  const there = yield* (yield* Humans).list(members.map((_) => _.user_id))
  return some(
    members.filter((_) => !there.has(_.user_id)).map((_) => _.user_id),
    "members without a login",
    `They were removed after the backup; remove them again: ${page}, "People"`
  )
})

const unknownPeople = Effect.fnUntraced(function* ({ people }: Platform, { credentials }: Recorded) {
  const members = credentials.filter((_) => _.member)
  const known = new Set([...members.map((_) => _.user_id), ...Object.keys(yield* tenantMap)])
  const logins = yield* (yield* Humans).list(people.filter((_) => !known.has(_)))
  const invited = new Set(members.map((_) => _.email.toLowerCase()))
  return some(
    [...logins.values()].filter((_) => !invited.has(_.email.toLowerCase())).map((_) => `${_.userName} (${_.userId})`),
    "people with a role and without a membership",
    `Invite or remove them: ${page}, "People"`
  )
})

/** What jobs take up by themselves. After a restore it may be long done, or called off. */
const takenUp = ({ attempts, closures, purges }: Recorded) =>
  [
    some(
      attempts.map((_) => _.slug),
      "unfinished onboardings, which a start rolls back",
      `After a restore run after-restore.sql first: ${page}`
    ),
    some(
      purges.map((_) => _.project_id),
      "projects whose deletion a start goes on with",
      `After a restore run after-restore.sql first: ${page}`
    ),
    some(
      closures.map((_) => String(_.number)),
      "accounts that are destroyed within a day",
      `After a restore run after-restore.sql first: ${page}`
    )
  ].flat()

const compared = Effect.gen(function* () {
  const there = yield* platform
  const own = yield* recorded
  const findings = [
    ...unknownProjects(there, own),
    ...(yield* missingProjects(there, own)),
    ...unknownUsers(there, own),
    ...(yield* endedCredentials(there, own)),
    ...(yield* endedMembers(own)),
    ...(yield* unknownPeople(there, own)),
    ...(yield* heldByNobody(there.held, yield* projectsOf(there, own))),
    ...takenUp(own)
  ]
  const counts = `${own.tenants.length} tenants and ${own.credentials.length} credentials`
  return findings.length === 0 ? [ok(`${counts} are as the platform has them, and nothing is under way`)] : findings
})

const unreadable = (error: UpstreamError): ReadonlyArray<Finding> => [
  failed(`the platform cannot be read: ${error.summary}`, "Mend what the check of that system says, and look again")
]

const broken = (cause: Cause.Cause<unknown>): ReadonlyArray<Finding> => {
  const squashed = Cause.squash(cause)
  const words = squashed instanceof Error ? innermost(squashed).message : "the connection failed"
  return [failed(`the records cannot be read: ${words}`, "Mend what the check of the database says, and look again")]
}

/**
 * What the database and the platform do not know of each other, for an operator who has restored a backup. It takes a
 * list of all projects, of all machine users, of the people with a role, of all S3 users and of all zones.
 */
export const records: Check<Designate | Humans | Keystone | Rgw | Zitadel> = {
  name: "records",
  run: Effect.provide(compared, Layer.fresh(client)).pipe(
    Effect.provideService(StatementTime, statementTime),
    Effect.catchTag("UpstreamError", (error) => Effect.succeed(unreadable(error))),
    Effect.catchCause((cause) => Effect.succeed(broken(cause)))
  )
}
