import type { ServiceName } from "./Wire.ts"

const extension = /\.(json|txt|xml|html)$/i

/** What breaks behind the prefix of an extension that it is no part of: `brokenRoutes` of Neutron. */
const isBroken = (method: string, path: string): boolean =>
  /^\/v2\.0\/qos\/(networks|ports)(\/[^/]*)?$/.test(path) || (method === "GET" && /\/tags(\/|$)/.test(path))

/**
 * What a system's router overlooks in a path before it looks for a route:
 * formats, an `index`, a space behind an id, the prefix of an extension, and
 * where Neutron's own objects lead back to one that was passed.
 */
const overlooking: Partial<Readonly<Record<ServiceName, (path: string, method: string) => string>>> = {
  neutron: (path, method) => {
    const stem = path
      .replace(/(?:\/index)?(?:\.json)?\/?$/i, "")
      .replace(/\/[^/]+\/parent_controller$/, "")
      .replace(/%20$/, "")
    return isBroken(method, stem) ? stem : stem.replace(/^\/v2\.0\/qos(?=\/(?!policies|rule-types))/, "/v2.0")
  },
  cinder: (path) => path.replace(/\.json$/, "").replace(/%20$/, ""),
  octavia: (path) => path.replace(/\.(json|xml)$/i, ""),
  barbican: (path) => path.replace(/\/index(?=$|\/$)/, "").replace(extension, "")
}

export const withoutOverlooked = (service: ServiceName, path: string, method: string): string => {
  const overlook = overlooking[service]
  return overlook === undefined || path === "/" ? path : overlook(path, method)
}
