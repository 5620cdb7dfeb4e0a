import { Option, Schema } from "effect"
import { brotliCompressSync, brotliDecompressSync, deflateSync, gunzipSync, gzipSync, inflateSync } from "node:zlib"
import { ImageStream } from "./imageStream.ts"
import type { Links } from "./links.ts"
import { word } from "../acts/reading.ts"
import { iaasPrefix } from "../requests/Place.ts"

/** What happens to an answer's body on its way; without a treatment it is streamed as it comes. */
export type Treatment = Whole | Pieces

/** Held back until its end, then changed. */
export interface Whole {
  readonly kind: "whole"
  /** Bytes that are held back at most. */
  readonly limit: number
  /** What a longer body gets: it is streamed, treated or not, or there is no answer at all. */
  readonly beyond: "pieces" | "verbatim" | "refused"
  readonly pieces: () => Pieces
  /** What goes on, a text being Latin-1; undefined when the body cannot be understood and therefore not be passed on. */
  change(body: Buffer): Buffer | string | undefined
}

/** Changed while it streams. */
export interface Pieces {
  readonly kind: "pieces"
  /** Undefined when the body cannot be understood and therefore not be passed on. */
  push(piece: Buffer): Buffer | undefined
  end(): Buffer | undefined
}

/** What a treatment depends on. */
export interface UpstreamAnswer {
  readonly method: string
  readonly service: string
  readonly segments: ReadonlyArray<string>
  /** The gateway's own address, without a slash at the end. */
  readonly own: string
  /** Whether it is for a platform administrator, who sees what the service shows. */
  readonly admin: boolean
  /** Whether the client spells paths with the service's version: pages of images are then named as the service does. */
  readonly versioned: boolean
  /** Whether somebody wants to read the body of a good answer, so that it has to be held. */
  readonly wanted: boolean
}

const KiB = 1024
const MiB = 1024 * KiB

/** A JSON answer up to here is held, so that its length can be said. */
const heldUpTo = 256 * KiB
/** Attachments of volumes, which no tenant has that many of. */
const attachmentsUpTo = 4 * MiB
/** Of an answer of the image service that came compressed, though it was asked not to be. */
const decodedUpTo = 4 * MiB

const json = /^application\/(?:[\w.-]+\+)?json/i

/** @param headers of the answer, names in lower case */
export const treatmentOf = (
  answered: UpstreamAnswer,
  links: Links,
  status: number,
  headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
): Treatment | undefined => {
  if (answered.method === "HEAD" || status === 204 || status === 304) return undefined
  const type = headers["content-type"]
  if (typeof type !== "string" || !json.test(type)) return undefined
  const encoding = encodingOf(headers["content-encoding"])
  const rewrite = (text: string) => links.text(text, answered.own)
  const pieces = (): Pieces => ({ kind: "pieces", ...links.stream(answered.own) })
  if (answered.service === "image" && !isData(answered.segments)) {
    return {
      kind: "whole",
      limit: heldUpTo,
      beyond: encoding === undefined ? "pieces" : "refused",
      pieces: () => imagePieces(pieces(), answered.versioned),
      change: changed(encoding, (text) => imagesWithoutLocations(rewrite(text), answered.versioned))
    }
  }
  if (answered.service === "volume" && !answered.admin && word(answered.segments[0]) === "attachments") {
    return {
      kind: "whole",
      limit: attachmentsUpTo,
      beyond: "refused",
      pieces,
      change: changed(encoding, (text) => attachmentsWithoutConnections(rewrite(text)))
    }
  }
  if (encoding !== undefined) {
    return {
      kind: "whole",
      limit: heldUpTo,
      beyond: "verbatim",
      pieces,
      change: (body) => changed(encoding, rewrite)(body) ?? body
    }
  }
  const length = headers["content-length"]
  const isShort = typeof length === "string" && Number(length) <= heldUpTo
  return isShort || answered.wanted
    ? { kind: "whole", limit: heldUpTo, beyond: "pieces", pieces, change: (body) => rewrite(body.toString("latin1")) }
    : pieces()
}

/** The image itself, up or down: its bytes are nobody's business. */
export const isData = ([, , what]: ReadonlyArray<string>): boolean => what === "file" || what === "stage"

const encodingOf = (value: string | ReadonlyArray<string> | undefined): string | undefined =>
  value === undefined ? undefined : String(value).trim().toLowerCase() === "identity" ? undefined : String(value)

/** Applies a change to the text of a body, in whatever encoding it came; the same bytes go on when nothing changes. */
const changed =
  (encoding: string | undefined, change: (text: string) => string | undefined) =>
  (body: Buffer): Buffer | undefined => {
    const codec = encoding === undefined ? plain : codecs[encoding.trim().toLowerCase()]
    const decoded = codec === undefined ? undefined : Option.getOrUndefined(codec.decode(body))
    if (codec === undefined || decoded === undefined) return undefined
    const before = decoded.toString("latin1")
    const after = change(before)
    if (after === undefined) return undefined
    return after === before ? body : codec.encode(Buffer.from(after, "latin1"))
  }

interface Codec {
  decode(body: Buffer): Option.Option<Buffer>
  encode(body: Buffer): Buffer
}

const plain: Codec = { decode: Option.some, encode: (_) => _ }
const bounded = { maxOutputLength: decodedUpTo }

const codecs: Readonly<Record<string, Codec>> = {
  gzip: { decode: Option.liftThrowable((_) => gunzipSync(_, bounded)), encode: (_) => gzipSync(_) },
  deflate: { decode: Option.liftThrowable((_) => inflateSync(_, bounded)), encode: (_) => deflateSync(_) },
  br: { decode: Option.liftThrowable((_) => brotliDecompressSync(_, bounded)), encode: (_) => brotliCompressSync(_) }
}

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** Where an image's bytes are stored is the platform's own affair (contract, Proxy rules). */
const hidden: ReadonlySet<string> = new Set(["locations", "direct_url"])
const telling = /"locations"|"direct_url"|\\u/

/** What Glance names by a path of its own: pages, the thing itself, its data and its schema. Within a text the quotation marks would be escaped. */
const pathNames: ReadonlyArray<string> = ["first", "next", "self", "file", "schema"]
const ownPath = new RegExp(`("(?:${pathNames.join("|")})"\\s*:\\s*")/v2/`, "g")

/**
 * An answer of the image service, one image or a list, without the places of
 * its data; the paths that it names lead through the gateway.
 *
 * @param text Latin-1 of the UTF-8 that came
 * @param versioned whether those paths stay as they are, with the version that the client's own have
 */
export const imagesWithoutLocations = (text: string, versioned = false): string | undefined => {
  const led = versioned ? text : text.replace(ownPath, `$1${iaasPrefix}image/`)
  if (!telling.test(led)) return led
  const parsed = Option.getOrUndefined(decodeJson(Buffer.from(led, "latin1").toString()))
  if (parsed === undefined) return undefined
  if (!isObject(parsed)) return led
  const shown = Object.entries(parsed)
    .filter(([key]) => !hidden.has(key))
    .map(([key, value]) => [key, key === "images" && Array.isArray(value) ? value.map(withoutHidden) : value])
  return Buffer.from(JSON.stringify(Object.fromEntries(shown))).toString("latin1")
}

/**
 * Attachments of volumes without what it takes to connect to the storage:
 * monitors, portals, CHAP secrets. Servers have their volumes by compute.
 *
 * @param text Latin-1 of the UTF-8 that came
 */
export const attachmentsWithoutConnections = (text: string): string | undefined => {
  const parsed = Option.getOrUndefined(decodeJson(Buffer.from(text, "latin1").toString()))
  return parsed === undefined
    ? undefined
    : Buffer.from(
        JSON.stringify(parsed, (key, value: unknown) => (key === "connection_info" ? undefined : value))
      ).toString("latin1")
}

const ledHere = (path: string): string => path.replace(/^\/v2\//, `${iaasPrefix}image/`)
const ownPaths: ReadonlyMap<string, (path: string) => string> = new Map(pathNames.map((_) => [_, ledHere]))

/** {@link imagesWithoutLocations} of an answer that is too long to be held. */
const imagePieces = (links: Pieces, versioned: boolean): Pieces => {
  const images = new ImageStream(hidden, versioned ? new Map() : ownPaths)
  const further = (piece: Buffer | undefined) => (piece === undefined ? undefined : images.push(piece))
  return {
    kind: "pieces",
    push: (piece) => further(links.push(piece)),
    end: () => {
      const rest = further(links.end())
      return images.isWhole ? rest : undefined
    }
  }
}

const withoutHidden = (image: unknown): unknown =>
  isObject(image) ? Object.fromEntries(Object.entries(image).filter(([key]) => !hidden.has(key))) : image

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
