import { Accounts } from "@portico/store/Accounts"
import { Exposures } from "@portico/store/Exposures"
import { OrganisationUnits } from "@portico/store/OrganisationUnits"
import { ProjectRecords } from "@portico/store/ProjectRecords"
import { Purges } from "@portico/store/Purges"
import { type TenantEntry, Tenants } from "@portico/store/Tenants"
import { WorkloadIssuers } from "@portico/store/WorkloadIssuers"
import { Barbican } from "@portico/upstream/barbican/Barbican"
import { Cinder } from "@portico/upstream/cinder/Cinder"
import { Designate } from "@portico/upstream/designate/Designate"
import { Keystone } from "@portico/upstream/keystone/Keystone"
import { Neutron } from "@portico/upstream/neutron/Neutron"
import { Nova } from "@portico/upstream/nova/Nova"
import { Octavia } from "@portico/upstream/octavia/Octavia"
import { Rgw } from "@portico/upstream/rgw/Rgw"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { Humans } from "@portico/upstream/zitadel/Humans"
import { Zitadel } from "@portico/upstream/zitadel/Zitadel"
import { Effect } from "effect"
import { AdminRole } from "../access/AdminRole.ts"
import { Records } from "../access/Records.ts"
import { stampOf } from "../credentials/makeUser.ts"
import { withProjectEvents } from "../credentials/events.ts"
import { removeLogin } from "../org/login.ts"
import { Lost, renewing } from "../work/lease.ts"
import { Paused, type Run } from "./Run.ts"

/** How many users are removed at once. */
const concurrency = 4

/**
 * Ends an emptied project, past the point of no return: removes what the
 * platform keeps for it, its users, the project, and its rows last, so the name
 * stays taken until nothing is left. Each act may be repeated. An act that
 * fails is tried again, because a removed secret cannot be restored.
 */
export const finish = Effect.fn("projects.finish")(function* (run: Run) {
  const tenant = yield* (yield* Tenants).find(run.projectId)
  if (tenant === undefined) return yield* new Lost()

  for (const [step, act] of acts) {
    if (run.entry().progress.some((_) => _.step === step && _.state === "done")) continue
    yield* run.advance(step, { state: "running", left: 1 })
    yield* Effect.catchTag(
      renewing(run.renewal)(act(tenant)),
      "UpstreamError",
      ({ summary }) => new Paused({ step, message: summary })
    )
    yield* run.advance(step, { state: "done", done: 1, left: 0 })
  }
  yield* withProjectEvents([run.projectId], end(run))
  yield* (yield* Records).forgetProject(run.projectId)
})

type Act = (
  tenant: TenantEntry
) => Effect.Effect<
  void,
  UpstreamError | Paused,
  | AdminRole
  | Barbican
  | Cinder
  | Designate
  | Humans
  | Keystone
  | Neutron
  | Nova
  | Octavia
  | ProjectRecords
  | Rgw
  | Zitadel
>

const securityGroup: Act = ({ project_id }) => Effect.flatMap(Neutron, (_) => _.removeDefaultSecurityGroup(project_id))

/** Comes before the project's removal: Nova has no quotas of a deleted project. */
const quotas: Act = Effect.fnUntraced(function* ({ project_id }) {
  yield* (yield* Nova).removeQuotas(project_id)
  yield* (yield* Cinder).removeQuotas(project_id)
  yield* (yield* Neutron).removeQuotas(project_id)
  yield* (yield* Octavia).removeQuotas(project_id)
  yield* (yield* Designate).removeQuotas(project_id)
  yield* Effect.catchIf(
    (yield* Barbican).removeQuotas(project_id),
    ({ status }) => status === 403,
    () => Effect.void
  )
})

const objectUser: Act = ({ project_id }) => Effect.flatMap(Rgw, (_) => _.destroyUser(project_id))

const tenantUser: Act = ({ project_id, stamp }) =>
  Effect.flatMap(Keystone, (_) => _.removeTenantUser({ projectId: project_id, stamp }))

/**
 * Includes the users of revoked credentials, which are only deactivated so far.
 * A mint under way removes its own user.
 */
const machineUsers: Act = Effect.fnUntraced(function* ({ project_id, stamp }) {
  const zitadel = yield* Zitadel
  const rows = yield* (yield* ProjectRecords).credentials(project_id)
  yield* Effect.forEach(
    rows.filter((_) => _.kind !== "member"),
    (row) => zitadel.removeUser(row.user_id, row.created_by === "onboarding" ? stamp : stampOf(row)),
    { concurrency, discard: true }
  )
})

/**
 * Keeps the login of a platform administrator. Waits for an invitation under
 * way; the sweep removes one that was cut short.
 */
const logins: Act = Effect.fnUntraced(function* ({ project_id }) {
  const humans = yield* Humans
  const { key } = yield* AdminRole
  const rows = (yield* (yield* ProjectRecords).credentials(project_id)).filter((_) => _.kind === "member")
  if (rows.some((_) => _.state === "minting")) {
    return yield* new Paused({ step: "identity-provider/logins", message: "an invitation is under way" })
  }
  yield* Effect.forEach(
    rows,
    Effect.fnUntraced(function* (row) {
      if (!(yield* humans.rolesOf(row.user_id)).includes(key)) yield* removeLogin(row.user_id)
    }),
    { concurrency, discard: true }
  )
})

const project: Act = ({ project_id }) => Effect.flatMap(Keystone, (_) => _.removeProject(project_id))

const acts: ReadonlyArray<readonly [step: string, act: Act]> = [
  ["network/default_security_group", securityGroup],
  ["object-storage/user", objectUser],
  ["identity/quotas", quotas],
  ["identity/tenant_user", tenantUser],
  ["identity-provider/machine_users", machineUsers],
  ["identity-provider/logins", logins],
  ["identity/project", project]
]

/** Removes all rows of the project in one transaction. Its account ends with its last project. */
const end = Effect.fnUntraced(function* (run: Run) {
  const { projectId } = run
  if (!(yield* (yield* Purges).close(run.entry()))) return yield* new Lost()
  const accounts = yield* Accounts
  const account = yield* accounts.findByProject(projectId)
  yield* (yield* OrganisationUnits).removeAll(projectId)
  yield* (yield* WorkloadIssuers).removeOfProject(projectId)
  yield* (yield* Exposures).removeOfProject(projectId)
  yield* (yield* ProjectRecords).end(projectId)
  if (account !== undefined) yield* accounts.vacate(account.number, projectId)
})
