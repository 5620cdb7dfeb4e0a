import { ClosureWindow } from "@portico/domain/accounts/ClosureWindow"
import { Callers } from "@portico/domain/access/Callers"
import { Sessions } from "@portico/domain/console/Sessions"
import { Archives } from "@portico/domain/databases/Archives"
import { DnsSettings } from "@portico/domain/dns/DnsSettings"
import { EdgeSettings } from "@portico/domain/edge/EdgeSettings"
import { Bus } from "@portico/domain/events/Bus"
import { Components } from "@portico/domain/health/Components"
import { ClusterSettings } from "@portico/domain/kubernetes/ClusterSettings"
import { OnboardingSteps } from "@portico/domain/onboarding/Step"
import { Surveys } from "@portico/domain/projects/survey"
import { RegistryTokens } from "@portico/domain/registry/RegistryTokens"
import { RunToCompletion } from "@portico/domain/work/RunToCompletion"
import { MailLimits } from "@portico/domain/MailLimits"
import { SignupLimits } from "@portico/domain/signups/SignupLimits"
import { Budget } from "@portico/domain/tenants/Budget"
import { TierTags } from "@portico/domain/tenants/TierTags"
import { KeySets } from "@portico/domain/workloadIdentity/KeySets"
import { gatewaySettings } from "@portico/simulator/settings"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import * as transport from "@portico/simulator/transport"
import type { Company } from "@portico/simulator/Wire"
import { makeWorld } from "@portico/simulator/World"
import * as Upstreams from "@portico/upstream/Upstreams"
import { ConfigProvider, Context, Effect, Layer } from "effect"
import * as MemoryStore from "../store/MemoryStore.ts"
import * as SimulatedResolver from "./SimulatedResolver.ts"

type Settings = Readonly<Record<string, string>>

/**
 * The object storage, whose host the gateway looks up for its network policies. A name would be asked for on the real
 * network and in real time; an address is not.
 */
export const objectStorageUrl = "http://127.0.0.1/rgw"

/** A budget in which ten extensions fit. */
const usual: Settings = {
  ...gatewaySettings(transport.memoryUrl),
  RGW_URL: objectStorageUrl,
  SELLABLE_CORES: "1280",
  SELLABLE_RAM_GIB: "2560",
  SELLABLE_BLOCK_GIB: "12000",
  SELLABLE_OBJECT_GIB: "3000",
  SELLABLE_FLOATING_IPS: "160"
}

/**
 * What outlives a process: the cloud, and the store in memory.
 *
 * @param company makes the company's own upstreams, which start empty
 */
const cloudWith = (company?: () => Company) =>
  transport.layer.pipe(
    Layer.provideMerge(Layer.sync(SimulatedCloud, () => SimulatedCloud.make(makeWorld(), company))),
    Layer.provideMerge(MemoryStore.layer)
  )

export const Cloud = cloudWith()

/** The upstream clients with all that they remember, and the domain's services. They read their settings from the context. */
const services = Layer.mergeAll(
  RegistryTokens.layer,
  KeySets.layer,
  Layer.provideMerge(Sessions.layer, RunToCompletion.layer),
  Bus.layer,
  Budget.layer,
  TierTags.layer,
  ClosureWindow.layer,
  EdgeSettings.layer,
  ClusterSettings.layer,
  DnsSettings.layer,
  Archives.layer,
  MailLimits.layer,
  SignupLimits.layer,
  Surveys.layer,
  Components.layer
).pipe(Layer.provideMerge(Callers.layer), Layer.provideMerge(Layer.merge(Upstreams.layer, SimulatedResolver.layer)))

/** Onboarding steps with their clients. They may use what the gateway has, and what it is built over. */
export type Onboarding = Layer.Layer<
  never,
  Layer.Error<typeof services>,
  Layer.Success<typeof services> | Layer.Services<typeof services>
>

/**
 * One process of the gateway, without its HTTP server.
 *
 * @param settings beside the usual ones
 * @param onboarding steps beside the built-in ones
 */
export const processWith = (settings: Settings, onboarding: Onboarding = Layer.empty) =>
  onboarding.pipe(
    Layer.provideMerge(services),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ ...usual, ...settings })))
  )

export const Process = processWith({})

/** How another process of the same gateway begins: over the same cloud and store, with clients and a memory of its own. */
export class AnotherProcess extends Context.Reference<typeof Process>("portico/testing/AnotherProcess", {
  defaultValue: () => Process
}) {}

/**
 * Builds another process beside that of the context, until the scope is closed. Its steps are its own: those of the
 * context would be there twice.
 */
export const buildAnotherProcess = Effect.flatMap(AnotherProcess, (_) => Layer.build(Layer.fresh(_))).pipe(
  Effect.provideService(OnboardingSteps, [])
)

/**
 * Everything below the domain: a process of the gateway over a simulated cloud,
 * and the store in memory. Each test that it is provided to gets its own.
 */
export const simulatedWith = (
  settings: Settings,
  own: { readonly onboarding?: Onboarding; readonly company?: () => Company } = {}
) => {
  const process = processWith(settings, own.onboarding)
  return process.pipe(
    Layer.provideMerge(cloudWith(own.company)),
    Layer.provideMerge(Layer.succeed(AnotherProcess, process))
  )
}

export const Simulated = simulatedWith({})
