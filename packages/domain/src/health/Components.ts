import { Tenants } from "@portico/store/Tenants"
import { type Availability, type Probe, type Probed, Probes } from "@portico/upstream/Probes"
import { metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { UpstreamError } from "@portico/upstream/UpstreamError"
import { Cause, Clock, Context, DateTime, Duration, Effect, Layer, Predicate } from "effect"
import { innermost } from "../innermost.ts"
import { isoOrNull } from "../isoOrNull.ts"
import { judged, type Outcome, remembered, type State } from "./judgement.ts"

/** A component as readiness shows it to operators. */
export interface Component {
  readonly state: State
  /** When this process first saw it in this state; null before the first probe, and for what is not probed. */
  readonly since: string | null
  /** The message of the last failure, while the component is not `ok`. */
  readonly message: string | null
  /** The time of the last probe; null before the first. */
  readonly checked_at: string | null
  readonly warnings: ReadonlyArray<string>
}

/** The timeout of a probe. */
const timeLimit = Duration.seconds(5)

/** A slower response counts as slow. */
const slowAfter = Duration.seconds(2)

/** The components that are probed at once, so a round is not a burst. */
const probeConcurrency = 8

/** The states in the metric. */
const counted: ReadonlyArray<State> = ["ok", "degraded", "down", "unauthorized"]

/** The remembered results of a component. */
interface Held {
  readonly probed: Probed
  outcomes: ReadonlyArray<Outcome>
  message: string | null
  checkedAt: number | null
  /** The time of the probe since which its state is the same. */
  since: number | null
  /** The last logged state: `fine`, or the complaint. */
  logged: string
}

/** The result of probing a component once. */
interface Found {
  readonly outcome: Outcome
  readonly message: string | null
  /** The settings whose credentials were rejected. */
  readonly refused: ReadonlyArray<string>
}

/**
 * The state of the upstream systems, as this process sees them. A background job probes them in
 * {@link round}s; a caller reads the last results and never waits for a system.
 */
export class Components extends Context.Service<
  Components,
  {
    /** Probes every component once. It never fails. */
    readonly round: Effect.Effect<void>
    all(): Readonly<Record<string, Component>>
    availability(): Availability
  }
>()("portico/domain/health/Components") {
  static readonly layer = Layer.effect(
    Components,
    Effect.gen(function* () {
      const probes = yield* Probes
      const tenants = yield* Tenants
      const registry = yield* metricsRegistry
      // Includes the metrics and the tracing of upstream calls, whichever fiber runs a round.
      const context = yield* Effect.context<never>()
      const held = [...probes.systems, databaseOf(tenants)].map((probed): Held => ({
        probed,
        outcomes: [],
        message: null,
        checkedAt: null,
        since: null,
        logged: "fine"
      }))

      for (const one of held) {
        for (const state of counted) {
          registry.gauge(
            "portico_component_state",
            "1 for the state that a component is in, as this process sees it; 0 for the others.",
            { component: one.probed.component, state },
            () => (judged(one.outcomes) === state ? 1 : 0)
          )
        }
      }

      const probe = Effect.fnUntraced(function* (one: Held) {
        const found = worstOf(yield* Effect.forEach(one.probed.probes, probedOnce, { concurrency: "unbounded" }))
        const before = judged(one.outcomes)
        one.outcomes = [found.outcome, ...one.outcomes].slice(0, remembered)
        one.checkedAt = yield* Clock.currentTimeMillis
        if (judged(one.outcomes) !== before) one.since = one.checkedAt
        if (found.message !== null) one.message = found.message
        return [one, found] as const
      })

      return Components.of({
        round: Effect.forEach(held, probe, { concurrency: probeConcurrency }).pipe(
          Effect.flatMap(logged),
          Effect.provideContext(context)
        ),
        all: () => ({
          ...Object.fromEntries(probes.absent.map((_) => [_, notConfigured])),
          ...Object.fromEntries(held.map((_) => [_.probed.component, shown(_)]))
        }),
        availability: probes.availability
      })
    })
  )
}

const notConfigured: Component = { state: "not configured", since: null, message: null, checked_at: null, warnings: [] }

const shown = ({ checkedAt, message, outcomes, since }: Held): Component => {
  const state = judged(outcomes)
  return {
    state,
    since: isoOf(since),
    message: state === "ok" ? null : message,
    checked_at: isoOf(checkedAt),
    warnings: []
  }
}

const isoOf = (time: number | null): string | null => isoOrNull(time === null ? null : DateTime.makeUnsafe(time))

const probedOnce = ({ credentials, read }: Probe): Effect.Effect<Found> =>
  Effect.timed(read).pipe(
    Effect.map(([took]): Found => {
      const isSlow = Duration.isGreaterThan(took, slowAfter)
      return {
        outcome: isSlow ? "slow" : "ok",
        message: isSlow ? `answered after ${Duration.toMillis(took)} ms` : null,
        refused: []
      }
    }),
    Effect.timeoutOrElse({
      duration: timeLimit,
      orElse: () => Effect.succeed(failed(`no answer within ${Duration.format(timeLimit)}`))
    }),
    Effect.catchCause((cause) => Effect.succeed(foundIn(cause, credentials)))
  )

const failed = (message: string): Found => ({ outcome: "failed", message, refused: [] })

const foundIn = (cause: Cause.Cause<UpstreamError>, credentials: ReadonlyArray<string>): Found => {
  const error = Cause.squash(cause)
  if (!(error instanceof UpstreamError)) return failed("the check itself failed")
  const isRefusal = error.status === 401 || error.status === 403
  return isRefusal ? { outcome: "refused", message: error.summary, refused: credentials } : failed(error.summary)
}

const severity: Readonly<Record<Outcome, number>> = { ok: 0, slow: 1, failed: 2, refused: 3 }

const worstOf = (all: ReadonlyArray<Found>): Found => {
  const outcome = all.map((_) => _.outcome).reduce((a, b) => (severity[b] > severity[a] ? b : a), "ok")
  const messages = all.flatMap((_) => _.message ?? [])
  return {
    outcome,
    message: messages.length === 0 ? null : messages.join("; "),
    refused: all.flatMap((_) => _.refused)
  }
}

/** The database, probed like the upstream systems. Elsewhere its failures are defects. */
const databaseOf = ({ find }: Tenants["Service"]): Probed => ({
  component: "database",
  probes: [
    {
      credentials: ["DATABASE_URL"],
      read: Effect.catchCause(
        Effect.suspend(() => find("")),
        (cause) => {
          const squashed = Cause.squash(cause)
          const error = squashed instanceof Error ? innermost(squashed) : squashed
          return new UpstreamError({
            upstream: "postgresql",
            call: "read",
            status: isLoginRefused(error) ? 401 : null,
            detail: error instanceof Error ? error.message : "the read failed"
          })
        }
      )
    }
  ]
})

/** SQLSTATE class 28, invalid authorization. */
const isLoginRefused = (error: unknown): boolean =>
  Predicate.hasProperty(error, "code") && Predicate.isString(error.code) && error.code.startsWith("28")

/**
 * Logs one line for each change for the worse, and one for the recovery; the failures in between
 * are only counted. Components that fail for the same reason, such as the platform's services with
 * a wrong control password, share a line.
 */
const logged = Effect.fnUntraced(function* (probed: ReadonlyArray<readonly [Held, Found]>) {
  const news = new Map<string, { readonly components: Array<string>; readonly messages: Set<string> }>()
  for (const [held, found] of probed) {
    const complaint = complaintOf(held, found)
    if (complaint === held.logged) continue
    held.logged = complaint
    const line = news.get(complaint) ?? { components: [], messages: new Set() }
    line.components.push(held.probed.component)
    if (found.message !== null) line.messages.add(found.message)
    news.set(complaint, line)
  }
  for (const [complaint, { components, messages }] of news) {
    const about = { components, ...(messages.size === 0 ? {} : { messages: [...messages] }) }
    yield* complaint === fine
      ? Effect.logInfo("components work again", about)
      : complaint === down
        ? Effect.logWarning("components do not work", about)
        : Effect.logError(complaint, about)
  }
})

const fine = "fine"
const down = "down"

/** `degraded` comes and goes, so it is left to the metrics: it neither starts nor ends a complaint. */
const complaintOf = ({ logged, outcomes }: Held, { refused }: Found): string => {
  const state = judged(outcomes)
  if (state === "unauthorized") return `the gateway's credentials are refused: ${refused.join(", ")}`
  if (state === "down") return down
  return state === "degraded" ? logged : fine
}
