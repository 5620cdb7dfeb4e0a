import type { Incoming } from "../../Wire.ts"
import type { ObjectVersion } from "../state.ts"

const bareTag = (tag: string): string => tag.trim().replaceAll(/^"|"$/g, "")

const matches = (header: string, etag: string): boolean => header === "*" || bareTag(header) === etag

/** Whole seconds, the precision of such headers. NaN, which compares with nothing, for an invalid date. */
const secondsOf = (header: string | undefined): number => Math.floor(Date.parse(header ?? "") / 1000)

/** The result of a read's conditions. */
export const conditionOf = (
  { headers }: Incoming,
  { etag, written }: ObjectVersion
): "as asked" | "not modified" | "failed" => {
  const seconds = Math.floor(written / 1000)
  const { "if-match": match, "if-none-match": noneMatch } = headers
  if (secondsOf(headers["if-unmodified-since"]) < seconds) return "failed"
  if (match !== undefined && !matches(match, etag)) return "failed"
  if (noneMatch !== undefined && matches(noneMatch, etag)) return "not modified"
  return secondsOf(headers["if-modified-since"]) >= seconds ? "not modified" : "as asked"
}

/**
 * Whether an upload may replace the present object. In a versioned bucket the conditions apply to the new
 * version, which matches nothing.
 */
export const mayReplace = ({ headers }: Incoming, there: ObjectVersion | undefined): boolean => {
  const { "if-match": match, "if-none-match": noneMatch } = headers
  if (match !== undefined && (there === undefined || !matches(match, there.etag))) return false
  return noneMatch === undefined || there === undefined || !matches(noneMatch, there.etag)
}
