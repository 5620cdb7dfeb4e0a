import { type Arriving, type Verdict, withoutFormat } from "./verdict.ts"

/** Does the secret store answer what is in a secret? Only people may read that. */
export const secretVerdict = (call: Arriving, human: boolean): Verdict => {
  if (call.method !== "GET" && call.method !== "HEAD") return "harmless"
  const segments = withoutFormat(call.segments, extension)
  const [version, collection, id, sub, more] = segments
  if (version !== "v1" || collection !== "secrets" || id === undefined || more !== undefined) return "harmless"
  const payload = sub === "payload" || (sub === undefined && !metadataWanted(call.headers["accept"]))
  return payload && !human ? "dangerous" : "harmless"
}

/** The service answers a secret's metadata to these, and its payload to any other, an empty one included. */
const metadataWanted = (accept: string | undefined): boolean =>
  accept === undefined || accept === "*/*" || accept === "application/json"

/** The service takes any extension that it knows off the last segment, and guesses a content type from it. */
const extension = /\.(?:json|txt|xml|html|htm|js|css|csv|bin|pdf|png|zip)$/i
