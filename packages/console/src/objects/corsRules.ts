import type { portico } from "../api/portico.ts"

export type CorsRule = Awaited<ReturnType<typeof portico.objectStorage.cors>>["rules"][number]

/** What a presigned upload sends beside its content. */
const sent = ["content-type", "if-none-match"]

/** Whether a pattern with at most one `*` stands for a text. */
const matches = (pattern: string, text: string): boolean => {
  const at = pattern.indexOf("*")
  if (at < 0) return pattern === text
  const [before, after] = [pattern.slice(0, at), pattern.slice(at + 1)]
  return text.length >= before.length + after.length && text.startsWith(before) && text.endsWith(after)
}

const allowsHeaders = ({ allowed_headers }: CorsRule): boolean =>
  sent.every((header) => allowed_headers.some((_) => matches(_.toLowerCase(), header)))

/** Whether a page of the origin can upload into the bucket. One rule has to allow everything. */
export const allowsUploads = (rules: ReadonlyArray<CorsRule>, origin: string): boolean =>
  rules.some(
    (rule) =>
      rule.allowed_methods.includes("PUT") &&
      rule.allowed_origins.some((_) => matches(_, origin)) &&
      allowsHeaders(rule)
  )

/** The rules of the bucket, and one more for uploads from the origin. */
export const withUploads = (rules: ReadonlyArray<CorsRule>, origin: string): ReadonlyArray<CorsRule> => [
  ...rules,
  {
    allowed_origins: [origin],
    allowed_methods: ["PUT"],
    allowed_headers: sent,
    expose_headers: [],
    max_age_seconds: 600
  }
]
