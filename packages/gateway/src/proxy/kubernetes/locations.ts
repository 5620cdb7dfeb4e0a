import { kubernetesPrefix } from "../../requests/Place.ts"

/**
 * Makes addresses in an answer's head the gateway's, so that a client can
 * follow them. Undefined for what names another internal host.
 *
 * @param base the API server's address, without a slash at the end
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
