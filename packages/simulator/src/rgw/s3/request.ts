import { Result } from "effect"
import type { Incoming } from "../../Wire.ts"
import { refuse, type Step } from "../errors.ts"
import { percentDecoded, textOf } from "../percent.ts"
import { sha256, type Signed, signedBy, unsigned } from "../signature.ts"
import type { RgwState, RgwUser } from "../state.ts"
import { refuseS3 } from "./answers.ts"

const longestKey = 1024

/** A call to S3 of somebody who is known, or of nobody. */
export interface S3Request {
  readonly incoming: Incoming
  readonly query: URLSearchParams
  readonly rgw: RgwState
  /** Undefined for a request without a signature. */
  readonly user: RgwUser | undefined
  /** As the path names it, without an RGW tenant; empty for the service itself. */
  readonly bucket: string
  /** The RGW tenant in which the bucket is looked for: that of the user, unless the path names one as `tenant:bucket`. */
  readonly tenant: string
  /** Empty for the bucket itself. */
  readonly key: string
}

interface Place {
  readonly tenant: string | undefined
  readonly bucket: string
  /** Undefined when it is no UTF-8. */
  readonly key: string | undefined
}

/** Path style: what stands before the first slash, escaped or not, is the bucket, and all that follows the key, decoded once. */
const placeOf = (path: string): Place => {
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

/** Who asks for what. Time, key and signature are looked at before anything that the path names. */
export const asked = (incoming: Incoming): Step<S3Request> =>
  Result.gen(function* () {
    // Nobody has looked yet at what kind of request this is, and so the refusal is that of the other face.
    if (incoming.path.includes("%00")) return yield* refuse("InvalidRequest")
    const signed = signedBy(incoming)
    if (Result.isFailure(signed)) return yield* refuseS3(signed.failure)
    const { bucket, key, tenant } = placeOf(incoming.path)
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
