import * as MemoryStore from "@portico/testing/store/MemoryStore"
import { gatewaySettings } from "@portico/simulator/settings"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import * as transport from "@portico/simulator/transport"
import * as SimulatedResolver from "./SimulatedResolver.ts"
import * as Upstreams from "@portico/upstream/Upstreams"
import { ConfigProvider, Layer } from "effect"
import { ClosureWindow } from "@portico/domain/accounts/ClosureWindow"
import { Callers } from "@portico/domain/access/Callers"
import { Archives } from "@portico/domain/databases/Archives"
import { DnsSettings } from "@portico/domain/dns/DnsSettings"
import { ClusterSettings } from "@portico/domain/kubernetes/ClusterSettings"
import { EdgeSettings } from "@portico/domain/edge/EdgeSettings"
import { Bus } from "@portico/domain/events/Bus"
import { Components } from "@portico/domain/health/Components"
import { RunToCompletion } from "@portico/domain/RunToCompletion"
import { RegistryTokens } from "@portico/domain/registry/RegistryTokens"
import { SignupLimits } from "@portico/domain/signups/SignupLimits"
import { Budget } from "@portico/domain/tenants/Budget"
import { KeySets } from "@portico/domain/workloadIdentity/KeySets"

/** A budget in which ten extensions fit. */
const settings = {
  ...gatewaySettings(transport.memoryUrl),
  SELLABLE_CORES: "1280",
  SELLABLE_RAM_GIB: "2560",
  SELLABLE_BLOCK_GIB: "12000",
  SELLABLE_OBJECT_GIB: "3000",
  SELLABLE_FLOATING_IPS: "160"
}

/** What outlives a process: the cloud, and the store in memory. */
export const Cloud = transport.layer.pipe(
  Layer.provideMerge(SimulatedCloud.layerMemory),
  Layer.provideMerge(MemoryStore.layer)
)

/**
 * One process of the gateway: the upstream clients with all that they
 * remember, and the domain's services.
 *
 * @param more settings beside the usual ones
 */
export const processWith = (more: Readonly<Record<string, string>>) =>
  Layer.mergeAll(
    RegistryTokens.layer,
    KeySets.layer,
    RunToCompletion.layer,
    Bus.layer,
    Budget.layer,
    ClosureWindow.layer,
    EdgeSettings.layer,
    ClusterSettings.layer,
    DnsSettings.layer,
    Archives.layer,
    SignupLimits.layer,
    Components.layer
  ).pipe(
    Layer.provideMerge(Callers.layer),
    Layer.provideMerge(Layer.merge(Upstreams.layer, SimulatedResolver.layer)),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ ...settings, ...more })))
  )

export const Process = processWith({})

/** Everything below the domain: the upstream clients over a simulated cloud, and the store in memory. */
export const simulatedWith = (more: Readonly<Record<string, string>>) => Layer.provideMerge(processWith(more), Cloud)

export const Simulated = Layer.provideMerge(Process, Cloud)
