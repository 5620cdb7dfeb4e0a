import { assert, it } from "@effect/vitest"
import type { Caller } from "@portico/contract/Access"
import { endAgents } from "@portico/domain/agents/end"
import { mint } from "@portico/domain/credentials/mint"
import { onboard } from "@portico/domain/onboarding/onboard"
import { integrations } from "@portico/domain/targets/integrations"
import { webhooks } from "@portico/domain/targets/webhooks"
import { Targets } from "@portico/store/Targets"
import { inTime, settle } from "@portico/testing/clock"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { Memory } from "@portico/testing/store/Memory"
import { administrator, callerOf, resolve } from "@portico/testing/tenants/caller"
import { Deferred, Effect, Fiber } from "effect"
import { integrating, slackUrl } from "../targets/integrations.ts"

const url = "https://93.184.215.14/hooks"
const elsewhere = `${url}/elsewhere`

interface Asked {
  readonly id: string
  readonly agent: Caller
  /** A webhook and an integration of a person. */
  readonly webhook: string
  readonly integration: string
}

/** What an agent may say about where events go, and what that is about. */
const calls = {
  "a webhook is made": "new",
  "a webhook is led elsewhere": "webhook",
  "an integration is made": "new",
  "an integration is led elsewhere": "integration",
  "an integration gets another address": "integration"
} as const

const call = Effect.fnUntraced(function* (what: string, { agent, id, integration, webhook }: Asked) {
  switch (what) {
    case "a webhook is made":
      return void (yield* webhooks.create(agent, id, { url }))
    case "a webhook is led elsewhere":
      return void (yield* webhooks.update(id, webhook, { url: elsewhere }, agent))
    case "an integration is made":
      return void (yield* integrations.create(agent, id, { kind: "slack", name: "chat", url: slackUrl }))
    case "an integration is led elsewhere":
      return void (yield* integrations.update(id, integration, { url: elsewhere }, agent))
    default:
      return void (yield* integrations.rotateSecret(id, integration, { url: elsewhere, overlap_seconds: 0 }, agent))
  }
})

const begun = Effect.gen(function* () {
  const id = (yield* inTime(onboard({ name: "Acme GmbH", tier: "standard" }))).tenant.project_id
  const owner = callerOf(id)
  if (owner.tenant === null) return yield* Effect.die("the owner of a tenant has one")
  const { pat } = yield* inTime(mint(owner, owner.tenant, { kind: "mcp", tier: 1, label: "agent" }))
  const { webhook_id: webhook } = yield* webhooks.create(owner, id, { url })
  const { integration_id: integration } = yield* integrations.create(owner, id, { kind: "generic", name: "in", url })
  return { id, agent: yield* resolve(pat), webhook, integration } satisfies Asked
})

/** The targets that are in use, by what they are to the story. */
const inUse = Effect.fnUntraced(function* ({ integration, webhook }: Asked) {
  const { targets } = yield* Memory
  const active = [...targets.values()].filter((_) => _.state === "active").map((_) => _.target_id)
  return active.map((_) => (_ === webhook ? "webhook" : _ === integration ? "integration" : "new")).toSorted()
})

/** The targets' store in which all agents end before a target is written, after the call was let in. */
const endingFirst = Effect.fnUntraced(function* (projectId: string, written: Deferred.Deferred<void>) {
  const targets = yield* Targets
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof endAgents>>>()
  const end = Effect.orDie(Effect.provideContext(endAgents(administrator, projectId), context))
  const late = <A>(write: Effect.Effect<A>) =>
    Effect.andThen(
      end,
      Effect.tap(write, () => Deferred.succeed(written, undefined))
    )
  return Targets.of({
    ...targets,
    insert: (_) => late(targets.insert(_)),
    change: (...given) => late(targets.change(...given))
  })
})

for (const [what, which] of Object.entries(calls)) {
  it.effect(`a target of an agent ended while ${what} is disabled, and the call fails`, () =>
    Effect.gen(function* () {
      const asked = yield* begun
      const store = yield* endingFirst(asked.id, yield* Deferred.make<void>())
      const refused = yield* Effect.flip(inTime(Effect.provideService(call(what, asked), Targets, store)))
      assert.strictEqual(refused.code, "credential_revoked")
      assert.deepStrictEqual(
        yield* inUse(asked),
        ["integration", "webhook"].filter((_) => _ !== which)
      )
    }).pipe(Effect.provide(integrating), Effect.provide(Simulated))
  )

  it.effect(`a target of an agent that is ended and interrupted while ${what} is disabled`, () =>
    Effect.gen(function* () {
      const asked = yield* begun
      const written = yield* Deferred.make<void>()
      const store = yield* endingFirst(asked.id, written)
      const calling = yield* Effect.forkDetach(inTime(Effect.provideService(call(what, asked), Targets, store)))
      yield* Deferred.await(written)
      yield* Fiber.interrupt(calling)
      yield* settle
      assert.deepStrictEqual(
        yield* inUse(asked),
        ["integration", "webhook"].filter((_) => _ !== which)
      )
    }).pipe(Effect.provide(integrating), Effect.provide(Simulated))
  )

  it.effect(`a target of an agent that is not ended while ${what} is in use`, () =>
    Effect.gen(function* () {
      const asked = yield* begun
      yield* inTime(call(what, asked))
      assert.include(yield* inUse(asked), which)
    }).pipe(Effect.provide(integrating), Effect.provide(Simulated))
  )
}

it.effect("an ended agent's rename leaves a person's webhook enabled", () =>
  Effect.gen(function* () {
    const asked = yield* begun
    const store = yield* endingFirst(asked.id, yield* Deferred.make<void>())
    const named = webhooks.update(asked.id, asked.webhook, { description: "x" }, asked.agent)
    assert.strictEqual(
      (yield* Effect.flip(inTime(Effect.provideService(named, Targets, store)))).code,
      "credential_revoked"
    )
    assert.include(yield* inUse(asked), "webhook")
  }).pipe(Effect.provide(integrating), Effect.provide(Simulated))
)
