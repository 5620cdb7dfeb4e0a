import { statuses } from "@portico/contract/failures/Resource"
import type { Failure } from "@portico/contract/Failures"
import type { ClusterStatus } from "@portico/contract/Kubernetes"

/** The API server's reason for a status. It never answers 502 itself. */
const reasons: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  413: "RequestEntityTooLarge",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable"
}

/** Renders a failure for clients of the API server; see {@link ClusterStatus}. */
export const clusterStatus = (failure: Failure): { readonly status: number; readonly body: ClusterStatus } => {
  const { code } = failure
  const status = statuses[failure._tag]
  const detail = typeof failure.detail === "string" ? failure.detail : JSON.stringify(failure.detail)
  const reason = reasons[status]
  return {
    status,
    body: {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: detail,
      ...(reason === undefined ? {} : { reason }),
      details: { causes: [{ reason: code, message: detail }] },
      code: status,
      detail
    }
  }
}
