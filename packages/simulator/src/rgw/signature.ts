import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import { Result } from "effect"
import type { Incoming } from "../Wire.ts"
import { refuse, type Step } from "./errors.ts"
import type { RgwUser } from "./state.ts"

const algorithm = "AWS4-HMAC-SHA256"
const skewMillis = 15 * 60 * 1000

const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex")
const hmac = (key: string | Buffer, data: string): Buffer => createHmac("sha256", key).update(data).digest()

interface Authorization {
  readonly accessKey: string
  /** `date/region/service/aws4_request`. */
  readonly scope: string
  readonly signedHeaders: string
  readonly signature: string
}

const readAuthorization = (header: string): Authorization | undefined => {
  const fields = new Map(
    header
      .slice(algorithm.length)
      .split(",")
      .map((_) => {
        const [name = "", ...value] = _.trim().split("=")
        return [name, value.join("=")]
      })
  )
  const [credential, signedHeaders, signature] = ["Credential", "SignedHeaders", "Signature"].map((_) => fields.get(_))
  if (credential === undefined || signedHeaders === undefined || signature === undefined) return undefined
  const parts = credential.split("/")
  if (parts.length < 5) return undefined
  return { accessKey: parts.slice(0, -4).join("/"), scope: parts.slice(-4).join("/"), signedHeaders, signature }
}

/** RFC 3986, of a piece that was read with its escapes. */
const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (_) => `%${_.charCodeAt(0).toString(16).toUpperCase()}`)

const decode = (text: string): string => (/%(?![0-9a-fA-F]{2})/.test(text) ? text : decodeURIComponent(text))

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Flags without a value are signed with an empty one; the order is that of the names, not of the whole text. */
const canonicalQuery = (query: string): string =>
  query
    .split("&")
    .filter((_) => _ !== "")
    .map((_): readonly [string, string] => {
      const [name = "", ...value] = _.split("=")
      return [encode(decode(name)), encode(decode(value.join("=")))]
    })
    .toSorted(([a, x], [b, y]) => byText(a, b) || byText(x, y))
    .map((_) => _.join("="))
    .join("&")

const canonicalRequest = ({ headers, method, target }: Incoming, signedHeaders: string, payload: string): string => {
  const [path = "", ...query] = target.split("?")
  const lines = signedHeaders.split(";").map((_) => `${_}:${(headers[_] ?? "").trim().replaceAll(/ +/g, " ")}\n`)
  return [method, path, canonicalQuery(query.join("?")), lines.join(""), signedHeaders, payload].join("\n")
}

const expected = (request: string, secret: string, time: string, scope: string): string => {
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

/**
 * The user who signed the request: Signature Version 4 in the header form.
 * The order of the refusals is the service's: time, key, signature, suspension.
 */
export const signer = (incoming: Incoming): Step<RgwUser> => {
  const { body, headers, now, world } = incoming
  const header = headers["authorization"] ?? ""
  if (header === "") return refuse("AccessDenied")
  const given = header.startsWith(algorithm) ? readAuthorization(header) : undefined
  const time = headers["x-amz-date"] ?? ""
  const millis = millisOf(time)
  if (given === undefined) return refuse("InvalidArgument")
  if (millis === undefined || !given.signedHeaders.split(";").includes("host")) return refuse("AccessDenied")
  if (Math.abs(now - millis) > skewMillis) return refuse("RequestTimeTooSkewed")
  const user = Object.values(world.rgw.users).find((_) => _.keys.some((key) => key.access_key === given.accessKey))
  const key = user?.keys.find((_) => _.access_key === given.accessKey)
  if (user === undefined || key === undefined) return refuse("InvalidAccessKeyId")
  const payload = headers["x-amz-content-sha256"] ?? sha256("")
  const request = canonicalRequest(incoming, given.signedHeaders, payload)
  if (!same(expected(request, key.secret_key, time, given.scope), given.signature))
    return refuse("SignatureDoesNotMatch")
  // The service takes a body under a hash for uploads alone, not for its own administration.
  if (payload !== "UNSIGNED-PAYLOAD") {
    if (body.length > 0) return refuse("NotImplemented")
    if (payload !== sha256(body)) return refuse("XAmzContentSHA256Mismatch")
  }
  return user.suspended ? refuse("UserSuspended") : Result.succeed(user)
}
