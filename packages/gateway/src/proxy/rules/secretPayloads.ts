import { Forbidden } from "@portico/contract/Failures"
import { Effect } from "effect"
import { word } from "../../acts/reading.ts"
import type { PlatformCall, Rule } from "./Rule.ts"

/** What Barbican keeps beside a secret; none of them shows the payload, whatever is accepted. */
const besides: ReadonlySet<string> = new Set(["acl", "consumers", "metadata"])

/**
 * The payload of a stored secret is read by people only (contract,
 * Authentication 12): machine credentials, a platform administrator's too, get
 * neither `secrets/{id}/payload` nor the secret itself with an Accept that makes
 * Barbican answer the payload. Lists, containers and orders hold references.
 */
export const secretPayloads: Rule = {
  concerns: (call) => (!call.caller.human && readsSecret(call) ? "head" : "nothing"),
  check: Effect.fnUntraced(function* (call) {
    if (call.caller.human || !readsSecret(call)) return
    const { headers, segments } = call
    const isHarmless = besides.has(segments[3] ?? "") || acceptsMetadata(headers.accept)
    if (word(segments[3]) === "payload" || !isHarmless) return yield* Forbidden.secretPayload()
  })
}

const readsSecret = ({ method, segments, service }: PlatformCall): boolean =>
  service === "key-manager" &&
  (method === "GET" || method === "HEAD") &&
  word(segments[0]) === "v1" &&
  word(segments[1]) === "secrets" &&
  word(segments[2]) !== ""

/** Barbican compares the whole header: any other text, even one with `application/json` in it, asks for the payload. */
export const acceptsMetadata = (accept: string | ReadonlyArray<string> | undefined): boolean =>
  accept === undefined || accept === "*/*" || accept === "application/json"
