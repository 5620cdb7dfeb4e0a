import type { ServiceName } from "./Wire.ts"

const extension = /\.(json|txt|xml|html)$/i

/**
 * What a system's router overlooks in a path before it looks for a route:
 * formats, an `index`, a space behind an id, the prefix of an extension, and
 * where Neutron's own objects lead back to one that was passed.
 */
const overlooking: Partial<Readonly<Record<ServiceName, (path: string) => string>>> = {
  neutron: (path) =>
    path
      .replace(/^\/v2\.0\/qos(?=\/(?!policies|rule-types))/, "/v2.0")
      .replace(/(?:\/index)?(?:\.json)?\/?$/i, "")
      .replace(/\/[^/]+\/parent_controller$/, "")
      .replace(/%20$/, ""),
  cinder: (path) => path.replace(/\.json$/, "").replace(/%20$/, ""),
  octavia: (path) => path.replace(/\.(json|xml)$/i, ""),
  barbican: (path) => path.replace(/\/index(?=$|\/$)/, "").replace(extension, "")
}

export const withoutOverlooked = (service: ServiceName, path: string): string => {
  const overlook = overlooking[service]
  return overlook === undefined || path === "/" ? path : overlook(path)
}
