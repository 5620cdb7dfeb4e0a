import { kubernetesPrefix } from "../../requests/route.ts"

/**
 * Rewrites addresses in response headers to the gateway's, so that clients can follow them. Undefined for the address
 * of another internal host.
 *
 * @param base the API server's address, without a trailing slash
 */
export const locationOf =
  (base: string) =>
  (name: "link" | "location", value: string): string | undefined => {
    if (name === "link") return undefined
    const { origin } = new URL(base)
    const path = base.slice(origin.length)
    const own = (local: string) =>
      local.startsWith(`${path}/`) ? kubernetesPrefix + local.slice(path.length + 1) : undefined
    if (value.startsWith(`${origin}/`)) return own(value.slice(origin.length))
    if (/^[a-z][a-z0-9+.-]*:/i.test(value) || value.startsWith("//")) return undefined
    return value.startsWith("/") ? own(value) : value
  }
