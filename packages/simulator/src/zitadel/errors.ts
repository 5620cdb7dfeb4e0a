import { type Answer, json } from "../Wire.ts"

/** An error of the REST gateway: `code` is the gRPC code, the id in brackets identifies the line of code. */
const grpc =
  (status: number, code: number) =>
  (id: string, message: string): Answer =>
    json(status, {
      code,
      message: `${message} (${id})`,
      details: [{ "@type": "type.googleapis.com/zitadel.v1.ErrorDetail", id, message }]
    })

export const invalidArgument = grpc(400, 3)
export const notFound = grpc(404, 5)
export const alreadyExists = grpc(409, 6)
export const permissionDenied = grpc(403, 7)
/** 400, not 412: the gateway has no status of its own for a failed precondition. */
export const failedPrecondition = grpc(400, 9)
export const unauthenticated = grpc(401, 16)

/** An error of the OAuth endpoints, RFC 6749 section 5.2. */
export const oauthError = (
  error: string,
  description: string,
  status = error === "invalid_client" ? 401 : 400
): Answer =>
  json(status, { error, error_description: description }, { "cache-control": "no-store", pragma: "no-cache" })
