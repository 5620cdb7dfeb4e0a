import { Effect, Option, Semaphore, Stream } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { hash } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { turnForPage } from "../streams/turns.ts"

/** A page in one encoding. */
interface Variant {
  readonly encoding: "br" | "gzip" | undefined
  readonly pieces: ReadonlyArray<Uint8Array>
  readonly length: number
  readonly etag: string
}

/** Bytes of a page that a connection gets at a time. A client that does not read holds no more in memory. */
const pieceSize = 64 * 1024

const variantOf = (encoding: Variant["encoding"], bytes: Uint8Array): Variant => ({
  encoding,
  pieces: Array.from({ length: Math.ceil(bytes.length / pieceSize) }, (_, i) =>
    bytes.subarray(i * pieceSize, (i + 1) * pieceSize)
  ),
  length: bytes.length,
  etag: `"${hash("sha256", bytes, "base64url").slice(0, 22)}"`
})

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
        return answerOf(variant, page, headers["if-none-match"])
      })
    }
  })
)

/** The best encoding that a client accepts (RFC 9110, section 12.5.3). */
const encodingFor = (accepted = ""): "br" | "gzip" | "plain" => {
  const taken = new Set(
    accepted
      .toLowerCase()
      .split(",")
      .filter((_) => !/;\s*q=0(\.0*)?\s*$/.test(_))
      .map((_) => _.split(";")[0]?.trim())
  )
  return taken.has("br") ? "br" : taken.has("gzip") ? "gzip" : "plain"
}

const answerOf = (
  { encoding, etag, length, pieces }: Variant,
  page: { readonly type: string; readonly headers: Readonly<Record<string, string>> },
  known: string | undefined
): HttpServerResponse.HttpServerResponse => {
  const headers = { ...page.headers, etag, vary: "Accept-Encoding", "cache-control": "no-cache" }
  if (isKnown(known, etag)) return HttpServerResponse.empty({ status: 304, headers })
  const inTurns = Stream.mapEffect(Stream.fromIterable(pieces), (_) => Effect.as(turnForPage(_.length), _))
  return HttpServerResponse.stream(Stream.rechunk(inTurns, 1), {
    headers: encoding === undefined ? headers : { ...headers, "content-encoding": encoding },
    contentType: page.type,
    contentLength: length
  })
}

const isKnown = (known: string | undefined, etag: string): boolean =>
  Option.exists(Option.fromNullishOr(known), (_) =>
    _.split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag)
  )
