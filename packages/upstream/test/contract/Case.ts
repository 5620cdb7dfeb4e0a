import type { Taken, UpstreamError } from "@portico/upstream/UpstreamError"
import type { Upstreams } from "@portico/upstream/Upstreams"
import type { Effect } from "effect"
import type { Systems } from "./Systems.ts"

/** What is done, and what came of it: plain data that is compared once it is normalised. */
export type Program = Effect.Effect<unknown, UpstreamError | Taken, Upstreams | Systems>

/** By what the case shows, as a sentence. */
export type Cases = Readonly<Record<string, Program>>
