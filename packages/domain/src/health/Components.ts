import { Tenants } from "@portico/store/Tenants"
import { type Availability, type Probe, type Probed, Probes } from "@portico/upstream/Probes"
import { metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { UpstreamError } from "@portico/upstream/UpstreamError"
import { Cause, Clock, Context, DateTime, Duration, Effect, Layer, Predicate } from "effect"
import { innermost } from "../innermost.ts"
import { judged, type Outcome, remembered, type State } from "./judgement.ts"

/** A component as readiness shows it to operators. */
export interface Component {
  readonly state: State
  /** The words of the last failure, while the component is not `ok`. */
  readonly message: string | null
  /** When it was last looked at; null until then. */
  readonly checked_at: string | null
  readonly warnings: ReadonlyArray<string>
}

/** What does not answer by then has failed. */
const timeLimit = Duration.seconds(5)

/** An answer that takes longer is slow. */
const slowAfter = Duration.seconds(2)

/** Of all components together, so that a round is no burst. */
const atOnce = 8

/** The states that the metric has a series of. */
const counted: ReadonlyArray<State> = ["ok", "degraded", "down", "unauthorized"]

/** What is remembered of a component. */
interface Held {
  readonly probed: Probed
  outcomes: ReadonlyArray<Outcome>
  message: string | null
  checkedAt: number | null
  /** What the log said last: `fine`, or the complaint. */
  logged: string
}

/** What one look at a component found. */
interface Found {
  readonly outcome: Outcome
  readonly message: string | null
  /** Settings that are refused. */
  readonly refused: ReadonlyArray<string>
}

/**
 * What this process found of the systems that it stands on. A background job looks at them, in {@link round}s; a caller
 * reads what was found, and never waits for a system.
 */
export class Components extends Context.Service<
  Components,
  {
    /** Looks at every component once. It never fails. */
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
      // With what counts and traces calls of systems, whichever fiber runs a round.
      const context = yield* Effect.context<never>()
      const held = [...probes.systems, databaseOf(tenants)].map((probed): Held => ({
        probed,
        outcomes: [],
        message: null,
        checkedAt: null,
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

      const look = Effect.fnUntraced(function* (one: Held) {
        const found = worstOf(yield* Effect.forEach(one.probed.probes, probedOnce, { concurrency: "unbounded" }))
        one.outcomes = [found.outcome, ...one.outcomes].slice(0, remembered)
        one.checkedAt = yield* Clock.currentTimeMillis
        if (found.message !== null) one.message = found.message
        return [one, found] as const
      })

      return Components.of({
        round: Effect.forEach(held, look, { concurrency: atOnce }).pipe(
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

const notConfigured: Component = { state: "not configured", message: null, checked_at: null, warnings: [] }

const shown = ({ checkedAt, message, outcomes }: Held): Component => {
  const state = judged(outcomes)
  return {
    state,
    message: state === "ok" ? null : message,
    checked_at: checkedAt === null ? null : DateTime.formatIso(DateTime.makeUnsafe(checkedAt)),
    warnings: []
  }
}

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
  return isRefusal ? { outcome: "refused", message: error.sentence, refused: credentials } : failed(error.sentence)
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

/** The store, judged as the systems are. Its failures are defects elsewhere. */
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
            words: error instanceof Error ? error.message : "the read failed"
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
 * One line for each change for the worse, and one when it is over; failures in between are counted alone. Components
 * that fail for the same reason, such as the platform's services with a wrong control password, share a line.
 */
const logged = Effect.fnUntraced(function* (looked: ReadonlyArray<readonly [Held, Found]>) {
  const news = new Map<string, { readonly components: Array<string>; readonly messages: Set<string> }>()
  for (const [held, found] of looked) {
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

/** `degraded` comes and goes, and is left to the metrics: neither a complaint nor the end of one. */
const complaintOf = ({ logged, outcomes }: Held, { refused }: Found): string => {
  const state = judged(outcomes)
  if (state === "unauthorized") return `the gateway's credentials are refused: ${refused.join(", ")}`
  if (state === "down") return down
  return state === "degraded" ? logged : fine
}
