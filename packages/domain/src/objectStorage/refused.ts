import { NotFound } from "@portico/contract/Failures"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { refusal } from "../refusal.ts"

/** What the object gateway refuses about a bucket, which may have gone since it was looked for. */
export const refused = (bucket: string) => (error: UpstreamError) =>
  error.code === "NoSuchBucket" ? NotFound.bucket(bucket) : refusal(error)
