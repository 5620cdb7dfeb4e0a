import { assert } from "@effect/vitest"
import { NotFound } from "@portico/contract/Failures"
import type { TargetResource } from "@portico/contract/Targets"
import type { WebhookCreate } from "@portico/contract/Webhooks"
import { integrations } from "@portico/domain/targets/integrations"
import { mostTargets } from "@portico/domain/targets/targetsOf"
import { webhooks } from "@portico/domain/targets/webhooks"
import { suspend } from "@portico/domain/tenants/suspend"
import { Targets } from "@portico/store/Targets"
import { repeatInTime } from "@portico/testing/clock"
import { callerOf } from "@portico/testing/tenants/caller"
import { Effect } from "effect"
import { happens } from "../deliveries/deliveries.ts"
import { genericUrl, integrationOf, Outside, slackUrl } from "./integrations.ts"
import { began, hot, page, story, type World } from "./story.ts"

type Did<A> = Effect.Effect<A, { readonly code: string; readonly detail: string }, World>

/** What webhooks and integrations both do. */
interface Both {
  list(projectId: string): Did<{ readonly count: number }>
  show(projectId: string, id: string): Did<object>
  remove(projectId: string, id: string): Did<object>
  test(projectId: string, id: string): Did<object>
  update(projectId: string, id: string, change: { readonly enabled: boolean }): Did<object>
  rotateSecret(
    projectId: string,
    id: string,
    to: { readonly url: string; readonly overlap_seconds: number }
  ): Did<object>
  redeliver(projectId: string, id: string, event: { readonly event_id: string }): Did<object>
  deliveries(
    projectId: string,
    id: string,
    all: typeof page,
    filter?: { readonly state: "delivered" | "failed" }
  ): Did<{ readonly count: number }>
}

interface Resource {
  readonly targets: Both
  readonly one: string
  readonly other: string
  /** The id of a new one. */
  readonly make: (projectId: string, more?: Pick<WebhookCreate, "kinds">) => Did<string>
  /** What its tenant sees after both have disabled it. */
  readonly reason: string | null
}

const resources: Readonly<Record<TargetResource, Resource>> = {
  webhook: {
    targets: webhooks,
    one: "a webhook",
    other: "an integration",
    make: (projectId, more) =>
      Effect.map(webhooks.create(callerOf(projectId), projectId, { url: genericUrl, ...more }), (_) => _.webhook_id),
    reason: "It answered 410"
  },
  integration: {
    targets: integrations,
    one: "an integration",
    other: "a webhook",
    make: (projectId, more) =>
      Effect.map(
        integrationOf(projectId, { kind: "slack", name: "channel", url: slackUrl, ...more }),
        (_) => _.integration_id
      ),
    reason: null
  }
}

for (const resource of ["webhook", "integration"] as const) {
  const { make, one, other, reason, targets } = resources[resource]
  const { make: makeOther } = resources[resource === "webhook" ? "integration" : "webhook"]

  story(
    `an event goes through ${one} again, if it is the tenant's to see and the filter takes it`,
    ({ acme, globex }) =>
      Effect.gen(function* () {
        const { posts } = yield* Outside
        const before = yield* happens(acme, hot)
        const foreign = yield* happens(globex, hot)
        const audit = yield* happens(acme, { topic: "api.audit" })
        const cost = yield* happens(acme, { topic: "billing.budgets" })
        const kind = yield* happens(acme, { ...hot, kind: "other.kind" })
        const id = yield* make(acme, { kinds: ["alarm.*"] })
        const all = yield* make(acme)
        yield* began
        const again = (id: string, event_id: string) => targets.redeliver(acme, id, { event_id })
        for (const event_id of [foreign, audit, cost, kind, "00000000-0000-4000-8000-000000000000", "no event"]) {
          const refused = yield* Effect.flip(again(id, event_id))
          assert.deepInclude(refused, { code: "event_not_found", detail: `Event '${event_id}' not found` })
        }
        for (const event_id of [foreign, audit, cost]) {
          assert.deepInclude(yield* Effect.flip(again(all, event_id)), { code: "event_not_found" })
        }
        const accepted = yield* again(id, before)
        assert.deepInclude(accepted, { event_id: before, redelivery: true, state: "pending", attempts: [] })
        assert.deepStrictEqual(yield* again(id, before), accepted, "it waits already")
        // A signature takes a moment that the clock knows nothing of.
        const delivered = Effect.map(targets.deliveries(acme, id, page, { state: "delivered" }), (_) => _.count)
        yield* repeatInTime(delivered, (_) => _ === 1, "50 millis")
        yield* again(id, before)
        yield* repeatInTime(delivered, (_) => _ === 2, "50 millis")
        assert.lengthOf(posts, 2)
        for (const { body, headers } of posts) {
          assert.include(body, before)
          if (resource === "webhook") assert.strictEqual(headers["webhook-id"], before)
        }
        assert.strictEqual((yield* targets.deliveries(acme, id, page, { state: "failed" })).count, 0)

        yield* targets.update(acme, id, { enabled: false })
        assert.deepInclude(yield* Effect.flip(again(id, before)), { code: `${resource}_disabled` })
      })
  )

  story(`another tenant's ${resource}, ${other}, an absent one and a malformed id are not found`, ({ acme, globex }) =>
    Effect.gen(function* () {
      const theirs = yield* make(globex)
      const another = yield* makeOther(acme)
      for (const id of [theirs, another, "00000000-0000-4000-8000-000000000000", "x"]) {
        const calls: ReadonlyArray<Effect.Effect<void, unknown, World>> = [
          Effect.asVoid(targets.show(acme, id)),
          Effect.asVoid(targets.remove(acme, id)),
          Effect.asVoid(targets.update(acme, id, { enabled: true })),
          Effect.asVoid(targets.test(acme, id)),
          Effect.asVoid(targets.rotateSecret(acme, id, { url: slackUrl, overlap_seconds: 0 })),
          Effect.asVoid(targets.redeliver(acme, id, { event_id: "x" })),
          Effect.asVoid(targets.deliveries(acme, id, page)),
          ...(targets === integrations ? [Effect.asVoid(integrations.confirm(acme, id, { code: "x" }))] : [])
        ]
        for (const call of calls) {
          const refused: unknown = yield* Effect.flip(call)
          assert.instanceOf(refused, NotFound)
          assert.strictEqual(refused.code, `${resource}_not_found`)
          assert.match(refused.detail, new RegExp(`^${resource} '${id}' not found$`, "i"))
        }
      }
      assert.deepInclude(yield* targets.list(acme), { count: 0, [`${resource}s`]: [] })
    })
  )

  story(`a tenant has so many ${resource}s and no more, and a suspended one gets none`, ({ acme, globex }) =>
    Effect.gen(function* () {
      const made = yield* Effect.all(
        Array.from({ length: mostTargets + 3 }, () => Effect.exit(make(acme))),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(made.filter((_) => _._tag === "Success").length, mostTargets)
      assert.strictEqual((yield* targets.list(acme)).count, mostTargets)
      assert.deepInclude(yield* Effect.flip(make(acme)), {
        detail: `The tenant's ceiling of ${resource}s is reached: requested 1, used 10, limit 10, remaining 0`
      })
      yield* suspend(globex)
      assert.deepInclude(yield* Effect.flip(make(globex)), { code: "ceiling_reached" })
    })
  )

  story(
    `${one} that the gateway disabled, and its tenant too, ${reason === null ? "has no reason" : "keeps its reason"}`,
    ({ acme }) =>
      Effect.gen(function* () {
        const id = yield* make(acme)
        yield* (yield* Targets).disable(acme, id, "It answered 410")
        const disabled = yield* targets.update(acme, id, { enabled: false })
        assert.deepInclude(disabled, { enabled: false, disabled_reason: reason })
        const enabled = yield* targets.update(acme, id, { enabled: true })
        assert.deepInclude(enabled, { enabled: true, disabled_reason: null })
      })
  )
}
