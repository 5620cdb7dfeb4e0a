import { Effect, Exit, Option, Result } from "effect"
import { proxyTarget } from "../../src/proxy/path.ts"
import { jsonOf } from "../../src/proxy/requestBody.ts"
import type { PlatformCall } from "../../src/proxy/rules/Rule.ts"
import { rules } from "../../src/proxy/rules/rules.ts"
import { addressGroups } from "./openings.ts"
import type { Arriving } from "./verdict.ts"

const prefix = "/v1/iaas/"

/** Somebody with a key: bound to a tenant, and no person. */
const machine: PlatformCall["caller"] = { admin: false, human: false, tier: 2 }

/**
 * Does the gateway refuse the call, by its path or by a rule? A body that is
 * no JSON for it is refused where a rule has to read it.
 */
export const refuses =
  (service: string, options: { readonly caller?: PlatformCall["caller"]; readonly query?: string } = {}) =>
  (arriving: Arriving): boolean => {
    const target = proxyTarget(`${prefix}${[service, ...arriving.segments].join("/")}`, prefix)
    if (Result.isFailure(target)) return true
    const call: PlatformCall = {
      method: arriving.method,
      service: target.success.service,
      segments: target.success.segments,
      query: new URLSearchParams(options.query),
      headers: arriving.headers,
      caller: options.caller ?? machine,
      read: (segments) => Effect.succeed(readable(segments))
    }
    return rules.some((rule) => {
      const concern = rule.concerns(call)
      if (concern === "nothing") return false
      const body = concern === "body" ? parsed(arriving.body) : { value: undefined }
      return body === undefined || Exit.isFailure(Effect.runSyncExit(rule.check(call, body.value)))
    })
  }

/** Of address groups only some are there; of everything else that is asked for, what the call is about. */
const readable = ([collection, id]: ReadonlyArray<string>): unknown => {
  if (collection !== "address-groups") return {}
  const addresses = addressGroups.get(id ?? "")
  return addresses === undefined ? undefined : { address_group: { id, name: "group", addresses } }
}

const parsed = (body: Uint8Array | undefined): { readonly value: unknown } | undefined =>
  Option.getOrUndefined(Option.map(jsonOf(body === undefined ? undefined : Buffer.from(body)), (value) => ({ value })))
