import { Caller } from "@portico/contract/Access"
import { type Tier } from "@portico/contract/Tiers"
import { Allowances } from "@portico/gateway/limits/Allowances"
import { Meter, type Allowance } from "@portico/gateway/limits/Meter"
import { SharedStore } from "@portico/gateway/limits/SharedStore"
import { Memory } from "@portico/testing/store/Memory"
import * as MemoryStore from "@portico/testing/store/MemoryStore"
import { administrator, callerOf as tenantCaller } from "@portico/testing/tenants/caller"
import { Tenants } from "@portico/store/Tenants"
import { Keystone } from "@portico/upstream/keystone/Keystone"
import { UpstreamError } from "@portico/upstream/UpstreamError"
import { ConfigProvider, Effect, Layer } from "effect"

/** Somebody of a project; without one a platform administrator. */
export const callerOf = (projectId: string | null, credentialId = "cred-1") =>
  new Caller({ ...(projectId === null ? administrator : tenantCaller(projectId)), userId: credentialId, credentialId })

/** One call, and how its tenant stands after it; undefined where nothing was counted. */
export const called = Effect.fnUntraced(function* (projectId: string | null, credentialId?: string) {
  const meter = new Meter()
  const admitted = yield* Effect.result((yield* Allowances).admit(callerOf(projectId, credentialId), meter))
  const allowance: Allowance | undefined = meter.allowance
  if ((admitted._tag === "Failure") !== (allowance?.exceeded === true)) {
    return yield* Effect.die(new Error("a call was refused without a reason, or let through against one"))
  }
  return allowance
})

/** So many calls; how the last one stands. */
export const calledOften = Effect.fnUntraced(function* (times: number, projectId: string) {
  for (let i = 1; i < times; i++) yield* called(projectId)
  return yield* called(projectId)
})

/** A tenant of this tier. */
export const enrolled = Effect.fnUntraced(function* (projectId: string, tier: Tier) {
  yield* (yield* Tenants).insert({ project_id: projectId, slug: projectId, name: projectId, tier, stamp: "stamp" })
})

/** Behind the gateway's back. */
export const moved = Effect.fnUntraced(function* (projectId: string, tier: Tier) {
  const { tenants } = yield* Memory
  const held = tenants.get(projectId)
  if (held !== undefined) tenants.set(projectId, { ...held, tier })
})

export const gone = Effect.fnUntraced(function* (projectId: string) {
  ;(yield* Memory).tenants.delete(projectId)
})

/** What the platform says of projects that were not onboarded here: `tagged` is a standard one, `dark` cannot be read. */
const platform = Layer.mock(Keystone, {
  getProject: (projectId) =>
    projectId === "dark"
      ? Effect.fail(new UpstreamError({ upstream: "keystone", call: "getProject", status: 503, detail: "down" }))
      : Effect.succeed(
          projectId === "tagged"
            ? { id: "tagged", name: "tagged", description: "", tags: ["tier:standard"], enabled: true }
            : undefined
        )
})

/** Allowances over a store of their own, and shared ones when there is a `REDIS_URL` among the settings. */
export const allowances = (settings: Readonly<Record<string, string>> = {}) =>
  Allowances.layerNoDeps.pipe(
    Layer.provideMerge(SharedStore.layer),
    Layer.provide(platform),
    Layer.provideMerge(MemoryStore.layer),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(settings)))
  )
