import { assert, describe, it } from "@effect/vitest"
import { mint } from "@portico/domain/credentials/mint"
import { onboard } from "@portico/domain/onboarding/onboard"
import { inviteUser } from "@portico/domain/org/invite"
import { removeUser } from "@portico/domain/org/remove"
import { integrations } from "@portico/domain/targets/integrations"
import { webhooks } from "@portico/domain/targets/webhooks"
import { unconfirmed } from "@portico/domain/targets/written"
import { Effect } from "effect"
import { administrator, resolve } from "@portico/testing/tenants/caller"
import { agreedMail, integrating, slackUrl } from "../targets/integrations.ts"
import { tokenOf } from "./people.ts"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { OnPostgres } from "@portico/testing/cloud/postgres"

const joined = Effect.fnUntraced(function* (projectId: string, email: string, role: "customer-owner" | "customer") {
  const { user_id } = yield* inviteUser(administrator, { email, role, project_id: projectId })
  return { userId: user_id, caller: yield* resolve(yield* tokenOf(user_id)) }
})

const keyOf = Effect.fnUntraced(function* (caller: Effect.Success<ReturnType<typeof resolve>>) {
  if (caller.tenant === null) return yield* Effect.die("a caller of the account has a tenant")
  const { pat } = yield* mint(caller, caller.tenant, { kind: "api-key", tier: 1, label: "CI" })
  return yield* resolve(pat)
})

/** Whom an e-mail integration names, and whether it works. */
const mailOf = (projectId: string, id: string) =>
  Effect.map(integrations.show(projectId, id), (_) => ({
    to: _.recipients?.map(({ address }) => address),
    enabled: _.enabled,
    why: _.disabled_reason
  }))

const ann = "Ann@acme.example"
const url = "https://93.184.215.14/hooks"

const leaves = Effect.gen(function* () {
  const { tenant } = yield* onboard({ name: "Acme GmbH", tier: "standard" })
  const globex = (yield* onboard({ name: "Globex", tier: "standard" })).tenant.project_id
  const acme = tenant.project_id
  const owner = yield* joined(acme, "owner@acme.example", "customer-owner")
  const leaving = yield* joined(acme, ann.toLowerCase(), "customer")
  const key = yield* keyOf(leaving.caller)
  const below = yield* keyOf(key)

  const theirs = []
  for (const by of [leaving.caller, key, below]) theirs.push((yield* webhooks.create(by, acme, { url })).webhook_id)
  const { webhook_id: others } = yield* webhooks.create(owner.caller, acme, { url })
  const slack = yield* integrations.create(below, acme, { kind: "slack", name: "chat", url: slackUrl })
  yield* integrations.create(owner.caller, acme, { kind: "slack", name: "the owner's", url: slackUrl })

  const both = yield* agreedMail(acme, [ann, "ops@acme.example"])
  const alone = yield* agreedMail(acme, [ann])
  const elsewhere = yield* agreedMail(globex, [ann])
  const before = yield* mailOf(globex, elsewhere)

  const answer = yield* removeUser(owner.caller, leaving.userId)
  assert.sameMembers([...answer.webhooks_kept], theirs)
  assert.deepStrictEqual(answer.integrations_kept, [slack.integration_id])
  assert.strictEqual(answer.credentials_revoked.length, 2)

  const left = (yield* webhooks.list(acme)).webhooks
  assert.sameMembers(
    left.filter((_) => _.enabled).map((_) => _.webhook_id),
    [...theirs, others]
  )
  assert.isTrue((yield* integrations.show(acme, slack.integration_id)).enabled)
  assert.deepStrictEqual(yield* mailOf(acme, both), { to: ["ops@acme.example"], enabled: true, why: null })
  assert.deepStrictEqual(yield* mailOf(acme, alone), { to: [], enabled: false, why: unconfirmed })
  assert.deepStrictEqual(yield* mailOf(globex, elsewhere), before)
}).pipe(Effect.scoped, Effect.provide(integrating))

describe("a removed member's webhooks and integrations", () => {
  it.effect("stay and are listed, without mails to the member, in memory", () => Effect.provide(leaves, Simulated))
  it.live("stay and are listed, without mails to the member, on PostgreSQL", () => Effect.provide(leaves, OnPostgres))
})
