import { BadRequest, type RequestTimeout, TooLarge, UnsupportedMediaType } from "@portico/contract/Failures"
import { Effect, Option, Schema } from "effect"
import { isUtf8 } from "node:buffer"
import type { IncomingHttpHeaders } from "node:http"
import { inTime } from "../middleware/bodyTimeout.ts"
import { type Exchange, hasBody } from "./Exchange.ts"

/** Larger than any request that has to be read: the platform's own limit is 112 KiB. In bytes. */
export const readLimit = 1024 * 1024

/**
 * The complete body; undefined when there is none. A client that disconnects before the end interrupts the effect.
 *
 * Errors: 413 beyond the limit, in bytes; 408 when the body is not complete in time.
 */
export const readBody = (
  { from, to }: Exchange,
  limit: number = readLimit
): Effect.Effect<Buffer | undefined, TooLarge | RequestTimeout> => {
  if (!hasBody(from)) return Effect.succeed(undefined)
  if (Number(from.headers["content-length"] ?? 0) > limit) return Effect.fail(TooLarge.body(limit))
  const whole = Effect.callback<Buffer, TooLarge>((resume) => {
    const pieces: Array<Buffer> = []
    let size = 0
    const take = (piece: Buffer) => {
      size += piece.length
      if (size <= limit) pieces.push(piece)
      else resume(Effect.fail(TooLarge.body(limit)))
    }
    const end = () => resume(Effect.succeed(Buffer.concat(pieces)))
    const broken = () => resume(Effect.interrupt)
    if (from.headers.expect !== undefined) to.writeContinue()
    from.on("data", take).once("end", end).once("error", broken).once("close", broken)
    return Effect.sync(() => void from.off("data", take).off("end", end).off("error", broken).off("close", broken))
  })
  return inTime(whole)
}

/** Whether the body is compressed. */
export const isEncoded = ({ "content-encoding": encoding }: IncomingHttpHeaders): boolean =>
  encoding !== undefined && encoding.toLowerCase() !== "identity"

const form = /^\s*$|x-www-form-urlencoded|multipart\/form-data/i

/**
 * Whether a service would parse the body as a form. No service needs one, but most treat its `_method` as the method,
 * whatever the request line says.
 */
export const isForm = ({ from }: Exchange): boolean => {
  const type = from.headers["content-type"]
  return type !== undefined && form.test(type) && hasBody(from)
}

/** Services that parse a POST body without a content type as a form. */
const untyped: ReadonlySet<string> = new Set(["dns", "load-balancer"])

/**
 * The media type for a body without one. `application/octet-stream` is also its default meaning (RFC 9110, section
 * 8.3).
 */
export const missingType = ({ from }: Exchange, service: string): string | undefined =>
  untyped.has(service) && from.headers["content-type"] === undefined && hasBody(from)
    ? "application/octet-stream"
    : undefined

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** Deeper than any request of the platform, and shallow enough for `JSON.stringify` and the rules. */
const depthLimit = 200

/**
 * Whether brackets outside strings are nested deeper than the limit. The result is meaningless for text that is not
 * JSON.
 */
const isTooDeep = (text: string): boolean => {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === 0x22) at = endOfString(text, at)
    else if (character === 0x5b || character === 0x7b) {
      depth += 1
      if (depth > depthLimit) return true
    } else if (character === 0x5d || character === 0x7d) depth -= 1
  }
  return false
}

/** The end of the JSON string that begins with a quotation mark; the length of the text when nothing ends it. */
export const endOfString = (text: string, begin: number): number => {
  for (let at = begin + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x5c) at++
    else if (code === 0x22) return at
  }
  return text.length
}

/**
 * A body that is nested too deeply to be parsed must not be forwarded unchecked.
 *
 * Errors: 400.
 */
export const notTooDeep = (body: Buffer | undefined): Effect.Effect<void, BadRequest> =>
  body !== undefined && isUtf8(body) && isTooDeep(body.toString("latin1"))
    ? Effect.fail(BadRequest.bodyTooDeep(depthLimit))
    : Effect.void

/** The body as JSON; None when it is not JSON, or is nested too deeply. */
export const jsonOf = (body: Buffer | undefined): Option.Option<unknown> =>
  body === undefined ? Option.some(undefined) : isUtf8(body) ? shallowJson(body.toString()) : Option.none()

const shallowJson = (text: string) => (isTooDeep(text) ? Option.none() : decodeJson(text))

/**
 * The body as JSON that every reader parses in the same way.
 *
 * Errors: 415 for a compressed body, 400 for one that is not JSON.
 */
export const readJson = (
  { from }: Exchange,
  body: Buffer | undefined
): Effect.Effect<unknown, BadRequest | UnsupportedMediaType> => {
  if (body !== undefined && isEncoded(from.headers)) return Effect.fail(UnsupportedMediaType.encodedBody())
  return Option.match(jsonOf(body), { onNone: () => Effect.fail(BadRequest.bodyNotJson()), onSome: Effect.succeed })
}
