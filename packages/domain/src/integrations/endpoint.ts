import { Unprocessable } from "@portico/contract/Failures"
import type { SecretHeader } from "@portico/contract/Integrations"
import type { TargetEntry } from "@portico/store/Targets"
import { Guard } from "@portico/upstream/delivery/Guard"
import { Effect, Option, Schema } from "effect"
import { TargetSecrets } from "../deliveries/TargetSecrets.ts"
import { Place, shownUrl } from "./settings.ts"

const read = Schema.decodeUnknownOption(Schema.fromJsonString(Place))

/**
 * Where an integration of the kind `slack` or `generic` is, as the store keeps
 * it: the whole of it sealed, and what may be shown of it.
 *
 * @param named what is left out stays as it was; only headers do not go with the address to another host
 *
 * Errors: 422 for an address that nothing is sent to.
 */
export const newPlace = Effect.fnUntraced(function* (
  targetId: string,
  kind: "slack" | "generic",
  named: { readonly url: string | undefined; readonly headers: ReadonlyArray<SecretHeader> | undefined },
  held?: Pick<TargetEntry, "target_id" | "secrets">
) {
  const secrets = yield* TargetSecrets
  const [secret] = held === undefined ? [] : yield* secrets.open(held)
  const before = Option.getOrUndefined(read(secret))
  const url = named.url ?? before?.url
  if (url === undefined) return yield* Unprocessable.targetAddress("it cannot be read any more: name it again")
  if (named.url !== undefined) {
    const refused = yield* (yield* Guard).refusalNow(url)
    if (refused !== undefined) return yield* Unprocessable.targetAddress(refused)
  }
  // Whoever may change an address may not read the headers: they do not follow it to another host.
  const kept = before !== undefined && new URL(before.url).origin === new URL(url).origin ? before.headers : []
  const headers = named.headers ?? kept
  return {
    settings: { url: shownUrl(kind, url), headers: headers.map((_) => _.name) },
    secrets: [secrets.close(targetId, JSON.stringify({ url, headers } satisfies Place))]
  }
})
