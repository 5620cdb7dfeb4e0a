import { Clock, Context, Effect, Fiber, Layer, Option, Schema } from "effect"
import { notRouted } from "./absences.ts"
import { barbicanRoutes } from "./barbican/routes.ts"
import { settle as settleBarbican } from "./barbican/settle.ts"
import { settleBilling } from "./billing/invoices.ts"
import { billingRoutes } from "./billing/routes.ts"
import { cinderRoutes } from "./cinder/routes.ts"
import { settleCinder } from "./cinder/state.ts"
import { designateRoutes } from "./designate/routes.ts"
import { settle as settleDesignate } from "./designate/settle.ts"
import { resolverRoutes } from "./dns/routes.ts"
import { type Fault, type FaultKind, type Rule, Rules } from "./Fault.ts"
import { glanceRoutes } from "./glance/routes.ts"
import { keystoneRoutes } from "./keystone/routes.ts"
import { kubernetesRouter } from "./kubernetes/routes.ts"
import { settle as settleKubernetes } from "./kubernetes/settle.ts"
import { shownKubernetes } from "./kubernetes/show.ts"
import { methodOf } from "./methods.ts"
import { neutronRoutes } from "./neutron/routes.ts"
import { novaRoutes } from "./nova/routes.ts"
import { settleNova } from "./nova/state.ts"
import { octaviaRoutes } from "./octavia/routes.ts"
import { settle as settleOctavia } from "./octavia/settle.ts"
import { withoutOverlooked } from "./overlooked.ts"
import { prometheusRoutes } from "./prometheus/routes.ts"
import { rgwRouter } from "./rgw/router.ts"
import { type Answer, type Call, type Matched, router, type ServiceName } from "./Wire.ts"
import { cinderVersions, glanceVersions, neutronVersions, novaVersions, octaviaVersions } from "./versions.ts"
import { makeWorld, type World } from "./World.ts"
import { zitadelRoutes } from "./zitadel/routes.ts"

const routers: Readonly<Record<ServiceName, (method: string, path: string) => Matched | undefined>> = {
  keystone: router(keystoneRoutes),
  nova: router({ "GET /": novaVersions, ...novaRoutes }),
  neutron: router({ "GET /": neutronVersions, ...neutronRoutes }),
  cinder: router({ "GET /": cinderVersions, ...cinderRoutes }),
  glance: router({ "GET /": glanceVersions, ...glanceRoutes }),
  octavia: router({ "GET /": octaviaVersions, ...octaviaRoutes }),
  designate: router(designateRoutes),
  barbican: router(barbicanRoutes),
  rgw: rgwRouter,
  zitadel: router(zitadelRoutes),
  kubernetes: kubernetesRouter,
  billing: router(billingRoutes),
  prometheus: router(prometheusRoutes),
  resolver: router(resolverRoutes)
}

/** One request that reached the cloud, in the order of arrival. */
export interface LoggedCall {
  readonly service: ServiceName
  readonly method: string
  readonly path: string
  /** The path with its parameters as `*`, so that the same call of another run can be named in a {@link Fault}. */
  readonly route: string
  /** The query as sent, without the question mark. */
  readonly query: string
  /** Clock milliseconds of its arrival. */
  readonly at: number
  /** What was answered; null while the answer is pending or when none was given. */
  status: number | null
}

/** What the caller gets: an answer, or a connection that breaks. */
export type Outcome = Answer | "reset"

/** Everything that exists, by kind (`keystone.projects`, `neutron.routers`). Tokens are not things. */
export type State = Readonly<Record<string, ReadonlyArray<unknown>>>

/**
 * The private cloud in memory, and the handle on it: what it holds, which
 * calls it was sent, and what shall go wrong.
 */
export class SimulatedCloud extends Context.Service<
  SimulatedCloud,
  {
    readonly world: World
    answer(call: Call): Effect.Effect<Outcome>
    readonly state: Effect.Effect<State>
    readonly calls: Effect.Effect<ReadonlyArray<LoggedCall>>
    readonly clearCalls: Effect.Effect<void>
    fault(fault: Fault): Effect.Effect<Rule>
    /** The faults that are set, used up or not, with how often each has hit. */
    readonly faults: Effect.Effect<ReadonlyArray<Rule>>
    /** False when there is none with this id. */
    removeFault(id: string): Effect.Effect<boolean>
    readonly clearFaults: Effect.Effect<void>
    /**
     * Everything that exists is again as {@link makeWorld} makes it; faults and
     * the list of calls stay. Watches that are open go on seeing the old cluster.
     */
    readonly reset: Effect.Effect<void>
  }
>()("portico/simulator/SimulatedCloud") {
  /** A cloud around a world that was saved earlier. */
  static readonly make = (world: World) => {
    const rules = new Rules()
    const calls: Array<LoggedCall> = []

    const perform = Effect.fnUntraced(function* (sent: Call) {
      const now = yield* Clock.currentTimeMillis
      const call = { ...sent, method: methodOf(sent) }
      const matched = routers[call.service](call.method, withoutOverlooked(call.service, call.path, call.method))
      const logged: LoggedCall = {
        service: call.service,
        method: call.method,
        path: call.path,
        route: matched?.route ?? call.path,
        query: call.query.toString(),
        at: now,
        status: null
      }
      calls.push(logged)
      const faults = rules.trip(call)
      const spoilt = yield* suffer(faults, "before")
      const outcome =
        spoilt ??
        (yield* Effect.suspend(() => {
          const answer = matched === undefined ? notRouted(call, world, now) : act(matched, call, world, now)
          return Effect.map(suffer(faults, "after"), (lost) => lost ?? answer)
        }))
      logged.status = outcome === "reset" ? null : outcome.status
      return outcome
    })

    return SimulatedCloud.of({
      world,
      // In a fiber of its own: a caller that gives up does not stop what a system has begun.
      answer: (call) => Effect.flatMap(Effect.forkDetach(perform(call), { startImmediately: true }), Fiber.join),
      state: Effect.map(Clock.currentTimeMillis, (now) => stateOf(world, now)),
      calls: Effect.sync(() => [...calls]),
      clearCalls: Effect.sync(() => {
        calls.length = 0
      }),
      fault: (fault) => Effect.sync(() => rules.add(fault)),
      faults: Effect.sync(() => rules.list()),
      removeFault: (id) => Effect.sync(() => rules.remove(id)),
      clearFaults: Effect.sync(() => rules.clear()),
      reset: Effect.sync(() => void Object.assign(world, makeWorld()))
    })
  }

  static readonly layerMemory = Layer.sync(SimulatedCloud, () => SimulatedCloud.make(makeWorld()))
}

const act = (matched: Matched, call: Call, world: World, now: number): Answer => {
  // Operators write to the object gateway too: what they did before this call has happened before it.
  if (call.service === "rgw") settleKubernetes(world, now)
  const answer = matched.handler({ ...call, params: matched.params, world, now, json: parse(call.body) })
  return call.method === "HEAD" ? { ...answer, body: "" } : answer
}

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

const parse = (body: Uint8Array): unknown => Option.getOrUndefined(decodeJson(new TextDecoder().decode(body)))

/** Delays pass and add up; the first fault that replaces the answer decides. */
const suffer = (faults: ReadonlyArray<Fault>, when: Fault["when"]): Effect.Effect<Outcome | undefined> => {
  const now = faults.filter((_) => _.when === when).map((_) => _.as)
  const delay = now.reduce((sum, as) => sum + (typeof as === "object" && "delay_ms" in as ? as.delay_ms : 0), 0)
  const replaced = now.find((as) => typeof as === "string" || "status" in as)
  const outcome = replaced === undefined ? Effect.undefined : outcomeOf(replaced)
  return delay === 0 ? outcome : Effect.delay(outcome, delay)
}

const outcomeOf = (as: FaultKind): Effect.Effect<Outcome | undefined> => {
  if (as === "hang") return Effect.never
  if (as === "reset") return Effect.succeed("reset")
  if (as === "garbage") {
    return Effect.succeed({ status: 200, headers: { "content-type": "application/json" }, body: '{"garbage": tru' })
  }
  if ("delay_ms" in as) return Effect.undefined
  const body = as.body ?? { message: `simulated ${as.status}` }
  return Effect.succeed({
    status: as.status,
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body)
  })
}

/** What comes and goes by itself: a login in progress is not a thing that exists. */
const passing: ReadonlySet<string> = new Set(["tokens", "deviceCodes", "authCodes"])

const stateOf = (world: World, now: number): State => {
  // What is due by now has happened, whether or not anybody looked.
  settleNova(world.nova, now)
  settleCinder(world.cinder, now)
  settleOctavia(world, now)
  settleDesignate(world.designate, now)
  settleBarbican(world.barbican, now)
  settleKubernetes(world, now)
  settleBilling(world.billing, now)
  const systems: Readonly<Record<string, object>> = { ...world, kubernetes: shownKubernetes(world.kubernetes) }
  return Object.fromEntries(
    Object.entries(systems).flatMap(([service, state]) =>
      Object.entries(state).flatMap(([kind, things]) =>
        passing.has(kind) || typeof things !== "object" || things === null
          ? []
          : [[`${service}.${kind}`, structuredClone(Object.values(things))] as const]
      )
    )
  )
}
