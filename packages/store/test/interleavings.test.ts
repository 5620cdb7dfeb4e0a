import { sampled } from "@portico/testing/sample/sampled"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Anomaly, anomaliesOf, type Lane, lane, pairsOf, type Scenario, wordsOf } from "./interleavings.ts"
import { agentScenarios } from "./interleavings.agents.ts"
import { people } from "./interleavings.people.ts"
import { projects } from "./interleavings.projects.ts"
import { resources } from "./interleavings.resources.ts"

const scenarios: ReadonlyArray<Scenario> = [...people, ...agentScenarios, ...projects, ...resources]

const isOf = ([a, b]: readonly [string, string], [c, d]: readonly [string, string]): boolean =>
  (a === c && b === d) || (a === d && b === c)

/** What goes wrong in a scenario, but for what its exceptions are for; and the exceptions that nothing needs. */
const judged = Effect.fnUntraced(function* (lane: Lane, scenario: Scenario) {
  const pairs = sampled(scenario.title, 5, pairsOf(scenario))
  const found = (yield* Effect.forEach(pairs, (pair) => anomaliesOf(lane, scenario, pair))).flat()
  const needed = (anomaly: Anomaly) => scenario.otherwise.some((_) => isOf(_.pair, anomaly.pair))
  return [
    ...found.filter((_) => !needed(_)).map(wordsOf),
    ...scenario.otherwise
      .filter((_) => pairs.some((pair) => isOf(_.pair, pair)) && !found.some(({ pair }) => isOf(_.pair, pair)))
      .map((_) => `no exception is needed for ${_.pair.join(" and ")}`)
  ]
})

describe.concurrent("two concurrent processes leave the store as if they ran one after the other", () => {
  for (const scenario of scenarios) {
    it.live(scenario.title, () =>
      Effect.scoped(
        Effect.gen(function* () {
          const wrong = yield* judged(yield* lane, scenario)
          if (wrong.length > 0) assert.fail(`${wrong.length} ways:\n${wrong.join("\n")}`)
        })
      )
    )
  }
})

/** Only reads. */
const reads: Readonly<Record<string, ReadonlyArray<string>>> = {
  Accounts: ["find", "findByProject", "projects", "members", "page"],
  AgentAreas: ["of"],
  AgentSettings: ["find", "findSettled"],
  AgentPlans: ["find"],
  Alarms: ["find", "list", "counts"],
  AutoscalingGroups: ["find", "list"],
  ConsoleSessions: ["find", "surplus", "endedTokens", "isEnded", "page"],
  Credentials: ["find", "findByUser", "derived", "madeBelow", "countLive", "changes"],
  Deliveries: ["event", "next", "page", "count", "mailed", "backlog"],
  EventLog: ["page", "read", "since", "known", "last", "arrivals", "newest", "window", "topics"],
  Exposures: ["find", "list", "challengeOfOther", "known"],
  IdempotencyKeys: ["find"],
  Incidents: ["list"],
  Journal: ["slugHeld", "find", "list", "holds"],
  Members: ["find", "findByEmail", "page", "ofProject", "countOwners", "credentialsOf"],
  OrganisationUnits: ["exists", "list", "member"],
  Pages: ["credentials", "tenants"],
  Policies: ["list", "along"],
  ProjectRecords: ["credentials"],
  Purges: ["find"],
  RegistryKeys: ["list"],
  Relays: ["position", "backlogs", "all"],
  Signups: ["find", "page"],
  Targets: ["find", "list", "active"],
  Tenants: ["find", "slugTaken", "list", "holdings", "soldWithin"],
  Usage: ["page", "agents"],
  WorkloadIssuers: ["find", "findByIssuer", "page"],
  WorkloadTokens: ["find"]
}

/** Writes that are in no pair, and why. */
const apart: Readonly<Record<string, string>> = {
  "Accounts.open": "its account is new",
  "Accounts.lock": "changes nothing; its own test holds it against a change",
  "AgentAreas.put": "one statement that replaces the whole row",
  "AgentPlans.insert": "its plan is new",
  "Alarms.insert": "its alarm is new",
  "ConsoleSessions.insert": "its session is new",
  "Deliveries.addSent": "its delivery is new",
  "EventLog.append": "draws its numbers behind a lock; its own test runs appends at once",
  "EventLog.prune": "one statement that removes what nothing changes",
  "Incidents.insert": "its notice is new",
  "Incidents.remove": "one statement, and nothing else changes a notice",
  "Journal.open": "runs inside the lock of the admission",
  "RegistryKeys.reseal": "one statement, and nothing else changes a key",
  "Targets.insert": "its target is new",
  "Targets.reseal": "one statement that changes only what was read; its own test holds it against a change",
  "Tenants.insert": "its tenant is new",
  "Transactions.atomically": "runs what it is given; has tests of its own",
  "Transactions.exclusively": "runs what it is given; has tests of its own",
  "Usage.fold": "holds its cursor's row from its first statement on; its own test runs folds at once",
  "WorkloadTokens.remove": "one statement, and what it removes is never changed"
}

it.live("every method of the store is read-only, in a scenario, or has a reason", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { first } = yield* lane
      const methods = [...first.mapUnsafe]
        .filter(([key]) => key.startsWith("portico/store/"))
        .flatMap(([key, service]) => Object.keys(Object(service)).map((name) => `${key.split("/").at(-1)}.${name}`))
      assert.isAbove(methods.length, 150)
      const inScenarios = new Set(scenarios.flatMap(({ names }) => names.map((_) => _.split(" ", 1).join(""))))
      const known = new Set([
        ...Object.entries(reads).flatMap(([service, names]) => names.map((_) => `${service}.${_}`)),
        ...Object.keys(apart),
        ...inScenarios
      ])
      assert.deepStrictEqual(
        methods.filter((_) => !known.has(_)),
        []
      )
      assert.deepStrictEqual(
        [...known].filter((_) => !methods.includes(_)),
        []
      )
    })
  )
)
