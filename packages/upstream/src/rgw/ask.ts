import type { S3Client } from "@aws-sdk/client-s3"
import type { Effect } from "effect"
import type { UpstreamError } from "../UpstreamError.ts"
import type { Expected } from "./carrier.ts"

/** The SDK. It is loaded with the first call, because it is large and many replicas never need it. */
export type Sdk = typeof import("./sdk.ts")

/**
 * Reads a page of a list in turn with others: of at most `limit` entries, and of fewer when the answer would be too
 * long. Retried after a transient failure.
 */
export type List = <A>(
  call: string,
  limit: number,
  read: (limit: number) => Effect.Effect<A, UpstreamError>
) => Effect.Effect<A, UpstreamError>

/** One call to the object gateway with a tenant's key: its name in failures, the response it has, and the SDK's call. */
export type Ask = <A>(
  call: string,
  expected: Expected,
  of: (sdk: Sdk, client: S3Client, signal: AbortSignal) => Promise<A>
) => Effect.Effect<A, UpstreamError>
