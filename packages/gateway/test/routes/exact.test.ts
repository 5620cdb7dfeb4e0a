import { assert, it } from "@effect/vitest"
import { Conflict, failures, NotFound, Unavailable } from "@portico/contract/Failures"
import { authenticated } from "@portico/contract/groups"
import { exact } from "@portico/gateway/handlers/exact"
import { Effect } from "effect"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { readdirSync, readFileSync } from "node:fs"

const Api = HttpApi.make("api").add(
  HttpApiGroup.make("things").add(
    HttpApiEndpoint.get("show", "/", { error: failures("credential_not_found", "tier_unreadable") })
  )
)

const Guarded = HttpApi.make("guarded").add(
  HttpApiGroup.make("things")
    .add(HttpApiEndpoint.get("show", "/", { error: failures("credential_not_found") }))
    .pipe(authenticated)
)

const both = (isThere: boolean) => Effect.fail(isThere ? Unavailable.tierUnreadable() : NotFound.credential("a"))

it("an endpoint declares the codes that its operation fails with, and no others", () => {
  const fitting = HttpApiBuilder.group(Api, "things", (handlers) =>
    handlers.handleAll(exact(handlers, { show: () => both(true) }))
  )
  const surplus = HttpApiBuilder.group(Api, "things", (handlers) =>
    // @ts-expect-error tier_unreadable is declared, and is never answered
    handlers.handleAll(exact(handlers, { show: () => Effect.fail(NotFound.credential("a")) }))
  )
  const missing = HttpApiBuilder.group(Api, "things", (handlers) =>
    // @ts-expect-error tenant_not_found is not declared
    handlers.handleAll(exact(handlers, { show: () => Effect.flatMap(both(true), () => NotFound.tenant("a")) }))
  )
  const ofWrites = HttpApiBuilder.group(Guarded, "things", (handlers) =>
    handlers.handleAll(
      // @ts-expect-error concurrent_deletion_state is not declared, and the authentication of a read has it neither
      exact(handlers, { show: () => Effect.flatMap(Effect.fail(NotFound.credential("a")), () => Conflict.closing()) })
    )
  )
  assert.lengthOf(new Set([fitting, surplus, missing, ofWrites]), 4)
})

it("no group bypasses it, except handlers of raw requests", () => {
  const folder = new URL("../../src/handlers/", import.meta.url)
  const files = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), "utf8"))
  assert.isAbove(files.length, 25)
  for (const text of files) assert.notMatch(text, /\.handle\(|\.handleAll\(\s*(?!exact\()\S/)
})
