import { Result } from "effect"
import { type Answer, json } from "../Wire.ts"

/** One step of a call: what it yields, or the answer that ends the call. */
export type Step<A> = Result.Result<A, Answer>

const statuses = {
  AccessDenied: 403,
  BucketAlreadyExists: 409,
  BucketNotEmpty: 409,
  EmailExists: 409,
  EntityTooLarge: 400,
  InvalidAccessKeyId: 403,
  InvalidArgument: 400,
  InvalidTenantName: 400,
  KeyExists: 409,
  MethodNotAllowed: 405,
  NoSuchBucket: 404,
  NoSuchUser: 404,
  NotImplemented: 501,
  RequestTimeTooSkewed: 403,
  SignatureDoesNotMatch: 403,
  UserAlreadyExists: 409,
  UserSuspended: 403,
  XAmzContentSHA256Mismatch: 400
} as const

/** The admin API's own body: a code, no envelope and no explanation. */
export const refuse = (code: keyof typeof statuses): Step<never> =>
  Result.fail(
    json(statuses[code], {
      Code: code,
      RequestId: "tx000000000000000000001-0000000001-1001-default",
      HostId: "1001-default-default"
    })
  )
