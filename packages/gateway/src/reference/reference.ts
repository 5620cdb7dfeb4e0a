import { documentOf, type Examples } from "@portico/contract/openapi/documented"
import type { Plane } from "@portico/domain/health/readiness"
import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import type { HttpApi, HttpApiGroup } from "effect/http-api"
import { createRequire } from "node:module"
import { readFile } from "node:fs/promises"
import { documentAddresses } from "../documentAddresses.ts"
import { sharedPage } from "../middleware/sharedPage.ts"
import type { referencePaths } from "../requests/referencePaths.ts"
import { contentSecurityPolicy, html, theme } from "./page.ts"

/** The script that renders the reference in the browser. It is read once, at the start, for all planes. */
class Explorer extends Context.Service<Explorer, Uint8Array>()("portico/gateway/reference/Explorer") {
  static readonly layer = Layer.effect(
    Explorer,
    Effect.promise(() =>
      readFile(createRequire(import.meta.url).resolve("openapi-explorer/dist/browser/openapi-explorer.min.js"))
    )
  )
}

/** The recorded exchanges of all operations. They are read when a document is made: once for each plane. */
const readExamples = Effect.promise(async (): Promise<Examples> => {
  const file = createRequire(import.meta.url).resolve("@portico/contract/examples.json")
  return JSON.parse(await readFile(file, "utf8"))
})

const page = (path: (typeof referencePaths)[number], response: Effect.Effect<HttpServerResponse.HttpServerResponse>) =>
  HttpRouter.add("GET", path, response).pipe(Layer.provide(Layer.fresh(sharedPage.layer)))

const script = (body: string | Uint8Array) =>
  typeof body === "string"
    ? HttpServerResponse.text(body, { contentType: "text/javascript; charset=utf-8", headers })
    : HttpServerResponse.uint8Array(body, { contentType: "text/javascript; charset=utf-8", headers })

const headers = {
  "content-security-policy": contentSecurityPolicy,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
}

/**
 * The public pages of a plane: its OpenAPI document, and a reference that a browser renders from it and in which calls
 * can be tried. The reference loads nothing from other hosts, and calls the gateway that it came from.
 */
export const reference = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  plane: Exclude<Plane, "agent">,
  api: HttpApi.HttpApi<Id, Groups>
) =>
  Layer.unwrap(
    Effect.map(Effect.all([Explorer, documentAddresses(plane)]), ([explorer, addresses]) =>
      Layer.mergeAll(
        page(
          "/openapi.json",
          Effect.map(readExamples, (examples) =>
            HttpServerResponse.jsonUnsafe(documentOf(api, plane, addresses, examples))
          )
        ),
        page(
          "/docs",
          Effect.sync(() => HttpServerResponse.text(html, { contentType: "text/html; charset=utf-8", headers }))
        ),
        page(
          "/docs/explorer.js",
          Effect.sync(() => script(explorer))
        ),
        page(
          "/docs/theme.js",
          Effect.sync(() => script(theme))
        )
      )
    )
  ).pipe(Layer.provide(Explorer.layer))
