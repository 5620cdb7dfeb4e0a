import { DateTime, Duration, Effect } from "effect"
import { AgentPlans } from "../src/AgentPlans.ts"
import { Alarms, type NewAlarm } from "../src/Alarms.ts"
import { AutoscalingGroups } from "../src/AutoscalingGroups.ts"
import { type ConsoleSessionRow, ConsoleSessions } from "../src/ConsoleSessions.ts"
import { type Concluded, Deliveries } from "../src/Deliveries.ts"
import { Exposures, type NewExposure } from "../src/Exposures.ts"
import { AgentCalls, callLease, overdueTime } from "../src/AgentCalls.ts"
import { IdempotencyKeys, keyLease } from "../src/IdempotencyKeys.ts"
import { Leases } from "../src/Leases.ts"
import { RegistryKeys } from "../src/RegistryKeys.ts"
import { Relays } from "../src/Relays.ts"
import { type NewTarget, Targets } from "../src/Targets.ts"
import { type NewWorkloadIssuer, WorkloadIssuers } from "../src/WorkloadIssuers.ts"
import { WorkloadTokens } from "../src/WorkloadTokens.ts"
import { pass } from "@portico/testing/store/Aging"
import { type Act, scenario } from "./interleavings.ts"
import { present } from "./stories.ts"

const projectId = "project-1"

const exposures = <A>(use: (exposures: Exposures["Service"]) => Effect.Effect<A>) => Effect.flatMap(Exposures, use)
const exposure = (id: string, project: string): NewExposure => ({
  exposure_id: id,
  project_id: project,
  name: "web",
  hostname: `${id}.edge.example`,
  service: "web",
  address: null,
  port: 80,
  domain: "shop.example"
})
const expose = (id: string, project = projectId): Effect.Effect<unknown, never, Exposures> =>
  exposures((_) =>
    _.insert(exposure(id, project), {
      project_id: project,
      challenge: `challenge-${id}`,
      hold: Duration.hours(1),
      overlooking: undefined
    })
  )
const exposed = Effect.andThen(expose("one"), present(exposures((_) => _.find("one"))))
type Exposure = Effect.Success<typeof exposed>
const often = { address: Duration.hours(1), service: Duration.hours(1) }

const onExposure: Readonly<Record<string, (entry: Exposure) => Act>> = {
  "Exposures.insert": () => expose("two"),
  "Exposures.insert elsewhere": () => expose("three", "project-2"),
  "Exposures.prove": (entry) => exposures((_) => _.prove(entry, undefined)),
  "Exposures.setLost": () => exposures((_) => _.setLost("one", true)),
  "Exposures.markRemoving": () => exposures((_) => _.markRemoving("one", "deletion", Duration.minutes(1))),
  "Exposures.drop": () => exposures((_) => _.drop("one")),
  "Exposures.claimDue": () =>
    exposures((_) => Effect.map(_.claimDue(10, often), (due) => due.map((one) => one.exposure_id))),
  "Exposures.prune": () => exposures((_) => _.prune),
  "Exposures.removeOfProject": () => exposures((_) => _.removeOfProject(projectId))
}

const groups = <A>(use: (groups: AutoscalingGroups["Service"]) => Effect.Effect<A>) =>
  Effect.flatMap(AutoscalingGroups, use)
const group = {
  group_id: "asg-1",
  project_id: projectId,
  name: "web",
  min: 0,
  max: 5,
  desired: 2,
  template: { flavor_id: "2", image_id: "image-1" },
  cooldown_seconds: 300,
  policies: [],
  created_by: "user-1"
} as const
const claimedGroup = Effect.gen(function* () {
  yield* groups((_) => _.insert(group))
  yield* pass("1 second")
  return yield* present(groups((_) => _.claim))
})

const alarms = <A>(use: (alarms: Alarms["Service"]) => Effect.Effect<A>) => Effect.flatMap(Alarms, use)
const alarm: NewAlarm = {
  alarm_id: "alm-1",
  project_id: projectId,
  name: "busy",
  description: null,
  severity: "moderate",
  enabled: true,
  rule: {
    metric: "cpu",
    comparison: "gt",
    threshold: 80,
    period_seconds: 60,
    evaluation_periods: 1,
    instance_id: "server-1"
  },
  state: "insufficient_data",
  reason: "new",
  created_by: "user-1"
}
const claimedAlarm = Effect.gen(function* () {
  yield* alarms((_) => _.insert(alarm))
  // The column is rounded to the millisecond, which may be one that is still to come.
  yield* pass("1 second")
  const [entry] = yield* alarms((_) => _.claim(1))
  return yield* present(Effect.succeed(entry))
})

const targets = <A>(use: (targets: Targets["Service"]) => Effect.Effect<A>) => Effect.flatMap(Targets, use)
const deliveries = <A>(use: (deliveries: Deliveries["Service"]) => Effect.Effect<A>) => Effect.flatMap(Deliveries, use)
const target: NewTarget = {
  target_id: "wh-1",
  project_id: projectId,
  kind: "webhook",
  name: null,
  settings: { url: "https://hooks.example/" },
  secrets: [{ sealed: "sealed", ends_at: null }],
  topics: [],
  kinds: [],
  from_sequence: 0,
  state: "active",
  created_by: "user-1",
  of_agent: false
}
const delivery = (n: number, again = false) => ({
  target_id: "wh-1",
  event_id: `00000000-0000-4000-8000-00000000000${n}`,
  topic: "alarms",
  kind: "alarm.state_changed",
  again
})
const arrived: Concluded = {
  attempt: undefined,
  state: "delivered",
  given_up: null,
  pause: Duration.zero,
  rests: false,
  failures_in_a_row: 0,
  failing_since: null
}
const served = Effect.gen(function* () {
  yield* targets((_) => _.insert(target))
  yield* deliveries((_) => _.add([delivery(1)]))
  yield* pass("1 second")
  const [entry] = yield* deliveries((_) => _.claim("sound", 1))
  const held = yield* present(Effect.succeed(entry))
  return { target: held, waiting: yield* present(deliveries((_) => _.next(held))) }
})
type Served = Effect.Success<typeof served>

const onTarget: Readonly<Record<string, (given: Served) => Act>> = {
  "Targets.change": () => targets((_) => _.change(projectId, "wh-1", { topics: ["alarms"] })),
  "Targets.enable": () => targets((_) => _.enable(projectId, "wh-1", 0)),
  "Targets.disable": () => targets((_) => _.disable(projectId, "wh-1", null)),
  "Targets.remove": () => targets((_) => _.remove(projectId, "wh-1")),
  "Deliveries.add": () => deliveries((_) => _.add([delivery(2)])),
  "Deliveries.add once more": () => deliveries((_) => _.add([delivery(1)])),
  "Deliveries.again": () => deliveries((_) => _.again(delivery(1, true))),
  "Deliveries.claim": () => deliveries((_) => _.claim("sound", 1)),
  "Deliveries.conclude": ({ target, waiting }) => deliveries((_) => _.conclude(target, waiting.delivery, arrived)),
  "Deliveries.release": ({ target }) => deliveries((_) => _.release(target)),
  "Deliveries.giveUp": () => deliveries((_) => _.giveUp),
  "Deliveries.prune": () =>
    Effect.flatMap(DateTime.now, (now) => deliveries((_) => _.prune(DateTime.add(now, { hours: 1 }))))
}

const issuers = <A>(use: (issuers: WorkloadIssuers["Service"]) => Effect.Effect<A>) =>
  Effect.flatMap(WorkloadIssuers, use)
const issuer: NewWorkloadIssuer = {
  issuer_id: "iss-1",
  issuer: "https://one.example",
  project_id: projectId,
  tier: 1,
  audience: "portico",
  discovery_url: "https://one.example/.well-known/openid-configuration",
  jwks_uri: null,
  ca: null,
  subjects: ["system:serviceaccount:ci:*"],
  max_lifetime_seconds: 3600,
  enabled: true,
  created_by: "operator"
}

const keys = <A>(use: (keys: IdempotencyKeys["Service"]) => Effect.Effect<A>) => Effect.flatMap(IdempotencyKeys, use)
const call = { entry: "entry-1", fingerprint: "same", tier: 1, role: null }
const answer = { status: 201, headers: {}, body: "{}", redacted: [] }
const kept = Duration.hours(1)
const claimedKey = Effect.flatMap(
  keys((_) => _.claim(call, kept)),
  (_) => (_.kind === "mine" ? Effect.succeed(_.claimed) : Effect.die(_.kind))
)
const onKey: Readonly<Record<string, (claimed: Effect.Success<typeof claimedKey>) => Act>> = {
  "IdempotencyKeys.claim ": () =>
    Effect.map(
      keys((_) => _.claim(call, kept)),
      (_) => _.kind
    ),
  "IdempotencyKeys.claim of another": () =>
    Effect.map(
      keys((_) => _.claim({ ...call, fingerprint: "other" }, kept)),
      (_) => _.kind
    ),
  "IdempotencyKeys.renew": (claimed) => keys((_) => _.renew(claimed)),
  "IdempotencyKeys.answer": (claimed) => keys((_) => _.answer(claimed, answer)),
  "IdempotencyKeys.release": (claimed) => keys((_) => _.release(claimed)),
  "IdempotencyKeys.prune": () => keys((_) => _.prune)
}

const agentCalls = <A>(use: (calls: AgentCalls["Service"]) => Effect.Effect<A>) => Effect.flatMap(AgentCalls, use)
const toolCall = (outcome: string, id = "11111111-1111-4111-8111-111111111111") => ({
  id,
  topic: "agent.actions",
  key: "user-1",
  at: DateTime.makeUnsafe(0),
  envelope: { data: { outcome } }
})
const onToolCall: Readonly<Record<string, () => Act>> = {
  "AgentCalls.begin another": () =>
    agentCalls((_) => _.begin(toolCall("unknown", "22222222-2222-4222-8222-222222222222"))),
  "AgentCalls.renew": () => agentCalls((_) => _.renew(toolCall("").id)),
  "AgentCalls.end": () => agentCalls((_) => _.end(toolCall("").id, toolCall("succeeded"))),
  "AgentCalls.end without an event": () => agentCalls((_) => _.end(toolCall("").id, undefined)),
  "AgentCalls.claimLost": () => agentCalls((_) => _.claimLost)
}

const plan = { plan_id: "plan-1", project_id: projectId, user_id: "user-1" }
const plans = <A>(use: (plans: AgentPlans["Service"]) => Effect.Effect<A>) => Effect.flatMap(AgentPlans, use)
const onPlan: Readonly<Record<string, () => Act>> = {
  "AgentPlans.take": () => plans((_) => _.take(plan)),
  "AgentPlans.end": () => plans((_) => _.end(plan)),
  "AgentPlans.prune": () => plans((_) => _.prune)
}

const farAway = DateTime.makeUnsafe("2100-01-01T00:00:00Z")
const tokens = (name: string) => ({
  sealed: `sealed ${name}`,
  access_hash: name,
  access_ends: farAway,
  expires_at: farAway
})
const session = { ...tokens("first"), session_hash: "session-1", plane: "customer", person: "user-1" } as const
const sessions = <A>(use: (sessions: ConsoleSessions["Service"]) => Effect.Effect<A>) =>
  Effect.flatMap(ConsoleSessions, use)
const insertedSession = present(sessions((_) => _.insert(session)))
const claimedSession = Effect.andThen(insertedSession, present(sessions((_) => _.claim(session))))
const onSession: Readonly<Record<string, (held: ConsoleSessionRow) => Act>> = {
  "ConsoleSessions.claim": () => sessions((_) => _.claim(session)),
  "ConsoleSessions.renewed": (held) => sessions((_) => _.renewed(held, tokens("second"))),
  "ConsoleSessions.release": (held) => sessions((_) => _.release(held)),
  "ConsoleSessions.refuse": (held) => sessions((_) => _.refuse(held)),
  "ConsoleSessions.end": () => sessions((_) => _.end("customer", "session-1")),
  "ConsoleSessions.claimEnded": () => sessions((_) => _.claimEnded()),
  "ConsoleSessions.revoked": (held) => sessions((_) => _.revoked(held)),
  "ConsoleSessions.postpone": (held) => sessions((_) => _.postpone(held, Duration.hours(1))),
  "ConsoleSessions.reseal": (held) => sessions((_) => _.reseal(held, "sealed anew")),
  "ConsoleSessions.prune": () => sessions((_) => _.prune)
}

const registryKey = (kid: string) => ({
  kid,
  public_key: { kty: "RSA", n: "n", e: "AQAB", kid, alg: "RS256", use: "sig" } as const,
  sealed: "sealed",
  signs_from: DateTime.makeUnsafe(0)
})
const registry = <A>(use: (keys: RegistryKeys["Service"]) => Effect.Effect<A>) => Effect.flatMap(RegistryKeys, use)

const relays = <A>(use: (relays: Relays["Service"]) => Effect.Effect<A>) => Effect.flatMap(Relays, use)
const relaying = present(relays((_) => _.claim("topic")))

const edge = ["edge_claims", "edge_exposures"]

export const resources = [
  scenario("an unclaimed domain", {
    tables: edge,
    given: Effect.void,
    acts: {
      "Exposures.insert": () => expose("one"),
      "Exposures.insert of the same tenant": () => expose("two"),
      "Exposures.insert elsewhere": () => expose("three", "project-2")
    }
  }),
  scenario("an exposure", { tables: edge, given: exposed, acts: onExposure }),
  scenario("a domain that two tenants claim", {
    tables: edge,
    given: Effect.gen(function* () {
      yield* expose("one")
      yield* pass(Duration.hours(2))
      yield* expose("three", "project-2")
      return {
        one: yield* present(exposures((_) => _.find("one"))),
        three: yield* present(exposures((_) => _.find("three")))
      }
    }),
    acts: {
      "Exposures.prove": ({ one }) => exposures((_) => _.prove(one, undefined)),
      "Exposures.prove of the other": ({ three }) => exposures((_) => _.prove(three, undefined)),
      "Exposures.drop": () => exposures((_) => _.drop("one")),
      "Exposures.drop of the other": () => exposures((_) => _.drop("three"))
    }
  }),
  scenario("no autoscaling group", {
    tables: ["autoscaling_groups"],
    given: Effect.void,
    acts: {
      "AutoscalingGroups.insert": () => groups((_) => _.insert(group)),
      "AutoscalingGroups.insert of the same name": () => groups((_) => _.insert({ ...group, group_id: "asg-2" }))
    }
  }),
  scenario("an autoscaling group at work", {
    tables: ["autoscaling_groups"],
    given: claimedGroup,
    acts: {
      "AutoscalingGroups.change": (entry) => groups((_) => _.change(entry, { desired: 3 })),
      "AutoscalingGroups.hear": (entry) => groups((_) => _.hear(entry, { busy: "alarm" })),
      "AutoscalingGroups.claim": () => groups((_) => _.claim),
      "AutoscalingGroups.keep": (entry) => groups((_) => _.keep(entry, { errors: 1 })),
      "AutoscalingGroups.release": (entry) => groups((_) => _.release(entry, { errors: 2 }, Duration.minutes(1))),
      "AutoscalingGroups.drop": (entry) => groups((_) => _.drop(entry)),
      "AutoscalingGroups.removeIdle": () => groups((_) => _.removeIdle(projectId, "asg-1"))
    }
  }),
  scenario("an alarm at work", {
    tables: ["alarms"],
    given: claimedAlarm,
    acts: {
      "Alarms.change": () => alarms((_) => _.change(projectId, "alm-1", { name: "busier" })),
      "Alarms.remove": () => alarms((_) => _.remove(projectId, "alm-1")),
      "Alarms.claim": () => alarms((_) => _.claim(1)),
      "Alarms.conclude": (entry) =>
        alarms((_) =>
          _.conclude(entry, {
            state: "ok",
            reason: "fine",
            transitions: 1,
            last_transition_at: null,
            untold: true,
            unknown_since: null,
            evaluated_at: null
          })
        ),
      "Alarms.release": (entry) => alarms((_) => _.release(entry, true, Duration.minutes(1)))
    }
  }),
  scenario("a target that is being served", { tables: ["deliveries", "targets"], given: served, acts: onTarget }),
  scenario("an issuer of workloads", {
    tables: ["workload_tokens", "workload_issuers"],
    given: present(issuers((_) => _.insert(issuer))),
    acts: {
      "WorkloadIssuers.insert": () => issuers((_) => _.insert({ ...issuer, issuer_id: "iss-2" })),
      "WorkloadIssuers.change": () => issuers((_) => _.change("iss-1", { enabled: false })),
      "WorkloadIssuers.remove": () => issuers((_) => _.remove("iss-1")),
      "WorkloadIssuers.removeOfProject": () => issuers((_) => _.removeOfProject(projectId)),
      "WorkloadTokens.issue": ({ issuer_id, revision }) =>
        Effect.flatMap(WorkloadTokens, (_) =>
          _.issue({
            hash: "hash",
            issuerId: issuer_id,
            revision,
            subject: "app",
            madeBy: null,
            endsBy: null,
            lifetime: Duration.hours(1)
          })
        ),
      "WorkloadTokens.remove": () => Effect.flatMap(WorkloadTokens, (_) => _.remove("hash")),
      "WorkloadTokens.prune": () => Effect.flatMap(WorkloadTokens, (_) => _.prune)
    }
  }),
  scenario("a call under a key", { tables: ["idempotency_keys"], given: claimedKey, acts: onKey }),
  scenario("a call under a key whose process died", {
    tables: ["idempotency_keys"],
    given: Effect.tap(claimedKey, () => pass(keyLease)),
    acts: onKey
  }),
  scenario("a running tool call", {
    tables: ["agent_calls", "events"],
    given: agentCalls((_) => _.begin(toolCall("unknown"))),
    acts: onToolCall
  }),
  scenario("a tool call whose process died", {
    tables: ["agent_calls", "events"],
    given: agentCalls((_) => _.begin(toolCall("unknown"))).pipe(
      Effect.andThen(pass(callLease)),
      Effect.andThen(agentCalls((_) => _.claimLost)),
      Effect.andThen(pass(overdueTime))
    ),
    acts: onToolCall
  }),
  scenario("a plan of an agent", {
    tables: ["agent_plans"],
    given: plans((_) => _.insert({ ...plan, sealed: "sealed" }, kept, 10)),
    acts: onPlan
  }),
  scenario("a plan of an agent that has expired", {
    tables: ["agent_plans"],
    given: Effect.andThen(
      plans((_) => _.insert({ ...plan, sealed: "sealed" }, kept, 10)),
      pass(Duration.hours(2))
    ),
    acts: onPlan
  }),
  scenario("a session of the console", {
    tables: ["console_sessions"],
    given: insertedSession,
    acts: onSession
  }),
  scenario("a session of the console that is being renewed", {
    tables: ["console_sessions"],
    given: claimedSession,
    acts: onSession
  }),
  scenario("a session of the console that has ended", {
    tables: ["console_sessions"],
    given: Effect.andThen(insertedSession, present(sessions((_) => _.end("customer", "session-1")))),
    acts: onSession
  }),
  scenario("a session of the console that is being revoked", {
    tables: ["console_sessions"],
    given: Effect.andThen(
      Effect.andThen(
        insertedSession,
        sessions((_) => _.end("customer", "session-1"))
      ),
      present(
        Effect.map(
          sessions((_) => _.claimEnded()),
          ([_]) => _
        )
      )
    ),
    acts: onSession
  }),
  scenario("the registry's keys", {
    tables: ["registry_keys"],
    given: registry((_) => _.add(registryKey("a"), undefined)),
    acts: {
      "RegistryKeys.add": () => registry((_) => _.add(registryKey("b"), "a")),
      "RegistryKeys.add of another": () => registry((_) => _.add(registryKey("c"), "a")),
      "RegistryKeys.remove": () => registry((_) => _.remove(["a"]))
    }
  }),
  scenario("a relay at work", {
    tables: ["relays"],
    given: relaying,
    acts: {
      "Relays.claim": () => relays((_) => _.claim("topic")),
      "Relays.advance": (held) => relays((_) => _.advance(held, 5)),
      "Relays.release": (held) => relays((_) => _.release(held)),
      "Relays.rest": (held) => relays((_) => _.rest(held))
    }
  }),
  scenario("a lease", {
    tables: ["leases"],
    given: Effect.void,
    acts: {
      "Leases.holding": () =>
        Effect.flatMap(Leases, (_) => Effect.result(_.holding("zone", Effect.succeed("done"), Duration.millis(50))))
    },
    otherwise: [
      {
        pair: ["Leases.holding", "Leases.holding"],
        because: "the second one does not wait until the first one lets go, and is told that it is held"
      }
    ]
  })
]
