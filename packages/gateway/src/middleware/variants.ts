import { Effect, Option, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { hash } from "node:crypto"
import { turnForPage } from "../streams/throttles.ts"

/** A content coding of a page. */
export type Encoding = "br" | "gzip"

/** A page in one encoding. */
export interface Variant {
  readonly encoding: Encoding | undefined
  readonly pieces: ReadonlyArray<Uint8Array>
  readonly length: number
  readonly etag: string
}

/** Bytes of a page that a connection gets at a time. A client that does not read holds no more in memory. */
const pieceSize = 64 * 1024

export const variantOf = (encoding: Encoding | undefined, bytes: Uint8Array): Variant => ({
  encoding,
  pieces: Array.from({ length: Math.ceil(bytes.length / pieceSize) }, (_, i) =>
    bytes.subarray(i * pieceSize, (i + 1) * pieceSize)
  ),
  length: bytes.length,
  etag: `"${hash("sha256", bytes, "base64url").slice(0, 22)}"`
})

/** The best encoding that a client accepts (RFC 9110, section 12.5.3). */
export const encodingFor = (accepted = ""): Encoding | "plain" => {
  const taken = new Set(
    accepted
      .toLowerCase()
      .split(",")
      .filter((_) => !/;\s*q=0(\.0*)?\s*$/.test(_))
      .map((_) => _.split(";")[0]?.trim())
  )
  return taken.has("br") ? "br" : taken.has("gzip") ? "gzip" : "plain"
}

/**
 * The answer with a variant, or 304 to a client that has it.
 *
 * @param page.headers a `cache-control` among them replaces `no-cache`
 * @param known the client's `If-None-Match`
 */
export const variantAnswer = (
  { encoding, etag, length, pieces }: Variant,
  page: { readonly type: string; readonly headers: Readonly<Record<string, string>> },
  known: string | undefined
): HttpServerResponse.HttpServerResponse => {
  const headers = { "cache-control": "no-cache", ...page.headers, etag, vary: "Accept-Encoding" }
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
