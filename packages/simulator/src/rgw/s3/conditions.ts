import type { Incoming } from "../../Wire.ts"
import type { ObjectVersion } from "../state.ts"

const bareTag = (tag: string): string => tag.trim().replaceAll(/^"|"$/g, "")

const matches = (header: string, etag: string): boolean => header === "*" || bareTag(header) === etag

/** Whole seconds, as such headers have them. NaN, which compares with nothing, for what is no date. */
const secondsOf = (header: string | undefined): number => Math.floor(Date.parse(header ?? "") / 1000)

/** What the conditions of a read come to. */
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
 * Whether an upload may replace what is there. Where versions are kept it is
 * the new version that is asked about, which nothing matches.
 */
export const mayReplace = ({ headers }: Incoming, there: ObjectVersion | undefined): boolean => {
  const { "if-match": match, "if-none-match": noneMatch } = headers
  if (match !== undefined && (there === undefined || !matches(match, there.etag))) return false
  return noneMatch === undefined || there === undefined || !matches(noneMatch, there.etag)
}
