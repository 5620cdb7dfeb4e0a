import { Result } from "effect"
import { entry } from "../../Json.ts"
import type { Answer, Step } from "../../Wire.ts"
import { toMicrosUtc } from "../../times.ts"
import { byBytes } from "../percent.ts"
import type { CorsRule } from "../state.ts"
import { bare, document, refuseS3 } from "./answers.ts"
import { bucketFor, ownBucket } from "./access.ts"
import { bodyText, type S3Request } from "./request.ts"
import { childrenOf, type Element, parsed, textIn, type Xml } from "./xml.ts"

const mostRules = 100
const longestId = 255
const beyondMaxAge = 2 ** 32

/** In the order of the document. COPY is RGW's own. */
const methods: ReadonlyArray<string> = ["GET", "PUT", "DELETE", "HEAD", "POST", "COPY"]

const textsIn = (rule: Element, name: string): ReadonlyArray<string> => childrenOf(rule, name).map((_) => _.text)

/** The real service keeps origins and headers as sets. */
const asSet = (texts: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(texts)].toSorted(byBytes)

const isName = (text: string): boolean => text !== "" && text.split("*").length <= 2

/** Undefined for a rule that the service does not read. */
const ruleOf = (rule: Element): CorsRule | undefined => {
  const named = textsIn(rule, "AllowedMethod").map((_) => _.toUpperCase())
  const [origins, headers] = [textsIn(rule, "AllowedOrigin"), textsIn(rule, "AllowedHeader")]
  const [id, age] = [textIn(rule, "ID") ?? "", textIn(rule, "MaxAgeSeconds")]
  const isRead =
    named.every((_) => methods.includes(_)) &&
    id.length <= longestId &&
    origins.length > 0 &&
    [...origins, ...headers].every(isName) &&
    (age === undefined || /^\d*$/.test(age))
  if (!isRead) return undefined
  return {
    id,
    methods: methods.filter((_) => named.includes(_)),
    origins: asSet(origins),
    headers: asSet(headers),
    exposed: textsIn(rule, "ExposeHeader"),
    maxAge: age === undefined || Number(age) >= beyondMaxAge ? null : Number(age)
  }
}

const rulesOf = (request: S3Request): Step<ReadonlyArray<CorsRule>> => {
  const root = parsed(bodyText(request))
  const rules =
    Result.isSuccess(root) && root.success.name === "CORSConfiguration"
      ? childrenOf(root.success, "CORSRule").map(ruleOf)
      : []
  const read = rules.filter((_) => _ !== undefined)
  if (read.length === 0 || read.length < rules.length) return refuseS3("InvalidArgument", request.bucket)
  return read.length > mostRules
    ? refuseS3(
        "InvalidRequest",
        request.bucket,
        `The number of CORS rules should not exceed allowed limit of ${mostRules} rules.`
      )
    : Result.succeed(read)
}

export const putCors = (request: S3Request): Step<Answer> =>
  Result.gen(function* () {
    const { bucket } = yield* ownBucket(request)
    bucket.cors = yield* rulesOf(request)
    bucket.mtime = toMicrosUtc(request.incoming.now)
    return bare(200, { "content-type": "application/xml" })
  })

const ruleXml = (rule: CorsRule): Xml => [
  "CORSRule",
  [
    ...(rule.id === "" ? [] : [["ID", rule.id] as const]),
    ...rule.methods.map((_) => ["AllowedMethod", _] as const),
    ...rule.origins.map((_) => ["AllowedOrigin", _] as const),
    ...rule.headers.map((_) => ["AllowedHeader", _] as const),
    ...(rule.maxAge === null ? [] : [["MaxAgeSeconds", rule.maxAge] as const]),
    ...rule.exposed.map((_) => ["ExposeHeader", _] as const)
  ]
]

export const getCors = (request: S3Request): Step<Answer> =>
  Result.flatMap(ownBucket(request), ({ bucket }) =>
    bucket.cors === undefined
      ? refuseS3("NoSuchCORSConfiguration", bucket.bucket)
      : Result.succeed(document(["CORSConfiguration", bucket.cors.map(ruleXml)]))
  )

/** A bucket without a configuration is no error. */
export const deleteCors = (request: S3Request): Step<Answer> =>
  Result.map(ownBucket(request), ({ bucket }) => {
    if (bucket.cors !== undefined) bucket.mtime = toMicrosUtc(request.incoming.now)
    delete bucket.cors
    return bare(204)
  })

/** One `*` stands for any text. */
const matches = (pattern: string, text: string): boolean => {
  const [start = "", end] = pattern.split("*")
  return end === undefined
    ? pattern === text
    : text.length >= start.length + end.length && text.startsWith(start) && text.endsWith(end)
}

/** The first rule of the origin; later rules of the same origin are not looked at. */
const ruleFor = (rules: ReadonlyArray<CorsRule>, origin: string): CorsRule | undefined =>
  rules.find((_) => _.origins.some((pattern) => matches(pattern, origin)))

const namesIn = (header: string | undefined): ReadonlyArray<string> =>
  (header ?? "").split(/[,;\s]+/).filter((_) => _ !== "")

const takes = ({ headers }: CorsRule, name: string): boolean =>
  headers.some((_) => matches(_.toLowerCase(), name.toLowerCase()))

interface Granted {
  readonly rule: CorsRule
  readonly origin: string
  readonly method: string
  readonly requested: ReadonlyArray<string>
}

const headersOf = ({ method, origin, requested, rule }: Granted): Readonly<Record<string, string>> => {
  const allowed = requested.filter((_) => takes(rule, _))
  return {
    "access-control-allow-origin": origin,
    ...(origin === "*" ? {} : { vary: "Origin" }),
    "access-control-allow-methods": method,
    ...(allowed.length === 0 ? {} : { "access-control-allow-headers": allowed.join(",") }),
    ...(rule.exposed.length === 0 ? {} : { "access-control-expose-headers": rule.exposed.join(",") }),
    ...(rule.maxAge === null ? {} : { "access-control-max-age": String(rule.maxAge) })
  }
}

/**
 * The answer to a browser that asks before a request. It has no signature of its own; a key in the address of the
 * request that follows says whose RGW tenant the bucket is in.
 */
export const preflight = (request: S3Request): Step<Answer> =>
  Result.gen(function* () {
    const { bucket } = yield* bucketFor(request)
    const { headers } = request.incoming
    const { "access-control-request-method": method, origin } = headers
    if (origin === undefined || method === undefined) return yield* refuseS3("InvalidArgument", bucket.bucket)
    const rule = ruleFor(bucket.cors ?? [], origin)
    const requested = namesIn(headers["access-control-request-headers"])
    return rule?.methods.includes(method) === true && requested.every((_) => takes(rule, _))
      ? bare(200, headersOf({ rule, origin, method, requested }))
      : yield* refuseS3("AccessDenied", bucket.bucket)
  })

/** The answer to a page of another origin: its browser shows it to the page only with these headers. */
export const withCors = ({ bucket, incoming, rgw, tenant }: S3Request, answer: Answer): Answer => {
  const { headers, method: sent } = incoming
  const { authorization, origin } = headers
  if (origin === undefined || sent === "OPTIONS") return answer
  const rule = ruleFor(entry(rgw.buckets, `${tenant}/${bucket}`)?.cors ?? [], origin)
  const method = headers["access-control-request-method"] ?? sent
  if (rule === undefined || !rule.methods.includes(method)) return answer
  const shown = authorization === undefined && rule.origins.includes("*") ? "*" : origin
  const requested = namesIn(headers["access-control-request-headers"])
  return { ...answer, headers: { ...answer.headers, ...headersOf({ rule, origin: shown, method, requested }) } }
}
