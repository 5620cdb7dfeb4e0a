import { Predicate } from "effect"

/** The fields of the contract whose value no second answer has. */
const names = new Set(["client_secret", "pat", "secret", "secret_key", "access_token"])

/** Names and values of the one-time secrets in an answer; a repeated answer has null in their place. */
const secretsIn = (value: unknown): ReadonlyArray<readonly [name: string, secret: string]> => {
  if (Array.isArray(value)) return value.flatMap(secretsIn)
  if (!Predicate.isObject(value)) return []
  return Object.entries(value).flatMap(([name, below]) =>
    typeof below === "string" ? (names.has(name) ? [[name, below] as const] : []) : secretsIn(below)
  )
}

const textsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return Predicate.isObject(value) ? Object.values(value).flatMap(textsIn) : []
}

/** What a person reads beside one-time secrets: to keep those that were printed, and what to do for the others. */
export const secretsNote = (answer: unknown, printed: unknown, instead: string): string | undefined => {
  const secrets = secretsIn(answer)
  const seen = new Set(textsIn(printed))
  const lost = new Set(secrets.filter(([, secret]) => !seen.has(secret)).map(([name]) => name))
  const lines = [
    ...(secrets.some(([, secret]) => seen.has(secret)) ? ["The secrets are shown this once. Keep them now."] : []),
    ...(lost.size === 0 ? [] : [`${[...lost].join(", ")}: not shown, and cannot be shown again. ${instead}`])
  ]
  return lines.length === 0 ? undefined : lines.join("\n")
}
