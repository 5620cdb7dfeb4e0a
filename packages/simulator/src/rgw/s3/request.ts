import { Result } from "effect"
import type { Incoming, Step } from "../../Wire.ts"
import { refuse } from "../errors.ts"
import { percentDecoded, textOf } from "../percent.ts"
import { sha256, type Signed, signedBy, unsigned } from "../signature.ts"
import type { RgwState, RgwUser } from "../state.ts"
import { refuseS3 } from "./answers.ts"

const longestKey = 1024

/** An S3 call, authenticated or anonymous. */
export interface S3Request {
  readonly incoming: Incoming
  readonly query: URLSearchParams
  readonly rgw: RgwState
  /** Undefined for a request without a signature. */
  readonly user: RgwUser | undefined
  /** As the path names it, without an RGW tenant; empty for the service itself. */
  readonly bucket: string
  /** The RGW tenant of the bucket: the user's, unless the path has one as `tenant:bucket`. */
  readonly tenant: string
  /** Empty for the bucket itself. */
  readonly key: string
}

interface Target {
  readonly tenant: string | undefined
  readonly bucket: string
  /** Undefined when it is no UTF-8. */
  readonly key: string | undefined
}

/**
 * Path style: the text before the first slash, escaped or not, is the bucket, and the rest is the key, decoded
 * once.
 */
const targetOf = (path: string): Target => {
  const [, first = "", rest = ""] = /^\/(.*?)(?:\/|%2F|$)(.*)$/is.exec(path) ?? []
  const name = textOf(percentDecoded(first)) ?? first
  const colon = name.indexOf(":")
  return {
    tenant: colon < 0 ? undefined : name.slice(0, colon),
    bucket: name.slice(colon + 1),
    key: textOf(percentDecoded(rest))
  }
}

const payloadOf = (signed: Signed | undefined): string => signed?.payload ?? unsigned

/** Authenticates a request. Time, key and signature are checked before anything of the path. */
export const asked = (incoming: Incoming): Step<S3Request> =>
  Result.gen(function* () {
    // The service has not yet chosen an API, so the error has the admin API's format.
    if (incoming.path.includes("%00")) return yield* refuse("InvalidRequest")
    const signed = signedBy(incoming)
    if (Result.isFailure(signed)) return yield* refuseS3(signed.failure)
    const { bucket, key, tenant } = targetOf(incoming.path)
    const user = signed.success?.user
    const named = bucket === "" ? undefined : bucket
    if (user?.suspended === true) return yield* refuseS3("UserSuspended", named)
    if (key === undefined || Buffer.byteLength(key) > longestKey) return yield* refuseS3("InvalidObjectName", named)
    const payload = payloadOf(signed.success)
    if (payload !== unsigned && payload !== sha256(incoming.body)) {
      return yield* refuseS3("XAmzContentSHA256Mismatch", named)
    }
    return {
      incoming,
      query: incoming.query,
      rgw: incoming.world.rgw,
      user,
      bucket,
      tenant: tenant ?? user?.tenant ?? "",
      key
    }
  })

export const bodyText = ({ incoming }: S3Request): string => new TextDecoder().decode(incoming.body)
