import { Effect, Semaphore } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { encodingFor, variantAnswer, variantOf } from "./variants.ts"

const brotli = promisify(brotliCompress)
const gzipped = promisify(gzip)
/** Higher qualities take seconds of processor time for a few percent. */
const brotliQuality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }

const compressors = {
  br: (bytes: Uint8Array) => brotli(bytes, brotliQuality),
  gzip: (bytes: Uint8Array) => gzipped(bytes, { level: 9 })
} as const

/** A page that is the same for every reader. Its bytes exist once in each encoding, which is made on first use. */
const pageOf = Effect.fnUntraced(function* (response: HttpServerResponse.HttpServerResponse) {
  const bytes = response.body._tag === "Uint8Array" ? response.body.body : new Uint8Array()
  const compressed = (encoding: "br" | "gzip") =>
    Effect.cached(
      Effect.map(
        Effect.promise(() => compressors[encoding](bytes)),
        (_) => variantOf(encoding, _)
      )
    )
  const { "content-length": _, "content-type": type, ...headers } = response.headers
  return {
    type: type ?? "application/octet-stream",
    headers,
    br: yield* compressed("br"),
    gzip: yield* compressed("gzip"),
    plain: Effect.succeed(variantOf(undefined, bytes))
  }
})

/**
 * For routes whose answer never changes while the process runs. The answer is made once and shared by all readers,
 * compressed for clients that accept that, with an `ETag` for conditional requests.
 */
export const sharedPage = HttpRouter.middleware(
  Effect.sync(() => {
    type Page = Effect.Success<ReturnType<typeof pageOf>>
    let cachedPage: Page | undefined
    const making = Semaphore.makeUnsafe(1)
    return <E, R>(httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) => {
      const make: Effect.Effect<Page, E, R> = Effect.suspend(() =>
        cachedPage === undefined
          ? Effect.tap(Effect.flatMap(httpEffect, pageOf), (page) => Effect.sync(() => (cachedPage = page)))
          : Effect.succeed(cachedPage)
      )
      return Effect.gen(function* () {
        // The semaphore lets one of several simultaneous first readers make the page, which takes milliseconds.
        const page = cachedPage ?? (yield* making.withPermit(make))
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        const variant = yield* page[encodingFor(headers["accept-encoding"])]
        return variantAnswer(variant, page, headers["if-none-match"])
      })
    }
  })
)
