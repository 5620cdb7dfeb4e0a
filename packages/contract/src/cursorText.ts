import { Result } from "effect"
import { Base64Url } from "effect/encoding"

/** The text that a cursor encodes; empty when it is not base64url. */
export const textOf = (cursor: string): string => Result.getOrElse(Base64Url.decodeString(cursor), () => "")

/** A cursor: text that clients pass on unchanged, and that needs no escape in a query. */
export const cursorWith = (text: string): string => Base64Url.encode(text)
