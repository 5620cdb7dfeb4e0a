import type { Failure } from "@portico/contract/Failures"
import { clusterBody } from "@portico/contract/failures/clusterStatus"
import { statuses } from "@portico/contract/failures/Resource"
import type { ClusterStatus } from "@portico/contract/Kubernetes"

/** Renders a failure for clients of the API server; see {@link ClusterStatus}. */
export const clusterStatus = (failure: Failure): { readonly status: number; readonly body: ClusterStatus } => {
  const status = statuses[failure._tag]
  const detail = typeof failure.detail === "string" ? failure.detail : JSON.stringify(failure.detail)
  return { status, body: clusterBody(status, failure.code, detail) }
}
