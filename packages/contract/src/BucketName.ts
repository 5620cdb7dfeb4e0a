import { Schema } from "effect"

const rule = (expected: string, holds: (name: string) => boolean) => Schema.makeFilter(holds, { expected })

/** Names that S3's tools do not take for a bucket, and names of the database archives. */
const reserved = /^(xn--|sthree-|amzn-s3-demo-|db-archive-)|(-s3alias|--ol-s3|\.mrap|--x-s3|--table-s3)$/

/** The names that a new bucket may have: the rules of S3, most of which the object gateway enforces. */
export const BucketName = Schema.String.check(
  rule("3 to 63 characters", (_) => _.length >= 3 && _.length <= 63),
  rule("lower-case letters, digits, dots and hyphens", (_) => /^[a-z0-9.-]*$/.test(_)),
  rule("a name whose parts between dots begin and end with a letter or a digit", (_) =>
    _.split(".").every((part) => /^[^-](.*[^-])?$/.test(part))
  ),
  rule("a name that is not an IP address", (_) => !/^\d{1,3}(\.\d{1,3}){3}$/.test(_)),
  rule(
    "a name without a reserved beginning (xn--, sthree-, amzn-s3-demo-, db-archive-) or end " +
      "(-s3alias, --ol-s3, .mrap, --x-s3, --table-s3)",
    (_) => !reserved.test(_)
  )
)
