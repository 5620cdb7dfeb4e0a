import type { IaasService } from "@portico/contract/IaasServices"
import type { Bases } from "./Bases.ts"

/** The catalog entry of a service, and the path after its address that stock clients expect. */
interface CatalogEntry {
  readonly service: IaasService
  /** The service types under which clients look for it, with the names that stock clouds give them: some ask for both. */
  readonly types: Readonly<Record<string, string>>
  /** @param version the version of the base with a leading slash, or an empty string */
  endpoint(version: string, projectId: string): string
}

const bare = () => ""

/** Clients append the version to most endpoints. The endpoints of compute and volume already contain it. */
const entries: ReadonlyArray<CatalogEntry> = [
  { service: "identity", types: { identity: "keystone" }, endpoint: bare },
  { service: "compute", types: { compute: "nova" }, endpoint: (version) => version },
  { service: "network", types: { network: "neutron" }, endpoint: bare },
  {
    service: "volume",
    types: { "block-storage": "cinder", volumev3: "cinderv3" },
    endpoint: (version, projectId) => `${version}/${projectId}`
  },
  { service: "image", types: { image: "glance" }, endpoint: bare },
  { service: "dns", types: { dns: "designate" }, endpoint: bare },
  { service: "load-balancer", types: { "load-balancer": "octavia" }, endpoint: bare },
  { service: "key-manager", types: { "key-manager": "barbican" }, endpoint: bare }
]

/**
 * The catalog of a token: the services of this cloud, each at the gateway's own address.
 *
 * @param address where the client reaches the services, with a trailing slash
 */
export const catalogOf = (bases: Bases, address: string, projectId: string, region: string) =>
  entries.flatMap(({ endpoint, service, types }) => {
    const base = bases.get(service)
    if (base === undefined) return []
    const version = base.version === undefined ? "" : `/${base.version}`
    const url = `${address}${service}${endpoint(version, projectId)}`
    return Object.entries(types).map(([type, name]) => ({
      id: type,
      type,
      name,
      endpoints: [{ id: `${type}-public`, interface: "public", region, region_id: region, url }]
    }))
  })
