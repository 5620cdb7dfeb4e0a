import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import { Result } from "effect"
import type { Incoming, Step } from "../Wire.ts"
import { type Code, refuse } from "./errors.ts"
import { canonicalPart, canonicalPath } from "./percent.ts"
import type { RgwState, RgwUser } from "./state.ts"

const algorithm = "AWS4-HMAC-SHA256"
const skewMillis = 15 * 60 * 1000
const longestLifeSeconds = 7 * 24 * 60 * 60

export const unsigned = "UNSIGNED-PAYLOAD"

export const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex")
const hmac = (key: string | Buffer, data: string): Buffer => createHmac("sha256", key).update(data).digest()

interface Authorization {
  readonly accessKey: string
  /** `date/region/service/aws4_request`. */
  readonly scope: string
  readonly signedHeaders: string
  readonly signature: string
  /** `20260131T120000Z`. */
  readonly time: string
  readonly payload: string
}

/** The signer, and the signed hash of the body. */
export interface Signed {
  readonly user: RgwUser
  /** {@link unsigned}, or the body's SHA-256 in hex; any other text is treated as a hash. */
  readonly payload: string
}

const readCredential = (
  credential: string | null | undefined
): Pick<Authorization, "accessKey" | "scope"> | undefined => {
  const parts = (credential ?? "").split("/")
  return parts.length < 5 ? undefined : { accessKey: parts.slice(0, -4).join("/"), scope: parts.slice(-4).join("/") }
}

const readHeader = ({ headers }: Incoming, header: string): Authorization | undefined => {
  const fields = new Map(
    header
      .slice(algorithm.length)
      .split(",")
      .map((_) => {
        const [name = "", ...value] = _.trim().split("=")
        return [name, value.join("=")]
      })
  )
  const credential = readCredential(fields.get("Credential"))
  const [signedHeaders, signature] = [fields.get("SignedHeaders"), fields.get("Signature")]
  if (credential === undefined || signedHeaders === undefined || signature === undefined) return undefined
  const payload = headers["x-amz-content-sha256"] ?? sha256("")
  return { ...credential, signedHeaders, signature, time: headers["x-amz-date"] ?? "", payload }
}

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/**
 * The canonical query: flags have an empty value, and the order is by name. A plus is decoded as a space, so a
 * client that does not escape its plus has signed another query.
 */
const canonicalQuery = (query: string): string =>
  query
    .split("&")
    .filter((_) => _ !== "" && !_.startsWith("X-Amz-Signature="))
    .map((_): readonly [string, string] => {
      const [name = "", ...value] = _.replaceAll("+", "%20").split("=")
      return [canonicalPart(name), canonicalPart(value.join("="))]
    })
    .toSorted(([a, x], [b, y]) => byText(a, b) || byText(x, y))
    .map((_) => _.join("="))
    .join("&")

const canonicalRequest = ({ headers, method, target }: Incoming, { payload, signedHeaders }: Authorization): string => {
  const [path = "", ...query] = target.split("?")
  // A header that is named and absent has no line.
  const lines = signedHeaders
    .split(";")
    .flatMap((_) => (headers[_] === undefined ? [] : [`${_}:${headers[_].trim().replaceAll(/ +/g, " ")}\n`]))
  return [method, canonicalPath(path), canonicalQuery(query.join("?")), lines.join(""), signedHeaders, payload].join(
    "\n"
  )
}

const expected = (request: string, secret: string, { scope, time }: Authorization): string => {
  const text = [algorithm, time, scope, sha256(request)].join("\n")
  const key = scope.split("/").reduce<string | Buffer>((key, part) => hmac(key, part), `AWS4${secret}`)
  return hmac(key, text).toString("hex")
}

/** `20260131T120000Z` in milliseconds. */
const millisOf = (time: string): number | undefined => {
  const found = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(time)?.slice(1).map(Number)
  if (found === undefined) return undefined
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = found
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

const same = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))

type Checked<A> = Result.Result<A, Code>

/** Clients sign with a clock of their own, which stays when that of the cloud is moved on. */
const signersNow = ({ now, world }: Incoming): number => now - world.clock.aheadMillis

const checkHeader = (incoming: Incoming, header: string): Checked<Authorization> => {
  const given = header.startsWith(algorithm) ? readHeader(incoming, header) : undefined
  if (given === undefined) return Result.fail("InvalidArgument")
  const millis = millisOf(given.time)
  if (millis === undefined || !given.signedHeaders.split(";").includes("host")) return Result.fail("AccessDenied")
  return Math.abs(signersNow(incoming) - millis) > skewMillis
    ? Result.fail("RequestTimeTooSkewed")
    : Result.succeed(given)
}

/** A presigned URL: it has its own expiry, and its date may be in the future. Every error has the same code. */
const checkQuery = (incoming: Incoming): Checked<Authorization> => {
  const { headers, query } = incoming
  const credential = readCredential(query.get("X-Amz-Credential"))
  const [signedHeaders, signature] = [query.get("X-Amz-SignedHeaders"), query.get("X-Amz-Signature")]
  const time = query.get("X-Amz-Date") ?? ""
  const millis = millisOf(time)
  const life = query.get("X-Amz-Expires") ?? ""
  const seconds = /^\d+$/.test(life) ? Number(life) : 0
  if (credential === undefined || signedHeaders === null || signature === null) return Result.fail("AccessDenied")
  if (millis === undefined || seconds < 1 || seconds > longestLifeSeconds) return Result.fail("AccessDenied")
  if (signersNow(incoming) >= millis + seconds * 1000) return Result.fail("AccessDenied")
  return Result.succeed({
    ...credential,
    signedHeaders,
    signature,
    time,
    payload: headers["x-amz-content-sha256"] ?? unsigned
  })
}

const keyOf = (rgw: RgwState, accessKey: string) =>
  Object.values(rgw.users)
    .flatMap((user) => user.keys.map((key) => ({ user, key })))
    .find((_) => _.key.access_key === accessKey)

/**
 * The signer of a request, by Signature Version 4 in the header or the query; undefined for an unsigned request.
 * The service checks time, key, signature, in this order.
 */
export const signedBy = (incoming: Incoming): Checked<Signed | undefined> =>
  Result.gen(function* () {
    const header = incoming.headers["authorization"] ?? ""
    const presigned = incoming.query.get("X-Amz-Algorithm") === algorithm
    if (header === "" && !presigned) return undefined
    const given = yield* header === "" ? checkQuery(incoming) : checkHeader(incoming, header)
    const found = keyOf(incoming.world.rgw, given.accessKey)
    if (found === undefined) return yield* Result.fail("InvalidAccessKeyId" as const)
    // The key of a preflight names the tenant of the bucket. Its signature is of the request that follows.
    if (incoming.method === "OPTIONS") return { user: found.user, payload: unsigned }
    const right = expected(canonicalRequest(incoming, given), found.key.secret_key, given)
    if (!same(right, given.signature)) return yield* Result.fail("SignatureDoesNotMatch" as const)
    return { user: found.user, payload: given.payload }
  })

/** The signer of an admin request; unsigned requests are refused. */
export const signer = (incoming: Incoming): Step<RgwUser> => {
  const signed = signedBy(incoming)
  if (Result.isFailure(signed)) return refuse(signed.failure)
  if (signed.success === undefined) return refuse("AccessDenied")
  const { payload, user } = signed.success
  // Only uploads may have a body with a signed hash; administration refuses it.
  if (payload !== unsigned) {
    if (incoming.body.length > 0) return refuse("NotImplemented")
    if (payload !== sha256(incoming.body)) return refuse("XAmzContentSHA256Mismatch")
  }
  return user.suspended ? refuse("UserSuspended") : Result.succeed(user)
}
