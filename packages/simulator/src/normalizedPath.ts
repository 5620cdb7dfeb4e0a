import type { ServiceName } from "./Wire.ts"

const extension = /\.(json|txt|xml|html)$/i

/** Paths that Neutron's router breaks below an extension's prefix: `brokenRoutes` of Neutron. */
const isBroken = (method: string, path: string): boolean =>
  /^\/v2\.0\/qos\/(networks|ports)(\/[^/]*)?$/.test(path) || (method === "GET" && /\/tags(\/|$)/.test(path))

/**
 * The parts of a path that a service's router drops before it matches a route: formats, an `index`, a trailing
 * space of an id, an extension's prefix, and Neutron's `parent_controller`.
 */
const normalizers: Partial<Readonly<Record<ServiceName, (path: string, method: string) => string>>> = {
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

export const normalizePath = (service: ServiceName, path: string, method: string): string => {
  const normalize = normalizers[service]
  return normalize === undefined || path === "/" ? path : normalize(path, method)
}
