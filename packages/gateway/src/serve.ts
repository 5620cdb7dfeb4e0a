import * as Store from "@portico/store/Store"
import { Console, Effect, Layer } from "effect"
import * as Gateway from "./Gateway.ts"
import { launch } from "./launch.ts"
import * as Logs from "./observability/logs.ts"
import { processes } from "./settings/processes.ts"
import * as SettingsCheck from "./settings/check.ts"
import * as UnknownSettings from "./settings/unknown.ts"
import { AgentAddress, CustomerAddress, OperatorAddress } from "./Planes.ts"
import { stopAsked, threadData, threadLayer } from "./threads/worker.ts"
import { Workers } from "./threads/Workers.ts"

/** Standard output carries one line with the addresses of the planes. The log goes to standard error. */
export const Announcement = Layer.effectDiscard(
  Effect.gen(function* () {
    const customer = yield* CustomerAddress
    const operator = yield* OperatorAddress
    const agent = yield* AgentAddress
    yield* Console.log(JSON.stringify({ customer_url: customer.url, operator_url: operator.url, agent_url: agent.url }))
  })
)

/** The platform's own onboarding steps, see {@link Gateway.layerWith}. */
interface Options<E> {
  readonly onboarding?: Layer.Layer<never, E, Gateway.OnboardingServices>
}

/**
 * Runs the gateway in production until SIGTERM or Ctrl-C: live upstreams, PostgreSQL at `DATABASE_URL`, every setting
 * from the environment.
 *
 * With `PORTICO_PROCESSES` above 1 so many threads run the same program and serve the plane of tenants, one of them that of
 * agents too. This one has the plane of operators and the background jobs.
 */
export const serve = <E = never>(options: Options<E> = {}): void =>
  threadData === undefined ? serveProcess(options) : serveInThread(options, threadData)

const serveProcess = <E>(options: Options<E>): void =>
  Announcement.pipe(
    Layer.provide(
      Layer.unwrap(
        Effect.map(processes, (count) =>
          count === 1
            ? Gateway.layerWith(options)
            : Gateway.layerWithWorkers(options).pipe(
                Layer.provide(Workers.metrics),
                Layer.provide(Workers.layer(count))
              )
        )
      )
    ),
    Layer.provide(Store.layer),
    Layer.provide(SettingsCheck.layer),
    // Before the check, because a misspelled setting is often the reason why one is missing.
    Layer.provide(UnknownSettings.layer),
    Layer.provide(Logs.layer),
    launch
  )

const serveInThread = <E>(options: Options<E>, data: NonNullable<typeof threadData>): void =>
  launch(
    Gateway.layerOfThread(options, data.index).pipe(
      Layer.provide(Store.layer),
      Layer.provide(threadLayer(data)),
      Layer.provide(Logs.layer)
    ),
    stopAsked
  )
