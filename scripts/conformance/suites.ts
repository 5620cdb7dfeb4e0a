import type { NodeServices } from "@effect/platform-node"
import type { Effect, Scope } from "effect"
import type { Outcome, Reason } from "../difference.ts"
import { reasons as mcpReasons } from "./mcp/reasons.ts"
import { runMcp } from "./mcp/run.ts"
import { isHere as isOciHere, runOci } from "./oci/run.ts"
import { isHere } from "./packages.ts"
import { reasons as prismReasons } from "./prism/reasons.ts"
import { runPrism } from "./prism/run.ts"

/** A suite by others. */
export interface Suite {
  /** What it shows of the gateway. */
  readonly shows: string
  /** Whether all that it needs is installed. */
  readonly isHere: boolean
  readonly run: Effect.Effect<Outcome, unknown, NodeServices.NodeServices | Scope.Scope>
  /** What it cannot show or does not accept here. */
  readonly reasons: ReadonlyArray<Reason>
}

/** By the names under which `npm run conformance` has them. */
export const suites: ReadonlyMap<string, Suite> = new Map([
  ["mcp", { shows: "MCP's own suite passes at the agents' endpoint", isHere, run: runMcp, reasons: mcpReasons }],
  [
    "oci",
    {
      shows: "OCI's suite shows of a registry with our tokens what it shows without",
      isHere: isOciHere,
      run: runOci,
      reasons: []
    }
  ],
  [
    "prism",
    {
      shows: "Prism finds every request and answer as the documents have it",
      isHere,
      run: runPrism,
      reasons: prismReasons
    }
  ]
])
