import { Clock, Context, Effect, Fiber, Layer, Option, Stream, Tracer } from "effect"
import { injected } from "./injected.ts"
import { parseJson } from "./Json.ts"
import { notRouted } from "./notFound.ts"
import { barbicanRoutes } from "./barbican/routes.ts"
import { settle as settleBarbican } from "./barbican/settle.ts"
import { settleBilling } from "./billing/invoices.ts"
import { billingRoutes } from "./billing/routes.ts"
import { CloudClock } from "./cloudClock.ts"
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
import { shownKubernetes } from "./kubernetes/customResources.ts"
import { methodOf } from "./methodOverride.ts"
import { neutronRoutes } from "./neutron/routes.ts"
import { novaRoutes } from "./nova/routes.ts"
import { settleNova } from "./nova/state.ts"
import { octaviaRoutes } from "./octavia/routes.ts"
import { settle as settleOctavia } from "./octavia/settle.ts"
import { normalizePath } from "./normalizedPath.ts"
import { prometheusRoutes } from "./prometheus/routes.ts"
import { identified, requestIdOf } from "./requestIds.ts"
import { rgwRouter } from "./rgw/routes.ts"
import {
  type Answer,
  type Call,
  type Company,
  type Incoming,
  type Matched,
  router,
  type Routes,
  type ServiceName
} from "./Wire.ts"
import { cinderVersions, glanceVersions, neutronVersions, novaVersions, octaviaVersions } from "./versions.ts"
import { makeWorld, type World } from "./World.ts"
import { zitadelRoutes } from "./zitadel/routes.ts"

type Router = (method: string, path: string) => Matched | undefined

const routers: Readonly<Record<Exclude<ServiceName, "company">, Router>> = {
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

/** A request that reached the cloud; the log is in the order of arrival. */
export interface LoggedCall {
  readonly service: ServiceName
  readonly method: string
  readonly path: string
  /** The path with its parameters as `*`: the path of a {@link Fault} that matches the same call in another run. */
  readonly route: string
  /** The query as sent, without the question mark. */
  readonly query: string
  /** Clock milliseconds of its arrival. */
  readonly at: number
  /** The status of the answer; null while the answer is pending or when there was none. */
  status: number | null
}

/** What the caller gets: an answer, or a reset connection. */
export type Outcome = Answer | "reset"

/** Every resource, by kind (`keystone.projects`, `neutron.routers`). Tokens are not included. */
export type State = Readonly<Record<string, ReadonlyArray<unknown>>>

/** The private cloud in memory with its control API: its state, the calls that it received, and its faults. */
export class SimulatedCloud extends Context.Service<
  SimulatedCloud,
  {
    readonly world: World
    /** Clock milliseconds of the cloud's own time. */
    readonly now: Effect.Effect<number>
    /**
     * Moves the cloud's own time on: what is due by then happens, and watches show it. The clocks of its callers stay.
     */
    advance(seconds: number): Effect.Effect<void>
    answer(call: Call): Effect.Effect<Outcome>
    readonly state: Effect.Effect<State>
    readonly calls: Effect.Effect<ReadonlyArray<LoggedCall>>
    readonly clearCalls: Effect.Effect<void>
    fault(fault: Fault): Effect.Effect<Rule>
    /** All faults, expired ones included, each with its number of hits. */
    readonly faults: Effect.Effect<ReadonlyArray<Rule>>
    /** False when no fault has this id. */
    removeFault(id: string): Effect.Effect<boolean>
    readonly clearFaults: Effect.Effect<void>
    /** Resets the state to {@link makeWorld}; time, faults and the log of calls stay. Open watches keep the old cluster. */
    readonly reset: Effect.Effect<void>
    /**
     * Replaces the state. Faults, the log of calls and the company's own upstreams stay, and so does the time, unless
     * that of the new state is later.
     */
    load(world: World): Effect.Effect<void>
  }
>()("portico/simulator/SimulatedCloud") {
  /**
   * A cloud with a saved world.
   *
   * @param newCompany makes the company's own upstreams as they are before the first tenant
   */
  static readonly make = (world: World, newCompany: () => Company = () => ({})) => {
    let company = newCompany()
    let companyRouter = router(routesOf(company))
    const rules = new Rules()
    const calls: Array<LoggedCall> = []
    const clock = new CloudClock(() => world.clock.aheadMillis)
    const now = clock.provide(Clock.currentTimeMillis)

    const perform = Effect.fnUntraced(function* (sent: Call) {
      const now = yield* Clock.currentTimeMillis
      const call = { ...sent, method: methodOf(sent) }
      const route = call.service === "company" ? companyRouter : routers[call.service]
      const plainPath = normalizePath(call.service, call.path, call.method)
      const matched = route(call.method, plainPath)
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
      const faults = rules.trip(call, plainPath)
      if (faults.length > 0) yield* countInjected(faults.length)
      const replacement = yield* applyFaults(faults, "before")
      const outcome =
        replacement ??
        (yield* Effect.suspend(() => {
          const requestId = requestIdOf(call)
          const plain =
            matched === undefined ? notRouted(call, world, now) : dispatch(matched, { ...call, requestId }, world, now)
          const answer = identified(call, plain, requestId)
          return Effect.map(applyFaults(faults, "after"), (replacement) => replacement ?? answer)
        }))
      logged.status = outcome === "reset" ? null : outcome.status
      if (outcome === "reset" || outcome.stream === undefined) return outcome
      return { ...outcome, stream: Stream.provideService(outcome.stream, Clock.Clock, yield* Clock.Clock) }
    })

    return SimulatedCloud.of({
      world,
      now,
      advance: (seconds) =>
        Effect.sync(() => {
          world.clock.aheadMillis += seconds * 1000
          clock.moved()
        }),
      // Runs in a fiber of its own: a caller that disconnects does not interrupt the work of a service.
      answer: (call) =>
        Effect.flatMap(Effect.forkDetach(clock.provide(perform(call)), { startImmediately: true }), Fiber.join),
      state: Effect.map(now, (now) => stateOf(world, company, now)),
      calls: Effect.sync(() => [...calls]),
      clearCalls: Effect.sync(() => {
        calls.length = 0
      }),
      fault: (fault) => Effect.sync(() => rules.add(fault)),
      faults: Effect.sync(() => rules.list()),
      removeFault: (id) => Effect.sync(() => rules.remove(id)),
      clearFaults: Effect.sync(() => rules.clear()),
      reset: Effect.sync(() => {
        Object.assign(world, { ...makeWorld(), clock: world.clock })
        company = newCompany()
        companyRouter = router(routesOf(company))
      }),
      load: (loaded) =>
        Effect.sync(() => {
          const aheadMillis = Math.max(world.clock.aheadMillis, loaded.clock.aheadMillis)
          Object.assign(world, { ...loaded, clock: { aheadMillis } })
          clock.moved()
        })
    })
  }

  static readonly layerMemory = Layer.sync(SimulatedCloud, () => SimulatedCloud.make(makeWorld()))
}

/** The routes of all upstreams of the company, each below its name. */
const routesOf = (company: Company): Routes =>
  Object.fromEntries(
    Object.entries(company).flatMap(([name, { routes }]) =>
      Object.entries(routes).map(([route, handler]) => [route.replace(" /", ` /${name}/`), handler] as const)
    )
  )

const dispatch = (matched: Matched, call: Call & Pick<Incoming, "requestId">, world: World, now: number): Answer => {
  // Operators write to the object gateway too: their earlier writes are applied before this call.
  if (call.service === "rgw") settleKubernetes(world, now)
  const answer = matched.handler({
    ...call,
    params: matched.params,
    world,
    now,
    json: parseJson(new TextDecoder().decode(call.body))
  })
  return call.method === "HEAD" ? { ...answer, body: "" } : answer
}

const countInjected = (count: number) =>
  Effect.map(Effect.serviceOption(Tracer.ParentSpan), (span) => {
    const operation = Option.match(span, { onNone: () => noSpan, onSome: outermost })
    injected.set(operation, (injected.get(operation) ?? 0) + count)
  })

const noSpan = "without a span"

/** A span from elsewhere has no name. */
const outermost = (span: Tracer.AnySpan): string => {
  if (span._tag === "ExternalSpan") return noSpan
  return Option.match(span.parent, {
    onNone: () => span.name,
    onSome: (parent) => (parent._tag === "ExternalSpan" ? span.name : outermost(parent))
  })
}

/** Delays add up; the first fault that replaces the answer wins. */
const applyFaults = (faults: ReadonlyArray<Fault>, when: Fault["when"]): Effect.Effect<Outcome | undefined> => {
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

/** What is not a resource: logins in progress, the key of the identity provider, and records of deleted servers. */
const ephemeral: ReadonlySet<string> = new Set(["deletedServers", "tokens", "deviceCodes", "authCodes", "signingKey"])

const stateOf = (world: World, company: Company, now: number): State => {
  // Applies everything that is due by now.
  settleNova(world.nova, now)
  settleCinder(world.cinder, now)
  settleOctavia(world, now)
  settleDesignate(world.designate, now)
  settleBarbican(world.barbican, now)
  settleKubernetes(world, now)
  settleBilling(world.billing, now)
  const systems: Readonly<Record<string, object>> = {
    ...world,
    kubernetes: shownKubernetes(world.kubernetes),
    ...Object.fromEntries(Object.entries(company).map(([name, { state }]) => [name, state] as const))
  }
  return Object.fromEntries(
    Object.entries(systems).flatMap(([service, state]) =>
      Object.entries(state).flatMap(([kind, things]) =>
        ephemeral.has(kind) || typeof things !== "object" || things === null
          ? []
          : [[`${service}.${kind}`, structuredClone(Object.values(things))] as const]
      )
    )
  )
}
