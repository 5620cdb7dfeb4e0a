import { externalGateways } from "./externalGateways.ts"
import { imageLocations } from "./imageLocations.ts"
import { othersThings } from "./othersThings.ts"
import type { Rule } from "./Rule.ts"
import { secretPayloads } from "./secretPayloads.ts"
import { suspension } from "./suspension.ts"
import { worldOpenSsh } from "./worldOpenSsh.ts"

/** What the proxy holds every call to. */
export const rules: ReadonlyArray<Rule> = [
  suspension,
  worldOpenSsh,
  externalGateways,
  imageLocations,
  secretPayloads,
  othersThings
]
