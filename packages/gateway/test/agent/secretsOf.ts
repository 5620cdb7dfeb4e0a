import { Redacted } from "effect"

/** Names of fields whose values are secrets, in the simulated cloud, in the tables and in answers that mint. */
const named =
  /^(?:password|passphrase|payload|secret|secret_key|secretKey|secretAccessKey|client_secret|clientSecret|token|access_token|accessToken|refreshToken|pat|pat_hash|adminPass|private_key|d)$/

/** Shorter ones occur by chance. */
const shortest = 8

/** A certificate lies beside its key in a Secret, and everybody may read it. */
const isPublic = (value: string): boolean => {
  const text = value.startsWith("LS0t") ? Buffer.from(value, "base64").toString("utf8") : value
  return /^-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----\s*$/.test(text)
}

/** Every secret in a value: strings in fields of such names, what is redacted, and the data of Kubernetes Secrets. */
export const secretsOf = (value: unknown, found = new Set<string>(), name = "", within = ""): ReadonlySet<string> => {
  if (Redacted.isRedacted(value)) return secretsOf(Redacted.value(value), found, "secret", within)
  if (typeof value === "string") {
    const isData = within === "secrets" && name !== "host" // of a database, beside its password: answers say where it is
    if ((named.test(name) || isData) && value.length >= shortest) {
      const decoded = Buffer.from(value, "base64").toString("utf8")
      const isBase64 = decoded.length >= shortest && Buffer.from(decoded).toString("base64") === value
      for (const one of isBase64 ? [value, decoded] : [value]) if (!isPublic(one)) found.add(one)
    }
    return found
  }
  if (value instanceof Map) for (const [key, one] of value) secretsOf(one, found, String(key), within)
  else if (Array.isArray(value)) for (const one of value) secretsOf(one, found, name, within)
  else if (typeof value === "object" && value !== null) {
    for (const [key, one] of Object.entries(value)) {
      const below = within === "secret objects" && (key === "data" || key === "stringData") ? "secrets" : within
      secretsOf(one, found, key, key === "secrets" ? "secret objects" : below)
    }
  }
  return found
}

/** The secrets that stand in a text, in plain, escaped for JSON, for URLs or in Base64. */
export const foundIn = (text: string, secrets: Iterable<string>): ReadonlyArray<string> =>
  [...secrets].filter((secret) =>
    [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
      Buffer.from(secret).toString("base64")
    ].some((_) => text.includes(_))
  )
