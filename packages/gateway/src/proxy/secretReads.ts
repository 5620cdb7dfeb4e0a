import type { IncomingMessage } from "node:http"
import { word } from "../acts/reading.ts"
import { acceptsMetadata, besides } from "./rules/secretPayloads.ts"
import { iaasPrefix, kubernetesPrefix, pathOf } from "../requests/route.ts"

/**
 * Whether a proxied read returns secrets and is therefore recorded like a write: Secrets of the cluster (single, list
 * or watch), and payloads of the key manager, in any spelling that its router takes.
 */
export const readsSecrets = ({ headers, method, url = "" }: IncomingMessage): boolean => {
  if (method !== "GET") return false
  if (url.startsWith(kubernetesPrefix)) return isOfSecrets(segmentsOf(url, kubernetesPrefix))
  if (!url.startsWith(keyManagerPrefix)) return false
  const [version, secrets, id = "", part = ""] = segmentsOf(url, keyManagerPrefix)
  if (version !== "v1" || word(secrets) !== "secrets" || id === "") return false
  return word(part) === "payload" || (!besides.has(part) && !acceptsMetadata(headers.accept))
}

const keyManagerPrefix = `${iaasPrefix}key-manager/`

/** Secrets in the tenant's namespace or, for administrators, in all namespaces. */
const isOfSecrets = (segments: ReadonlyArray<string>): boolean => {
  const [root, , ...below] = segments
  if (root !== "api") return false
  const [scope, , resource] = below[0] === "watch" ? below.slice(1) : below
  return scope === "secrets" || (scope === "namespaces" && resource === "secrets")
}

const segmentsOf = (url: string, prefix: string): ReadonlyArray<string> => pathOf(url).slice(prefix.length).split("/")
