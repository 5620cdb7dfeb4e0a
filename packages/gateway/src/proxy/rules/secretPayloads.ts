import { Forbidden } from "@portico/contract/Failures"
import { Effect } from "effect"
import { word } from "../../acts/reading.ts"
import { type ConcernedCall, ruleAt } from "./Rule.ts"

/** Sub-resources of a secret. None of them shows the payload, whatever the Accept header. */
export const besides: ReadonlySet<string> = new Set(["acl", "consumers", "metadata"])

/**
 * Only people read the payload of a stored secret (contract, Authentication 12). Machine credentials, including those
 * of a platform administrator, may read neither `secrets/{id}/payload` nor the secret itself with an Accept header
 * for which Barbican returns the payload. Lists, containers and orders contain only references.
 */
export const secretPayloads = ruleAt({
  at: (call) => (!call.caller.human && readsSecret(call)) || undefined,
  reads: () => "head",
  check: (_, { headers, segments }) => {
    const isHarmless = besides.has(segments[3] ?? "") || acceptsMetadata(headers.accept)
    return word(segments[3]) === "payload" || !isHarmless ? Forbidden.secretPayload() : Effect.void
  }
})

const readsSecret = ({ method, segments, service }: ConcernedCall): boolean =>
  service === "key-manager" &&
  (method === "GET" || method === "HEAD") &&
  word(segments[0]) === "v1" &&
  word(segments[1]) === "secrets" &&
  word(segments[2]) !== ""

/**
 * Barbican compares the whole header. Any other text, even one that contains `application/json`, asks for the
 * payload.
 */
export const acceptsMetadata = (accept: string | ReadonlyArray<string> | undefined): boolean =>
  accept === undefined || accept === "*/*" || accept === "application/json"
