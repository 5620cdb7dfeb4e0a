import type { ShownCall } from "../api/shownCalls.ts"
import type { PlatformWrite } from "./usePlatform.ts"

/** An act as "copy as" shows it. */
export const shown = ({ body, method, path }: PlatformWrite): ShownCall => ({
  method,
  path: `/v1/iaas/${path}`,
  ...(body === undefined ? {} : { body })
})
