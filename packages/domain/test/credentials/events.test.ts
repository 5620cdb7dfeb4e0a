import { assert, it } from "@effect/vitest"
import { CredentialEvent, credentialTopic } from "@portico/contract/Events"
import { mint } from "@portico/domain/credentials/mint"
import { revoke } from "@portico/domain/credentials/revoke"
import { rotate } from "@portico/domain/credentials/rotate"
import { withProjectEvents } from "@portico/domain/credentials/events"
import { EventLog } from "@portico/store/EventLog"
import { Holds } from "@portico/store/Holds"
import { Effect, Schema } from "effect"
import { ownerOf } from "@portico/testing/tenants/caller"
import { Simulated } from "@portico/testing/cloud/Simulated"

const decode = Schema.decodeUnknownEffect(CredentialEvent, { onExcessProperty: "error" })

/** What was told of a credential, oldest first. */
const toldOf = Effect.fnUntraced(function* (credentialId: string) {
  const rows = yield* (yield* EventLog).page(credentialTopic, 0, 1000)
  const events = yield* Effect.forEach(rows, (_) => decode(_.envelope))
  return events.filter((_) => _.key === credentialId)
})

const kindsOf = (credentialId: string) => Effect.map(toldOf(credentialId), (_) => _.map(({ kind }) => kind))

const request = { kind: "api-key", tier: 1, label: "CI" } as const

it.effect("each change of a credential is published once, without a secret", () =>
  Effect.gen(function* () {
    const { caller, credentialId, tenant } = yield* ownerOf("standard")
    assert.deepStrictEqual(yield* kindsOf(credentialId), ["credential.created"])

    const old = yield* mint(caller, tenant, request)
    const next = yield* rotate(caller, tenant, old.credential_id, { overlap_seconds: 3600 })
    yield* revoke(caller, old.credential_id)
    yield* revoke(caller, old.credential_id)

    const told = yield* toldOf(old.credential_id)
    assert.deepStrictEqual(
      told.map((_) => [_.kind, _.project_id, _.data.rotated_to]),
      [
        ["credential.created", tenant.projectId, null],
        ["credential.rotated", tenant.projectId, next.credential_id],
        ["credential.revoked", tenant.projectId, next.credential_id]
      ]
    )
    const [created] = yield* toldOf(next.credential_id)
    assert.deepInclude(created?.data, { rotates: old.credential_id, label: "CI", credential_kind: "api-key" })
    for (const secret of [old.pat, old.client_secret, next.pat, next.client_secret]) {
      assert.notInclude(JSON.stringify([told, created]), secret)
    }
  }).pipe(Effect.provide(Simulated))
)

it.effect("each hold and release of a project publishes an event for each of its credentials", () =>
  Effect.gen(function* () {
    const { caller, credentialId, tenant } = yield* ownerOf("standard")
    const { credential_id: dead } = yield* mint(caller, tenant, request)
    yield* revoke(caller, dead)
    const holds = yield* Holds
    for (let round = 0; round < 2; round++) {
      yield* withProjectEvents([tenant.projectId], holds.hold(tenant.projectId, "account_closure"))
      yield* withProjectEvents([tenant.projectId], holds.hold(tenant.projectId, "account_closure"))
      yield* withProjectEvents([tenant.projectId], holds.release(tenant.projectId, "account_closure"))
    }
    const twice = ["credential.suspended", "credential.restored", "credential.suspended", "credential.restored"]
    assert.deepStrictEqual(yield* kindsOf(credentialId), ["credential.created", ...twice])
    assert.deepStrictEqual(yield* kindsOf(dead), ["credential.created", "credential.revoked"])
  }).pipe(Effect.provide(Simulated))
)
