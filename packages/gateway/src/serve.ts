import * as Store from "@portico/store/Store"
import { Console, Effect, Layer } from "effect"
import * as Gateway from "./Gateway.ts"
import { launch } from "./launch.ts"
import * as Logs from "./observability/logs.ts"
import * as SettingsCheck from "./settings/check.ts"
import * as UnknownSettings from "./settings/unknown.ts"
import { AgentAddress, CustomerAddress, OperatorAddress } from "./Planes.ts"

/** Standard output carries one line with the addresses of the planes. The log goes to standard error. */
export const Announcement = Layer.effectDiscard(
  Effect.gen(function* () {
    const customer = yield* CustomerAddress
    const operator = yield* OperatorAddress
    const agent = yield* AgentAddress
    yield* Console.log(JSON.stringify({ customer_url: customer.url, operator_url: operator.url, agent_url: agent.url }))
  })
)

/**
 * Runs the gateway in production until SIGTERM or Ctrl-C: live upstreams, PostgreSQL at `DATABASE_URL`, every setting
 * from the environment.
 *
 * @param options.onboarding the platform's own onboarding steps, see {@link Gateway.layerWith}
 */
export const serve = <E = never>(
  options: { readonly onboarding?: Layer.Layer<never, E, Gateway.OnboardingServices> } = {}
): void =>
  Announcement.pipe(
    Layer.provide(Gateway.layerWith(options)),
    Layer.provide(Store.layer),
    Layer.provide(SettingsCheck.layer),
    // Before the check, because a misspelled setting is often the reason why one is missing.
    Layer.provide(UnknownSettings.layer),
    Layer.provide(Logs.layer),
    launch
  )
