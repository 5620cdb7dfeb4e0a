import { Effect, Record, Schema } from "effect"
import { meanings } from "./describe.ts"

/** The limits of a bucket's CORS rules. 100 rules are the object gateway's own limit, and S3's. */
const limits = { rules: 100, perRule: 100, origin: 255, header: 255, maxAge: 2_147_483_647 } as const

const methods = {
  GET: "Downloads and lists.",
  PUT: "Uploads.",
  POST: "Uploads in parts, and forms.",
  DELETE: "Deletions.",
  HEAD: "Metadata without the content."
}

/** The methods that S3 knows in CORS rules. */
export const corsMethods = Record.keys(methods)

const CorsMethod = meanings("A method of the object storage.", methods)

const aWildcard = (text: string): boolean => text.split("*").length <= 2

const Origin = Schema.String.check(
  Schema.makeFilter((_: string) => /^[!-~]+$/.test(_) && _.length <= limits.origin && aWildcard(_), {
    expected: `an origin such as https://app.example with at most one *: 1 to ${limits.origin} printable characters`
  })
)

const token = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/

const AllowedHeader = Schema.String.check(
  Schema.makeFilter((_: string) => token.test(_) && _.length <= limits.header && aWildcard(_), {
    expected: `the name of a header with at most one *: 1 to ${limits.header} characters`
  })
)

const ExposedHeader = Schema.String.check(
  Schema.makeFilter((_: string) => token.test(_) && _.length <= limits.header && !_.includes("*"), {
    expected: `the name of a header: 1 to ${limits.header} characters`
  })
)

const words = {
  allowed_origins:
    "The origins of the pages that the rule is for, such as `https://app.example`. One `*` stands for any text; `*` " +
    "alone is every origin.",
  allowed_methods: "The methods that these pages may use.",
  allowed_headers:
    "The request headers that these pages may send. One `*` stands for any text; `*` alone is every header. Upper " +
    "and lower case are alike.",
  expose_headers: "The response headers that scripts of these pages may read, such as `ETag`.",
  max_age_seconds: "For how many seconds a browser may keep the answer to a preflight. Null for the browser's default."
}

export const CorsRule = Schema.Struct({
  allowed_origins: Schema.Array(Schema.String).annotateKey({ description: words.allowed_origins }),
  allowed_methods: Schema.Array(CorsMethod).annotateKey({ description: words.allowed_methods }),
  allowed_headers: Schema.Array(Schema.String).annotateKey({ description: words.allowed_headers }),
  expose_headers: Schema.Array(Schema.String).annotateKey({ description: words.expose_headers }),
  max_age_seconds: Schema.NullOr(Schema.Int).annotateKey({ description: words.max_age_seconds })
}).annotate({ identifier: "CorsRule", description: "A rule for pages of some origins that use a bucket in a browser." })
export type CorsRule = typeof CorsRule.Type

export const BucketCors = Schema.Struct({
  bucket: Schema.String.annotateKey({ description: "The name of the bucket." }),
  rules: Schema.Array(CorsRule).annotateKey({
    description: "The rules in their order; empty for a bucket without any, which no page of another origin can use."
  })
}).annotate({ identifier: "BucketCors", description: "The CORS rules of a bucket." })
export type BucketCors = typeof BucketCors.Type

const several = <S extends Schema.Top>(item: S, least: 0 | 1, most: number) =>
  Schema.Array(item).check(Schema.isMinLength(least), Schema.isMaxLength(most))

const optional = <S extends Schema.Top>(item: S, description: string) =>
  several(item, 0, limits.perRule)
    .annotateKey({ description: `${description} Empty when absent.` })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed([])))

const NewCorsRule = Schema.Struct({
  allowed_origins: several(Origin, 1, limits.perRule).annotateKey({ description: words.allowed_origins }),
  allowed_methods: several(CorsMethod, 1, corsMethods.length).annotateKey({ description: words.allowed_methods }),
  allowed_headers: optional(AllowedHeader, words.allowed_headers),
  expose_headers: optional(ExposedHeader, words.expose_headers),
  max_age_seconds: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: limits.maxAge })))
    .annotateKey({ description: `${words.max_age_seconds} Null when absent.` })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))
}).annotate({ identifier: "NewCorsRule", description: "A CORS rule for a bucket." })

export const BucketCorsUpdate = Schema.Struct({
  rules: several(NewCorsRule, 1, limits.rules).annotateKey({
    description: `All rules of the bucket: 1 to ${limits.rules}. They replace the ones that it has.`
  })
}).annotate({ identifier: "BucketCorsUpdate", description: "The new CORS rules of a bucket, all of them." })
export type BucketCorsUpdate = typeof BucketCorsUpdate.Type

export const BucketCorsDeleted = Schema.Struct({
  bucket: Schema.String.annotateKey({ description: "The name of the bucket." }),
  deleted: Schema.Literal(true).annotateKey({ description: "Always true." })
}).annotate({ identifier: "BucketCorsDeleted", description: "A bucket whose CORS rules were deleted." })
export type BucketCorsDeleted = typeof BucketCorsDeleted.Type
