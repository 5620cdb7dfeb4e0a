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

/** The body of a failure in the form of the API server's `Status`; see `ClusterStatus` of `Kubernetes.ts`. */
export const clusterBody = <Status extends number>(status: Status, code: string, detail: string) => {
  const reason = reasons[status]
  return {
    kind: "Status" as const,
    apiVersion: "v1" as const,
    metadata: {},
    status: "Failure" as const,
    message: detail,
    ...(reason === undefined ? {} : { reason }),
    details: { causes: [{ reason: code, message: detail }] },
    code: status,
    detail
  }
}
