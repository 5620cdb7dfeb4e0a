import type { portico } from "../api/portico.ts"

type Quotas = Awaited<ReturnType<typeof portico.quotas.show>>

/** A limit, in the unit in which it is written. */
export interface QuotaRow {
  readonly name:
    | "cores"
    | "ram"
    | "instances"
    | "volumes"
    | "gigabytes"
    | "floating_ips"
    | "networks"
    | "routers"
    | "load_balancers"
    | "nat_gateways"
    | "dns_zones"
    | "edge_exposures"
    | "buckets"
    | "bytes"
    | "database_gigabytes"
    | "credentials"
  /** Null where it could not be read. */
  readonly used: number | null
  /** Below zero: unlimited. */
  readonly limit: number
  readonly unit: "count" | "bytes"
}

interface Usage {
  readonly used: number | null
  readonly limit: number
}

const mib = 1024 ** 2
const gib = 1024 ** 3

const counted = (name: QuotaRow["name"], { limit, used }: Usage): QuotaRow => ({ name, used, limit, unit: "count" })

const sized = (name: QuotaRow["name"], { limit, used }: Usage, unit: number): QuotaRow => ({
  name,
  used: used === null ? null : used * unit,
  limit: limit < 0 ? limit : limit * unit,
  unit: "bytes"
})

/** The limits that somebody fills; what nothing counts is left out. */
export const rowsOf = (_: Quotas): ReadonlyArray<QuotaRow> => [
  counted("cores", _.compute.cores),
  sized("ram", _.compute.ram, mib),
  counted("instances", _.compute.instances),
  counted("volumes", _.block_storage.volumes),
  sized("gigabytes", _.block_storage.gigabytes, gib),
  counted("floating_ips", _.network.floating_ips),
  counted("networks", _.network.networks),
  counted("routers", _.network.routers),
  counted("load_balancers", _.load_balancers),
  counted("nat_gateways", _.nat_gateways),
  sized("database_gigabytes", _.databases.gigabytes, gib),
  counted("buckets", _.object_storage.buckets),
  sized("bytes", _.object_storage.bytes, 1),
  counted("dns_zones", _.dns_zones),
  counted("edge_exposures", _.edge_exposures),
  counted("credentials", _.credentials)
]

const shareOf = ({ limit, used }: QuotaRow): number => {
  if (used === null || limit < 0) return 0
  return limit === 0 ? (used > 0 ? 1 : 0) : used / limit
}

/** The fullest, in the order of the list. */
export const fullest = (rows: ReadonlyArray<QuotaRow>, count: number): ReadonlyArray<QuotaRow> => {
  const chosen = new Set(rows.toSorted((one, other) => shareOf(other) - shareOf(one)).slice(0, count))
  return rows.filter((_) => chosen.has(_))
}
