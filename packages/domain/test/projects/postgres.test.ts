import { assert, it } from "@effect/vitest"
import { onboard } from "@portico/domain/onboarding/onboard"
import { cancelDeletion } from "@portico/domain/projects/cancel"
import { holdProject } from "@portico/domain/projects/hold"
import { purgeProject, reconcilePurges } from "@portico/domain/projects/purge"
import { removeProject } from "@portico/domain/projects/remove"
import { Accounts } from "@portico/store/Accounts"
import { Credentials } from "@portico/store/Credentials"
import { OrganisationUnits } from "@portico/store/OrganisationUnits"
import { ProjectRecords } from "@portico/store/ProjectRecords"
import { Purges } from "@portico/store/Purges"
import { Tenants } from "@portico/store/Tenants"
import { Effect } from "effect"
import { administrator } from "@portico/testing/tenants/caller"
import { leftovers } from "@portico/testing/cloud/cleanSlate"
import { withOwner } from "./estate.ts"
import { OnPostgres } from "@portico/testing/cloud/postgres"

const acme = Effect.gen(function* () {
  const { credential, tenant } = yield* onboard({ name: "Acme GmbH", tier: "discovery" })
  const projectId = tenant.project_id
  yield* withOwner(projectId)
  yield* (yield* OrganisationUnits).insert({ project_id: projectId, path: "sales", created_by: "olga" })
  const removal = { projectId, confirm: "acme-gmbh", requestId: "request-1" }
  return { projectId, credentialId: credential.id, removed: removeProject(administrator, removal) }
})

const gone = Effect.fnUntraced(function* (projectId: string, credentialId: string) {
  assert.deepStrictEqual(yield* leftovers, [])
  assert.isUndefined(yield* (yield* Tenants).find(projectId))
  assert.isUndefined(yield* (yield* Purges).find(projectId))
  const rows = yield* (yield* ProjectRecords).credentials(projectId)
  assert.deepStrictEqual(
    rows.map((_) => [_.credential_id, _.state]),
    [[credentialId, "revoked"]]
  )
})

it.live("a deletion removes every row of the project and its account, on PostgreSQL", () =>
  Effect.gen(function* () {
    const { credentialId, projectId, removed } = yield* acme
    const account = yield* (yield* Accounts).findByProject(projectId)
    const begun = yield* Effect.all([Effect.exit(removed), Effect.exit(removed)], { concurrency: 2 })
    assert.lengthOf(
      begun.filter((_) => _._tag === "Success"),
      1
    )
    yield* Effect.all([reconcilePurges, reconcilePurges], { concurrency: 2 })
    yield* gone(projectId, credentialId)
    assert.strictEqual((yield* (yield* Accounts).find(account?.number ?? 0))?.state, "destroyed")
    // And the name is free.
    yield* onboard({ name: "Acme GmbH", tier: "discovery" })
  }).pipe(Effect.scoped, Effect.provide(OnPostgres))
)

it.live("a cancelled deletion restores its credentials, on PostgreSQL, and can be requested again", () =>
  Effect.gen(function* () {
    const { credentialId, projectId, removed } = yield* acme
    yield* removed
    assert.deepInclude(yield* (yield* Credentials).find(credentialId), { state: "suspended" })
    const cancelled = yield* cancelDeletion(projectId)
    assert.deepStrictEqual(cancelled.restored_credentials, [credentialId])
    assert.deepInclude(cancelled.project, { state: "live", closing: [] })
    assert.deepInclude(yield* (yield* Credentials).find(credentialId), { state: "active", held: [] })

    yield* removed
    yield* reconcilePurges
    yield* gone(projectId, credentialId)
  }).pipe(Effect.scoped, Effect.provide(OnPostgres))
)

it.live("a project of a closed account is destroyed with it, on PostgreSQL", () =>
  Effect.gen(function* () {
    const { credentialId, projectId } = yield* acme
    yield* holdProject(projectId, "account_closure")
    assert.isUndefined(yield* purgeProject(projectId))
    yield* gone(projectId, credentialId)
  }).pipe(Effect.scoped, Effect.provide(OnPostgres))
)
