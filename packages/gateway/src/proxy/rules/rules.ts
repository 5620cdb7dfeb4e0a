import { destructiveActs } from "./destructiveActs.ts"
import { externalGateways } from "./externalGateways.ts"
import { imageImports } from "./imageImports.ts"
import { imageLocations } from "./imageLocations.ts"
import { othersTags } from "./othersTags.ts"
import { othersThings } from "./othersThings.ts"
import { platformActs } from "./platformActs.ts"
import type { Rule } from "./Rule.ts"
import { secretPayloads } from "./secretPayloads.ts"
import { suspension } from "./suspension.ts"
import { worldOpenSsh } from "./worldOpenSsh.ts"

/** What the proxy holds every call to, in this order: of the tier a caller is told before anything else. */
export const rules: ReadonlyArray<Rule> = [
  destructiveActs,
  suspension,
  worldOpenSsh,
  externalGateways,
  imageLocations,
  imageImports,
  secretPayloads,
  othersThings,
  othersTags,
  platformActs
]
