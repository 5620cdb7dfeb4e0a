import type { Incoming } from "../Wire.ts"
import { apiVersionOf, type Kind } from "./kinds.ts"
import type { Writer } from "./managedFields.ts"
import type { Identity } from "./rbac.ts"
import type { ResourceRequest } from "./requestInfo.ts"
import type { KubernetesState } from "./state.ts"

/** An authorized request about a kind. */
export interface Request {
  readonly incoming: Incoming
  readonly state: KubernetesState
  readonly now: number
  readonly who: Identity
  readonly kind: Kind
  readonly info: ResourceRequest
}

/** Dry run: validated and answered, not stored. */
export const isDryRun = ({ incoming }: Request): boolean => incoming.query.getAll("dryRun").includes("All")

/** The field manager of the query, by default the program of the user agent. */
export const writerOf = ({ incoming, info, kind, now }: Request, operation: Writer["operation"]): Writer => ({
  manager:
    incoming.query.get("fieldManager") || (incoming.headers["user-agent"] ?? "unknown").split("/")[0] || "unknown",
  operation,
  apiVersion: apiVersionOf(kind),
  subresource: info.subresource,
  now
})
