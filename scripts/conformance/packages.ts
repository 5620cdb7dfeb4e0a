import { existsSync } from "node:fs"
import { join } from "node:path"

// The suites that are npm packages: `npm run conformance` and scripts/parts/conformance.sh install them here, from the
// lock file in this folder.

const folder = join(import.meta.dirname, "node_modules")

/** Whether they are installed. */
export const isHere: boolean = existsSync(join(folder, ".package-lock.json"))

/** The program of the MCP conformance suite. */
export const mcpSuite: string = join(folder, "@modelcontextprotocol/conformance/dist/index.js")

/** The program of Prism. */
export const prism: string = join(folder, "@stoplight/prism-cli/dist/index.js")
