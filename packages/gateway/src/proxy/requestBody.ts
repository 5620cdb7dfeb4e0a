import { decodeJson } from "@portico/contract/decodeJson"
import {
  BadRequest,
  type RequestTimeout,
  TooLarge,
  Unavailable,
  UnsupportedMediaType
} from "@portico/contract/Failures"
import { Effect, Option } from "effect"
import { isUtf8 } from "node:buffer"
import { turnForText } from "@portico/upstream/limits/longTexts"
import { inTime } from "../middleware/bodyTimeout.ts"
import { isEncoded } from "../requests/contentEncoding.ts"
import { type Exchange, hasBody } from "./Exchange.ts"
import { HeldBodies } from "./HeldBodies.ts"
import { HeldResponse } from "./HeldResponse.ts"
import { exceededBy, type JsonLimits } from "@portico/upstream/jsonLimits"

/** Larger than any request that has to be read: the platform's own limit is 112 KiB. In bytes. */
export const readLimit = 1024 * 1024

/**
 * The complete body; undefined when there is none. A client that disconnects before the end interrupts the effect.
 *
 * @param tenant whose memory it counts against until the call is over; undefined for nobody's, with a small limit
 *
 * Errors: 413 beyond the limit, in bytes; 503 when the gateway holds too many bodies; 408 when the body is not complete
 * in time.
 */
export const readBody = Effect.fnUntraced(function* (
  { from, to }: Exchange,
  tenant: string | undefined,
  limit: number = readLimit
): Effect.fn.Return<Buffer | undefined, TooLarge | Unavailable<"overloaded"> | RequestTimeout<"body_too_slow">> {
  if (!hasBody(from)) return undefined
  if (Number(from.headers["content-length"] ?? 0) > limit) return yield* TooLarge.body(limit)
  const held = yield* HeldBodies
  const whole = Effect.callback<Buffer, TooLarge | Unavailable<"overloaded">>((resume) => {
    const pieces: Array<Buffer> = []
    let size = 0
    let counted = 0
    const mayHold = (bytes: number): boolean => {
      if (tenant === undefined) return true
      if (!held.take(tenant, bytes)) return false
      if (counted === 0) to.once("close", () => held.release(tenant, counted))
      counted += bytes
      return true
    }
    const take = (piece: Buffer) => {
      size += piece.length
      if (size > limit) resume(Effect.fail(TooLarge.body(limit)))
      else if (!mayHold(piece.length)) resume(Effect.fail(Unavailable.overloaded("the gateway")))
      else pieces.push(piece)
    }
    const end = () => resume(Effect.succeed(Buffer.concat(pieces)))
    const broken = () => resume(Effect.interrupt)
    if (to instanceof HeldResponse) to.reads?.()
    if (from.headers.expect !== undefined) to.writeContinue()
    from.on("data", take).once("end", end).once("error", broken).once("close", broken)
    return Effect.sync(() => void from.off("data", take).off("end", end).off("error", broken).off("close", broken))
  })
  return yield* inTime(whole)
})

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

/** A shorter body is parsed and checked in a few milliseconds, whatever it consists of. */
const longBody = 8 * 1024

/**
 * The turn of a body that takes long to parse and to check, see {@link turnForText}: of many that arrive together one is
 * read at a time, tenant by tenant.
 *
 * @param isCostly it takes long whatever its length
 *
 * Errors: 503.
 */
export const turnToCheck = (
  owner: string | undefined,
  body: Buffer | undefined,
  isCostly = false
): Effect.Effect<void, Unavailable<"overloaded">> =>
  body === undefined || (body.length < longBody && !isCostly)
    ? Effect.void
    : Effect.mapError(turnForText(owner ?? "", body.length), () => Unavailable.overloaded("the gateway"))

/**
 * Deeper than any request of the platform, and shallow enough for `JSON.stringify` and the rules; and more values than
 * a request has that creates hundreds of resources at once.
 */
export const jsonLimits: JsonLimits = { depth: 200, values: 20_000 }

/**
 * A body that is nested too deeply to be parsed must not be forwarded unchecked, and one with too many values takes the
 * rules too long.
 *
 * Errors: 400, 413.
 */
export const withinJsonLimits = (body: Buffer | undefined): Effect.Effect<void, BadRequest | TooLarge> => {
  const exceeded = body !== undefined && isUtf8(body) ? exceededBy(body.toString("latin1"), jsonLimits) : undefined
  if (exceeded === undefined) return Effect.void
  return exceeded === "depth"
    ? Effect.fail(BadRequest.bodyTooDeep(jsonLimits.depth))
    : Effect.fail(TooLarge.values(jsonLimits.values))
}

/** The body as JSON; None when it is not JSON, or is nested too deeply. */
export const jsonOf = (body: Buffer | undefined): Option.Option<unknown> =>
  body === undefined ? Option.some(undefined) : isUtf8(body) ? shallowJson(body.toString()) : Option.none()

const shallowJson = (text: string) =>
  exceededBy(text, { ...jsonLimits, values: Infinity }) === undefined ? decodeJson(text) : Option.none()

/**
 * The body as JSON that every reader parses in the same way.
 *
 * Errors: 415 for a compressed body, 400 for one that is not JSON.
 */
export const readJson = (
  { from }: Exchange,
  body: Buffer | undefined
): Effect.Effect<unknown, BadRequest | UnsupportedMediaType> => {
  if (body !== undefined && isEncoded(from.headers["content-encoding"]))
    return Effect.fail(UnsupportedMediaType.encodedBody())
  return Option.match(jsonOf(body), { onNone: () => Effect.fail(BadRequest.bodyNotJson()), onSome: Effect.succeed })
}
