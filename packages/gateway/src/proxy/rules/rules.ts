import { autoscalingMetadata } from "./autoscalingMetadata.ts"
import { deniedAreas } from "./deniedAreas.ts"
import { destructiveActs } from "./destructiveActs.ts"
import { externalGateways } from "./externalGateways.ts"
import { gifts } from "./gifts.ts"
import { imageDevices } from "./imageDevices.ts"
import { imageImports } from "./imageImports.ts"
import { imageLocations } from "./imageLocations.ts"
import { foreignTags } from "./foreignTags.ts"
import { foreignResources } from "./foreignResources.ts"
import { platformActs } from "./platformActs.ts"
import type { Rule } from "./Rule.ts"
import { secretPayloads } from "./secretPayloads.ts"
import { suspension } from "./suspension.ts"
import { worldOpenSsh } from "./worldOpenSsh.ts"

/** The rules for every proxied call, in this order: a caller hears of its tier first. */
export const rules: ReadonlyArray<Rule> = [
  destructiveActs,
  deniedAreas,
  imageDevices,
  gifts,
  suspension,
  worldOpenSsh,
  externalGateways,
  imageLocations,
  imageImports,
  secretPayloads,
  autoscalingMetadata,
  foreignResources,
  foreignTags,
  platformActs
]
