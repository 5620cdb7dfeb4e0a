import type { Incoming } from "../Wire.ts"
import { apiVersionOf, type Kind } from "./kinds.ts"
import type { Writer } from "./managed.ts"
import type { Identity } from "./rbac.ts"
import type { ResourceRequest } from "./requestInfo.ts"
import type { KubernetesState } from "./state.ts"

/** A request about a kind, from somebody who may make it. */
export interface Request {
  readonly incoming: Incoming
  readonly state: KubernetesState
  readonly now: number
  readonly who: Identity
  readonly kind: Kind
  readonly info: ResourceRequest
}

/** Checked, answered, and not stored. */
export const isDryRun = ({ incoming }: Request): boolean => incoming.query.getAll("dryRun").includes("All")

/** The manager that the client names, or the program that its user agent names. */
export const writerOf = ({ incoming, info, kind, now }: Request, operation: Writer["operation"]): Writer => ({
  manager:
    incoming.query.get("fieldManager") || (incoming.headers["user-agent"] ?? "unknown").split("/")[0] || "unknown",
  operation,
  apiVersion: apiVersionOf(kind),
  subresource: info.subresource,
  now
})
