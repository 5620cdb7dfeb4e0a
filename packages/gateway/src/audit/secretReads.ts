import { kubernetesPrefix } from "../proxy/kubernetes/target.ts"
import { iaasPrefix } from "../proxy/links.ts"
import { pathOf } from "./Place.ts"

/**
 * Whether a proxied read is one of secrets, and recorded as a write is: Secrets
 * of the cluster, one or many or watched, and payloads of the key manager. A
 * path in any other spelling is refused, and reads nothing.
 */
export const readsSecrets = (method: string | undefined, url: string): boolean => {
  if (method !== "GET") return false
  if (url.startsWith(kubernetesPrefix)) {
    const [root, version, scope, , resource, name, subresource] = segmentsOf(url, kubernetesPrefix)
    return (
      root === "api" &&
      version !== undefined &&
      // Administrators list them in all namespaces, too.
      (scope === "secrets" ||
        (scope === "watch" && url.includes("/secrets")) ||
        (scope === "namespaces" && resource === "secrets")) &&
      (name === undefined || subresource === undefined || subresource === "")
    )
  }
  if (!url.startsWith(iaasPrefix)) return false
  const [service, version, secrets, id, part] = segmentsOf(url, iaasPrefix)
  return (
    service === "key-manager" && version === "v1" && secrets === "secrets" && id !== undefined && part === "payload"
  )
}

const segmentsOf = (url: string, prefix: string): ReadonlyArray<string> => pathOf(url).slice(prefix.length).split("/")
