import { externalGatewaySpellings } from "./externalGateways.spellings.ts"
import { imageDeviceSpellings } from "./imageDevices.spellings.ts"
import { imageImportSpellings } from "./imageImports.spellings.ts"
import { imageLocationSpellings } from "./imageLocations.spellings.ts"
import { secretPayloadSpellings } from "./secretPayloads.spellings.ts"
import type { Spelling } from "./Spelling.ts"
import { worldOpenSshSpellings } from "./worldOpenSsh.spellings.ts"

/** Every way to write a request that a rule has something to say about, and its harmless neighbours. */
export const spellings: ReadonlyArray<Spelling> = [
  ...worldOpenSshSpellings,
  ...externalGatewaySpellings,
  ...imageLocationSpellings,
  ...imageImportSpellings,
  ...imageDeviceSpellings,
  ...secretPayloadSpellings
]
