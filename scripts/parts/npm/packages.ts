import { existsSync } from "node:fs"
import { join } from "node:path"

// Packages that few stories use: scripts/parts/npm.sh installs them here, from the lock file in this folder.

/** Where the packages are, once they are installed. */
export const folder = join(import.meta.dirname, "node_modules")

/** Whether they are installed. */
export const isHere: boolean = existsSync(join(folder, ".package-lock.json"))

/** The name that a story has without them, so that nobody takes it for passed. */
export const named = (title: string): string =>
  isHere ? title : `${title}: NOT RUN, scripts/parts/npm.sh HAS NOT INSTALLED ITS PACKAGES`

export const heyApi = () => import("@hey-api/openapi-ts")
export const openapiTypescript = () => import("openapi-typescript")
export const redocly = () => import("@redocly/openapi-core")
export const tokenizer = () => import("gpt-tokenizer/encoding/o200k_base")
