import { NotFound } from "@portico/contract/Failures"
import type { ConsolePlane } from "@portico/store/ConsoleSessions"
import { Effect, Option } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { encodingFor, variantAnswer } from "../middleware/variants.ts"
import { consolePath, consolePrefix } from "../requests/consolePaths.ts"
import { pathOf } from "../requests/route.ts"
import type { ConsoleFile, ConsoleFiles } from "./ConsoleFiles.ts"

const assets = "assets/"

/** Names of assets hold the hash of their content. */
const forEver = { "cache-control": "public, max-age=31536000, immutable" }

/** At the address with the slash, relative addresses mean the console's files. */
const toStartPage = HttpServerResponse.empty({ status: 308, headers: { location: consolePrefix } })

/**
 * The files of a console. Every other path is one of the console's own pages, which the start page shows; but not one
 * of an asset, because a browser must not take a page for a script.
 */
export const pages = Effect.fnUntraced(function* (
  plane: ConsolePlane,
  consoles: ConsoleFiles["Service"],
  request: HttpServerRequest.HttpServerRequest
) {
  const whole = pathOf(request.url)
  if (whole === consolePath) return toStartPage
  const path = whole.slice(consolePrefix.length)
  const asset = path.startsWith(assets) ? consoles.known(plane)?.files.get(path) : undefined
  if (asset !== undefined) return answerOf(asset, request, forEver)
  const bundle = yield* consoles.current(plane)
  const found = isPlain(path) ? bundle?.files.get(path) : undefined
  if (found !== undefined) return answerOf(found, request, path.startsWith(assets) ? forEver : {})
  return bundle === undefined || !isPage(path) ? yield* NotFound.route() : answerOf(bundle.start, request, {})
})

/** Names of files need no encoding. */
const isPlain = (path: string): boolean => /^[\w./-]+$/.test(path)

/** Pages have no dot segments and no control characters, in any spelling. */
const isPage = (path: string): boolean => {
  const decoded = Option.getOrUndefined(decode(path))
  return (
    decoded !== undefined &&
    !/[\p{Cc}\\]/u.test(decoded) &&
    !decoded.startsWith(assets) &&
    !decoded.split("/").some((_) => _ === "." || _ === "..")
  )
}

const decode = Option.liftThrowable(decodeURIComponent)

const answerOf = (
  file: ConsoleFile,
  { headers }: HttpServerRequest.HttpServerRequest,
  caching: Readonly<Record<string, string>>
) =>
  variantAnswer(
    file[encodingFor(headers["accept-encoding"])],
    { type: file.type, headers: caching },
    headers["if-none-match"]
  )
