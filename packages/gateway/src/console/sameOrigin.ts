import { UnsupportedMediaType } from "@portico/contract/Failures"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { isJson } from "../middleware/body.ts"
import { SessionRefused } from "./refusals.ts"

/**
 * Admits only requests of the console's own pages: browsers name the origin of every request that is no plain read, and
 * where it comes from. A form of another site cannot send JSON.
 *
 * @param base the plane's address, as the browser sees it
 */
export const ofOwnPages = ({ headers }: HttpServerRequest.HttpServerRequest, base: string) => {
  const site = headers["sec-fetch-site"]
  if (headers["origin"] !== URL.parse(base)?.origin || (site !== undefined && site !== "same-origin")) {
    return Effect.fail(new SessionRefused("foreign_origin"))
  }
  return isJson(headers["content-type"]) ? Effect.void : Effect.fail(UnsupportedMediaType.notJson())
}
