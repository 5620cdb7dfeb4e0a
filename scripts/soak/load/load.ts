import { Cause, Effect, Exit } from "effect"
import { Client } from "../client.ts"
import type { Evidence } from "../evidence.ts"
import { SeededRandom } from "../random.ts"
import type { Stage } from "../stage/stage.ts"
import { credentials, lastingWebhook, money, objects, people, reads, rotateSecret, webhooks } from "./account.ts"
import { lives, looks, signups } from "./operators.ts"
import { databases, edge, groups, nat, proxiedReads, servers, volumes, zones } from "./platform.ts"
import { agents, tailing } from "./streams.ts"
import { as, type Load, onboard, type Tenant } from "./tenant.ts"

/** What a tenant does, each as often as its weight says. */
const acts: ReadonlyArray<readonly [weight: number, act: (load: Load, tenant: Tenant) => Effect.Effect<unknown>]> = [
  [8, proxiedReads],
  [6, reads],
  [4, servers],
  [3, volumes],
  [4, credentials],
  [2, databases],
  [3, objects],
  [2, zones],
  [2, nat],
  [1, edge],
  [1, groups],
  [2, money],
  [1, webhooks],
  [1, people],
  [1, agents]
]
const weighted = acts.flatMap(([weight, act]) => Array.from({ length: weight }, () => act))

const think = (load: Load) => Effect.sleep(load.random.int(100, 900))

/** Does it over and over. An exception of the load itself is a complaint, and ends nothing. */
const over = <A>(load: Load, act: Effect.Effect<A>) =>
  Effect.forever(
    Effect.gen(function* () {
      const exit = yield* Effect.exit(act)
      if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) {
        load.evidence.complaints.push(`the load broke: ${Cause.pretty(exit.cause).slice(0, 600)}`)
      }
      yield* think(load)
    })
  )

/** Calls more often than it may, at both replicas. */
const greedy = (load: Load, tenant: Tenant) =>
  Effect.forever(Effect.andThen(as(load, tenant, "too many calls").get("/v1/whoami"), Effect.sleep("60 millis")))

export interface Population {
  readonly lasting: ReadonlyArray<Tenant & { readonly webhookId: string }>
  readonly greedy: Tenant
  readonly load: Load
}

/** Makes the tenants that stay for the whole run, while nothing is disturbed yet. */
export const populated = Effect.fnUntraced(function* (stage: Stage, evidence: Evidence, tenants: number) {
  const client = new Client(stage.replicas, evidence, SeededRandom.of(stage.seed, "client"), stage.trusted)
  const loadOf = (name: string): Load => ({
    client,
    evidence,
    receiver: stage.receiver,
    cloud: stage.cloud.url,
    random: SeededRandom.of(stage.seed, name)
  })
  const load = loadOf("population")
  const required = Effect.fnUntraced(function* (name: string, tier: "discovery" | "standard") {
    const made = yield* onboard(load, name, tier)
    return made ?? (yield* Effect.die(new Error(`the tenant ${name} cannot be onboarded`)))
  })
  const lasting = yield* Effect.forEach(
    Array.from({ length: tenants }, (_, index) => `Lasting${index + 1}`),
    Effect.fnUntraced(function* (name) {
      const tenant = yield* required(name, "standard")
      return { ...tenant, webhookId: yield* lastingWebhook(load, tenant) }
    })
  )
  return { lasting, greedy: yield* required("Greedy", "discovery"), load, loadOf }
})

/** The load, until it is interrupted: what is begun is not finished. */
export const loaded = Effect.fnUntraced(function* (population: Effect.Success<ReturnType<typeof populated>>) {
  const { greedy: greedyTenant, lasting, loadOf } = population
  const workers = lasting.flatMap((tenant) => [
    ...[1, 2, 3].map((worker) => {
      const load = loadOf(`${tenant.name} ${worker}`)
      return over(
        load,
        Effect.suspend(() => load.random.pick(weighted)(load, tenant))
      )
    }),
    tailing(loadOf(`${tenant.name} tail`), tenant),
    Effect.forever(
      Effect.suspend(() => {
        const load = loadOf(`${tenant.name} secret ${Math.floor(population.load.evidence.now())}`)
        return Effect.andThen(
          Effect.sleep(load.random.int(20_000, 60_000)),
          rotateSecret(load, tenant, tenant.webhookId)
        )
      })
    )
  ])
  const operators = [1, 2, 3].flatMap((worker) => {
    const [churn, queue, reading] = ["lives", "signups", "looks"].map((_) => loadOf(`${_} ${worker}`))
    return [over(churn!, lives(churn!)), over(queue!, signups(queue!)), over(reading!, looks(reading!))]
  })
  const all = [...workers, ...operators, greedy(loadOf("greedy"), greedyTenant)]
  yield* Effect.all(all, { concurrency: "unbounded", discard: true })
})
