import { Budget } from "@portico/domain/tenants/Budget"
import { gatewaySettings } from "@portico/simulator/settings"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import * as transport from "@portico/simulator/transport"
import * as MemoryStore from "@portico/testing/store/MemoryStore"
import * as Upstreams from "@portico/upstream/Upstreams"
import { ConfigProvider, Layer } from "effect"
import { Company, reachable } from "./company.ts"
import { CompanySteps } from "./steps.ts"

const settings = {
  ...gatewaySettings(transport.memoryUrl),
  CMDB_URL: "http://cmdb.example",
  CMDB_TOKEN: "a token of the inventory",
  SELLABLE_CORES: "1024",
  SELLABLE_RAM_GIB: "2048",
  SELLABLE_BLOCK_GIB: "10000",
  SELLABLE_OBJECT_GIB: "4000",
  SELLABLE_FLOATING_IPS: "200"
}

/** Onboarding with both steps, against a cloud and a company in memory. */
export const Simulated = CompanySteps.pipe(
  Layer.provideMerge(Layer.mergeAll(Upstreams.layer, Budget.layer)),
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(settings))),
  Layer.provide(reachable.pipe(Layer.provide(transport.layer))),
  Layer.provideMerge(Layer.mergeAll(Company.layer, SimulatedCloud.layerMemory, MemoryStore.layer))
)
