import { Result } from "effect"
import { json, type Step } from "../Wire.ts"

export const statuses = {
  AccessDenied: 403,
  BadDigest: 400,
  BucketAlreadyExists: 409,
  BucketNotEmpty: 409,
  EmailExists: 409,
  EntityTooLarge: 400,
  EntityTooSmall: 400,
  InternalError: 500,
  InvalidAccessKeyId: 403,
  InvalidArgument: 400,
  InvalidBucketName: 400,
  InvalidDigest: 400,
  InvalidLocationConstraint: 400,
  InvalidObjectName: 400,
  InvalidPart: 400,
  InvalidRange: 416,
  InvalidRequest: 400,
  InvalidTenantName: 400,
  KeyExists: 409,
  MalformedXML: 400,
  MethodNotAllowed: 405,
  MissingContentLength: 411,
  NoSuchBucket: 404,
  NoSuchBucketPolicy: 404,
  NoSuchCORSConfiguration: 404,
  NoSuchKey: 404,
  NoSuchLifecycleConfiguration: 404,
  NoSuchTagSet: 404,
  NoSuchUpload: 404,
  NoSuchUser: 404,
  NotImplemented: 501,
  ObjectLockConfigurationNotFoundError: 404,
  PreconditionFailed: 412,
  QuotaExceeded: 403,
  RequestTimeTooSkewed: 403,
  SignatureDoesNotMatch: 403,
  TooManyBuckets: 400,
  UserAlreadyExists: 409,
  UserSuspended: 403,
  XAmzContentSHA256Mismatch: 400
} as const

export type Code = keyof typeof statuses

export const requestId = "tx000000000000000000001-0000000001-1001-default"
export const hostId = "1001-default-default"

/** The admin API's own body: a code, no envelope and no explanation. */
export const refuse = (code: Code): Step<never> =>
  Result.fail(json(statuses[code], { Code: code, RequestId: requestId, HostId: hostId }))
