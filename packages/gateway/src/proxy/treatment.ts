import { decodeJson } from "@portico/contract/decodeJson"
import { Option, Predicate } from "effect"
import { brotliCompressSync, brotliDecompressSync, deflateSync, gunzipSync, gzipSync, inflateSync } from "node:zlib"
import { ImageStream } from "./imageStream.ts"
import { type Links, reachedAt } from "./links.ts"
import { word } from "../acts/reading.ts"
import { asksForImports, offeredImports } from "./rules/imageImports.ts"
import type { PlatformCall } from "./rules/Rule.ts"

/** How the body of a response is changed on its way. Without a treatment it is streamed unchanged. */
export type Treatment = Whole | Pieces

/** Buffered until its end, then changed. */
export interface Whole {
  readonly kind: "whole"
  /** Maximum number of buffered bytes. */
  readonly limit: number
  /** How a longer body is treated: streamed with changes, streamed unchanged, or refused. */
  readonly beyond: "pieces" | "verbatim" | "refused"
  readonly pieces: () => Pieces
  /** The changed body, a string in Latin-1; undefined when the body cannot be parsed and so must not be passed on. */
  change(body: Buffer): Buffer | string | undefined
}

/** Changed while it streams. */
export interface Pieces {
  readonly kind: "pieces"
  /** Undefined when the body cannot be parsed and so must not be passed on. */
  push(piece: Buffer): Buffer | undefined
  end(): Buffer | undefined
}

/** The properties of a response that select its treatment. */
export interface UpstreamResponse {
  readonly call: Pick<PlatformCall, "service" | "segments" | "caller">
  /** The gateway's own address, without a trailing slash. */
  readonly own: string
  /** The prefix of the platform's services as the client spells it. */
  readonly prefix: string
  /** Whether the client's paths contain the service's version. Links to pages of images then stay as the service wrote them. */
  readonly versioned: boolean
  /** Whether the gateway itself reads the body of a successful answer, which then has to be buffered. */
  readonly wanted: boolean
}

const KiB = 1024
const MiB = 1024 * KiB

/** A JSON answer of up to this size is buffered, so it can have a Content-Length. */
const heldUpTo = 256 * KiB
/** Limit for answers that a field is taken out of, far above what a tenant has of these. */
const withheldUpTo = 4 * MiB
/** Limit for decoded answers that came compressed although the gateway asked for no compression. */
const decodedUpTo = 4 * MiB

const json = /^application\/(?:[\w.-]+\+)?json/i

/** @param headers of the answer, with names in lower case */
export const treatmentOf = (
  { call, own, prefix, versioned, wanted }: UpstreamResponse,
  links: Links,
  headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
): Treatment | undefined => {
  const type = headers["content-type"]
  if (typeof type !== "string" || !json.test(type)) return undefined
  const encoding = encodingOf(headers["content-encoding"])
  const reached = reachedAt(own, prefix, versioned)
  const rewrite = (text: string) => links.text(text, reached)
  const pieces = (): Pieces => ({ kind: "pieces", ...links.stream(reached) })
  if (asksForImports(call)) {
    return {
      kind: "whole",
      limit: heldUpTo,
      beyond: "refused",
      pieces,
      change: changed(encoding, (text) => mapped(text, offeredImports))
    }
  }
  if (call.service === "image" && !isData(call.segments)) {
    const images = versioned ? undefined : `${prefix}image/`
    return {
      kind: "whole",
      limit: heldUpTo,
      beyond: encoding === undefined ? "pieces" : "refused",
      pieces: () => imagePieces(pieces(), images),
      change: changed(encoding, (text) => imagesWithoutLocations(rewrite(text), images))
    }
  }
  const field = withheldFrom(call)
  if (field !== undefined) {
    return {
      kind: "whole",
      limit: withheldUpTo,
      beyond: "refused",
      pieces,
      change: changed(encoding, (text) => withoutField(rewrite(text), field))
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
  return isShort || wanted
    ? { kind: "whole", limit: heldUpTo, beyond: "pieces", pieces, change: (body) => rewrite(body.toString("latin1")) }
    : pieces()
}

/** Whether the call transfers the data of an image, which passes unread. */
export const isData = ([, , what]: ReadonlyArray<string>): boolean => what === "file" || what === "stage"

const encodingOf = (value: string | ReadonlyArray<string> | undefined): string | undefined =>
  value === undefined ? undefined : String(value).trim().toLowerCase() === "identity" ? undefined : String(value)

/** Applies a change to the text of a body in any known encoding. Returns the same bytes when nothing changes. */
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

/** Fields that show where an image's data is stored, which only the platform may know (contract, Proxy rules). */
const hidden: ReadonlySet<string> = new Set(["locations", "direct_url"])
const mayNameHidden = /"locations"|"direct_url"|\\u/

/**
 * Fields in which Glance names a path of its own: pages, the resource itself, its data and its schema. Inside a
 * string value the quotation marks would be escaped.
 */
const pathNames: ReadonlyArray<string> = ["first", "next", "self", "file", "schema"]
const ownPath = new RegExp(`("(?:${pathNames.join("|")})"\\s*:\\s*")/v2/`, "g")

/**
 * An answer of the image service, one image or a list, without the storage locations. Paths in it lead through the
 * gateway.
 *
 * @param text the UTF-8 bytes, decoded as Latin-1
 * @param images the path of the image service; undefined where those paths stay as they are, because the client's own
 * contain the version
 */
export const imagesWithoutLocations = (text: string, images: string | undefined): string | undefined => {
  const rewritten = images === undefined ? text : text.replace(ownPath, `$1${images}`)
  if (!mayNameHidden.test(rewritten)) return rewritten
  const parsed = Option.getOrUndefined(decodeJson(Buffer.from(rewritten, "latin1").toString()))
  if (parsed === undefined) return undefined
  if (!Predicate.isReadonlyObject(parsed)) return rewritten
  const shown = Object.entries(parsed)
    .filter(([key]) => !hidden.has(key))
    .map(([key, value]) => [key, key === "images" && Array.isArray(value) ? value.map(withoutHidden) : value])
  return Buffer.from(JSON.stringify(Object.fromEntries(shown))).toString("latin1")
}

type Caller = PlatformCall["caller"]

/** Whoever may not give things to other projects: a reader, or an agent of any tier. */
const givesNothing = ({ kind, tier }: Caller): boolean => tier < 2 || kind === "mcp"

/** Fields that hold secrets, at any depth of the answers of a collection, and whom the gateway does not show them. */
const withheld = [
  // What it takes to connect to the storage: monitors, portals, CHAP secrets. Servers get volumes through compute.
  { service: "volume", collection: "attachments", field: "connection_info", from: () => true },
  // Whoever has the key of an offer takes the zone out of the project.
  { service: "dns", collection: "transfer-requests", field: "key", from: givesNothing },
  // The key of a tunnel into the project's networks.
  { service: "network", collection: "ipsec-site-connections", field: "psk", from: givesNothing }
] as const

/** The field that a caller does not see. An administrator sees everything that the service shows. */
const withheldFrom = ({ caller, segments, service }: UpstreamResponse["call"]): string | undefined => {
  if (caller.admin) return undefined
  const found = withheld.find((_) => _.service === service && segments.some((part) => word(part) === _.collection))
  return found?.from(caller) === true ? found.field : undefined
}

/**
 * An answer without a field, at any depth.
 *
 * @param text the UTF-8 bytes, decoded as Latin-1
 */
export const withoutField = (text: string, field: string): string | undefined =>
  mapped(
    text,
    (_) => _,
    (key, value) => (key === field ? undefined : value)
  )

/** A JSON text after a change; undefined when it cannot be parsed. The answer to a HEAD has none. */
const mapped = (
  text: string,
  change: (json: unknown) => unknown,
  replacer?: (key: string, value: unknown) => unknown
): string | undefined =>
  Option.match(decodeJson(Buffer.from(text, "latin1").toString()), {
    onNone: () => (text === "" ? text : undefined),
    onSome: (json) => Buffer.from(JSON.stringify(change(json), replacer)).toString("latin1")
  })

const ownPaths = (images: string | undefined): ReadonlyMap<string, (path: string) => string> =>
  new Map(images === undefined ? [] : pathNames.map((_) => [_, (path) => path.replace(/^\/v2\//, images)]))

/** {@link imagesWithoutLocations} for an answer that is too long to be buffered. */
const imagePieces = (links: Pieces, path: string | undefined): Pieces => {
  const images = new ImageStream(hidden, ownPaths(path))
  const filtered = (piece: Buffer | undefined) => (piece === undefined ? undefined : images.push(piece))
  return {
    kind: "pieces",
    push: (piece) => filtered(links.push(piece)),
    end: () => {
      const rest = filtered(links.end())
      return images.isWhole ? rest : undefined
    }
  }
}

const withoutHidden = (image: unknown): unknown =>
  Predicate.isReadonlyObject(image)
    ? Object.fromEntries(Object.entries(image).filter(([key]) => !hidden.has(key)))
    : image
