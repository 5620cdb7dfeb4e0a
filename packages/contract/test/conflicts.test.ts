import { assert, describe, it } from "@effect/vitest"
import { failureTable } from "@portico/contract/Failures"
import { documents } from "@portico/contract/openapi/documents"
import { Predicate } from "effect"

/**
 * What a refusal is about, and so its status:
 *
 * - `state`: something that exists, as it is now. The same request succeeds, or would have succeeded, at another
 *   moment, beside other resources or from another caller. It may be a state that does not end.
 * - `input`: what the request says. It succeeds at no moment.
 */
const statusOf = { state: 409, input: 422 } as const

type Decision = readonly [kind: keyof typeof statusOf, why: string]

const decisions: Readonly<Record<string, Decision>> = {
  account_destroying: ["state", "the account could be reopened before"],
  account_in_window: ["state", "the account can be finalized without a reason when its window is over"],
  account_not_closing: ["state", "the account can be reopened or finalized while it is closing"],
  account_window_over: ["state", "the account could be reopened within its window"],
  alias_beside_others: ["state", "the zone has the records that are in the way"],
  autoscaling_group_deleting: ["state", "the group could be changed before"],
  autoscaling_name_taken: ["state", "the name is free when the other group is gone"],
  autoscaling_network: ["state", "the tenant's own network is gone"],
  autoscaling_range: ["state", "the numbers fit beside other numbers of the group"],
  backups_not_enabled: ["input", "a database that was created without backups never has one"],
  billing_conflict: ["state", "the billing service says so"],
  billing_refused: ["input", "the billing service says so"],
  bucket_managed: ["input", "the bucket is the archive for as long as it exists"],
  bucket_name_taken: ["state", "the name is free when the other bucket is gone"],
  bucket_not_empty: ["state", "the bucket can be emptied"],
  budget_exceeded: ["state", "capacity can become free or be added"],
  ceiling_reached: ["state", "something can be freed, and the tier can grow"],
  closing_not_confirmed: ["input", "the word is not the account's name"],
  concurrent_change: ["state", "the other change ends"],
  concurrent_deletion_state: ["state", "the deletion can be cancelled, and the account reopened"],
  confirmation_allowance: ["state", "an hour passes"],
  confirmation_refused: ["input", "a code that no address waits for never confirms one"],
  cost_period_refused: ["input", "the span contradicts itself"],
  credential_allowance_reached: ["state", "a credential can be revoked"],
  credential_chain_too_long: ["state", "a credential further up can mint the same"],
  credential_not_active: ["state", "the credential could be rotated while it was active"],
  credential_rotated: ["state", "the credential could be rotated before its first rotation"],
  database_exists: ["state", "the name is free when the other database is gone"],
  database_instance_too_large: ["input", "the limit is the same for every tenant"],
  database_name_refused: ["input", "no database of the engine can have the name"],
  database_replicas_unchanged: ["state", "the contract says 409: the number fits a database with another one"],
  database_storage_not_grown: ["state", "the contract says 409: the size fits a smaller database"],
  database_too_large: ["input", "the limit is the same for every tenant"],
  database_version_refused: ["input", "the platform does not run the version"],
  deletion_not_confirmed: ["input", "the word is not the project's name"],
  deletion_past_return: ["state", "the deletion could be cancelled before"],
  deletion_step_under_way: ["state", "the step ends"],
  dns_name_refused: ["input", "the zone can hold no such name"],
  dns_records_refused: ["input", "the record's type takes no such data"],
  domain_claimed: ["state", "the other tenant's claim can end"],
  domain_in_use: ["state", "the other exposure can be deleted"],
  exposure_domain_refused: ["input", "the domain is the platform's own, or none"],
  exposure_name_taken: ["state", "the name is free when the other exposure is gone"],
  exposure_target_refused: ["state", "the tenant can get the floating IP, and give the Service a selector"],
  exposure_without_domain: ["input", "an exposure that was created without a domain never has one"],
  idempotency_in_flight: ["state", "the first request ends"],
  idempotency_key_reused: ["input", "the key stands for another body, and waiting does not change that"],
  incident_span_refused: ["input", "the span contradicts itself"],
  integration_disabled: ["state", "the integration can be enabled"],
  integration_field_refused: ["input", "an integration never changes its kind"],
  invitation_allowance: ["state", "an hour passes"],
  invitation_busy: ["state", "the other invitation or removal ends"],
  issuer_endpoint_refused: ["input", "keys are fetched from no such address"],
  issuer_registered: ["state", "the other mapping can be removed"],
  kafka_backup_refused: ["input", "kafka has no backups"],
  kafka_replicas_refused: ["input", "the contract says 422: kafka has one replica"],
  last_owner: ["state", "the account can get another owner"],
  login_elsewhere: ["state", "the login can be removed from its account"],
  login_not_made_here: ["input", "a login that no invitation made is never removed here"],
  login_taken: ["state", "the login can be removed from its account"],
  mail_not_offered: ["state", "the platform can get a mail server"],
  metric_span_refused: ["input", "the span contradicts itself, or is longer than what is kept"],
  no_backup_yet: ["state", "the first backup is completed"],
  not_being_deleted: ["state", "the project can be cancelled while it is being deleted"],
  object_exists: ["state", "the object can be deleted"],
  object_key_refused: ["input", "no object can have the key"],
  onboarding_busy: ["state", "the other process ends"],
  onboarding_in_progress: ["state", "the other onboarding ends"],
  organisation_name_taken: ["state", "the name is free when the other tenant is gone"],
  outside_recovery_window: ["input", "the window only moves on"],
  own_team_login: ["state", "another platform administrator can remove the login"],
  owner_sees_billing: ["state", "the person can get another role"],
  predecessor_lives: ["state", "the predecessor ends"],
  project_id_refused: ["input", "the field has no meaning beside the others"],
  project_id_required: ["input", "the request does not say which account"],
  recipient_refused: ["input", "the mail server never takes mail for the address"],
  recordset_read_only: ["input", "a recordset never changes its type"],
  recovery_point_not_archived: ["state", "the archive goes on"],
  restore_not_supported: ["input", "the contract says 422: kafka has no backups"],
  restore_too_small: ["input", "the storage of the source only grows"],
  rotation_in_progress: ["state", "the other rotation ends"],
  signup_busy: ["state", "the approval or its rollback ends"],
  signup_decided: ["state", "the signup could be decided before"],
  target_address_refused: ["input", "events are sent to no such address"],
  tenant_required: ["state", "the contract says 409: a credential of a tenant can send the same"],
  tier_move_in_progress: ["state", "the other change ends"],
  unit_occupied: ["state", "the unit can be emptied"],
  unit_taken: ["state", "the path is free when the other unit is gone"],
  unusable_name: ["input", "no slug follows from the name, or a reserved one"],
  upstream_conflict: ["state", "the service says so"],
  upstream_refused: ["input", "the service says so"],
  validation_error: ["input", "the request does not fit its schema"],
  webhook_disabled: ["state", "the webhook can be enabled"]
}

/** Published with the other status before the rule was one, and kept for the clients that decide by it. */
const kept: ReadonlySet<string> = new Set([
  "autoscaling_network",
  "autoscaling_range",
  "bucket_managed",
  "exposure_target_refused",
  "login_not_made_here",
  "recordset_read_only"
])

const table = failureTable.filter((_) => _.status === statusOf.state || _.status === statusOf.input)

const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((_, key) => (Predicate.isObject(_) ? _[key] : undefined), value)

const entries = (value: unknown) => (Predicate.isObject(value) ? Object.entries(value) : [])

/** The codes of a schema of errors, of its alternatives, or of what it refers to. */
const codesOf = (document: unknown, schema: unknown): ReadonlyArray<unknown> => {
  const ref = at(schema, "$ref")
  if (typeof ref === "string") return codesOf(document, at(document, ...ref.replace("#/", "").split("/")))
  const anyOf = at(schema, "anyOf")
  if (Array.isArray(anyOf)) return anyOf.flatMap((_: unknown) => codesOf(document, _))
  const codes = at(schema, "properties", "code", "enum")
  return Array.isArray(codes) ? codes : [schema]
}

/** What passes through has the statuses of the service behind. */
const passes = /^\/v1\/(iaas|kubernetes)\//

/** Every declaration of one of the two statuses at a route. */
const declared = Object.values(documents).flatMap((document) =>
  entries(document["paths"]).flatMap(([path, operations]) =>
    (passes.test(path) ? [] : entries(operations)).flatMap(([method, operation]) =>
      Object.values(statusOf).flatMap((status) =>
        codesOf(document, at(operation, "responses", String(status), "content", "application/json", "schema"))
          .filter((_) => _ !== undefined)
          .map((code) => ({ at: `${method} ${path}`, status, code }))
      )
    )
  )
)

describe("409 is about an existing resource, 422 about the request's content", () => {
  it("every code of either status has a decision, and every decision a code", () => {
    assert.deepStrictEqual(Object.keys(decisions).toSorted(), table.map((_) => _.code).toSorted())
  })

  for (const { code, status } of table) {
    it(`${code} is a ${status}`, () => {
      const [kind, why] = decisions[code] ?? assert.fail("it has no decision")
      assert.match(why, /^[a-z].*[^.]$/)
      if (kept.has(code)) assert.notStrictEqual(status, statusOf[kind], "it fits by now, and need not be kept")
      else assert.strictEqual(status, statusOf[kind], `${kind}: ${why}`)
    })
  }

  it("each is declared by a route with the status of the table, and no other is declared", () => {
    const named = (_: { readonly code: unknown; readonly status: number }) => `${_.status} ${String(_.code)}`
    const known = new Set(table.map(named))
    assert.deepStrictEqual(
      declared.filter((_) => !known.has(named(_))),
      []
    )
    assert.deepStrictEqual([...new Set(declared.map(named))].toSorted(), [...known].toSorted())
  })
})
