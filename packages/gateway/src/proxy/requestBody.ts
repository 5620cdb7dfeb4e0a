import { BadRequest, TooLarge, UnsupportedMediaType } from "@portico/contract/Failures"
import { Effect, Option, Schema } from "effect"
import { isUtf8 } from "node:buffer"
import { type Exchange, hasBody } from "./Exchange.ts"

/** Larger than any request that has to be read: the platform's own limit is 112 KiB. */
export const readLimit = 1024 * 1024

/**
 * The whole body, or nothing when there is none. A client that breaks off in
 * the middle of it interrupts.
 *
 * Errors: 413 beyond the limit, in bytes.
 */
export const readBody = (
  { from, to }: Exchange,
  limit: number = readLimit
): Effect.Effect<Buffer | undefined, TooLarge> => {
  if (!hasBody(from)) return Effect.succeed(undefined)
  if (Number(from.headers["content-length"] ?? 0) > limit) return Effect.fail(TooLarge.body(limit))
  return Effect.callback<Buffer, TooLarge>((resume) => {
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
}

const form = /^\s*$|x-www-form-urlencoded|multipart\/form-data/i

/**
 * Whether a service would read the body as a form. None of them has a use for
 * one, but most take its `_method` for the method, whatever the request line
 * says.
 */
export const isForm = ({ from }: Exchange): boolean => {
  const type = from.headers["content-type"]
  return type !== undefined && form.test(type) && hasBody(from)
}

/** Services that take a posted body for a form when nothing says what it is. */
const untyped: ReadonlySet<string> = new Set(["dns", "load-balancer"])

/** The media type that a body needs where its client gave it none: bytes, which it is then anyway (RFC 9110, section 8.3). */
export const missingType = ({ from }: Exchange, service: string): string | undefined =>
  untyped.has(service) && from.headers["content-type"] === undefined && hasBody(from)
    ? "application/octet-stream"
    : undefined

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** The body as JSON; None when it is not. */
export const jsonOf = (body: Buffer | undefined): Option.Option<unknown> =>
  body === undefined ? Option.some(undefined) : isUtf8(body) ? decodeJson(body.toString()) : Option.none()

/**
 * The body as JSON, in the one way in which every reader takes it.
 *
 * Errors: 415 for a compressed one, 400 for one that is no JSON.
 */
export const readJson = (
  { from }: Exchange,
  body: Buffer | undefined
): Effect.Effect<unknown, BadRequest | UnsupportedMediaType> => {
  const encoding = from.headers["content-encoding"]
  if (body !== undefined && encoding !== undefined && encoding.toLowerCase() !== "identity") {
    return Effect.fail(UnsupportedMediaType.encodedBody())
  }
  return Option.match(jsonOf(body), { onNone: () => Effect.fail(BadRequest.bodyNotJson()), onSome: Effect.succeed })
}
