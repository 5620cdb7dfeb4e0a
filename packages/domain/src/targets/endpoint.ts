import { Unprocessable } from "@portico/contract/Failures"
import type { SecretHeader } from "@portico/contract/Integrations"
import type { TargetEntry } from "@portico/store/Targets"
import { Guard } from "@portico/upstream/delivery/Guard"
import { Effect, Option, Schema } from "effect"
import { TargetSecrets } from "../deliveries/TargetSecrets.ts"
import { Endpoint, shownUrl } from "../deliveries/settings.ts"

const read = Schema.decodeUnknownOption(Schema.fromJsonString(Endpoint))

/** Errors: 422 for an address that nothing is sent to. */
export const checkedAddress = Effect.fnUntraced(function* (url: string) {
  const refused = yield* (yield* Guard).refusalNow(url)
  if (refused !== undefined) return yield* Unprocessable.targetAddress(refused)
})

/**
 * The destination of a `slack` or `generic` integration in its stored form: sealed as a whole, and
 * the part that may be shown.
 *
 * @param named fields that are not given stay as they are, except that headers do not follow a
 * change of the address
 *
 * Errors: 422 for an address that nothing is sent to.
 */
export const newEndpoint = Effect.fnUntraced(function* (
  targetId: string,
  named: { readonly url: string | undefined; readonly headers: ReadonlyArray<SecretHeader> | undefined },
  held?: Pick<TargetEntry, "target_id" | "secrets">
) {
  const secrets = yield* TargetSecrets
  const [secret] = held === undefined ? [] : yield* secrets.open(held)
  const before = Option.getOrUndefined(read(secret))
  const url = named.url ?? before?.url
  if (url === undefined) return yield* Unprocessable.targetAddress("it cannot be read any more: name it again")
  if (named.url !== undefined) yield* checkedAddress(url)
  // A caller who cannot read the headers may change the address, and different people may have addresses on one host.
  const kept = before !== undefined && new URL(before.url).href === new URL(url).href ? before.headers : []
  const headers = named.headers ?? kept
  return {
    settings: { url: shownUrl(url), headers: headers.map((_) => _.name) },
    secret: secrets.close(targetId, JSON.stringify({ url, headers } satisfies Endpoint))
  }
})
