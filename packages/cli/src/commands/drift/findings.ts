import type { DriftDimension, TenantDrift } from "@portico/contract/Drift"
import { harmless } from "../../output/sanitize.ts"
import { type Cell, columns, indented, type Style } from "../operator/lines.ts"
import { plural } from "../operator/words.ts"

const serviceWords = {
  nova: "compute",
  cinder: "block storage",
  neutron: "network",
  octavia: "load balancers",
  rgw: "object storage"
} as const

/** In the order in which an operator reads them: what is drift comes first. */
const kinds = ["absent", "drifted", "unreadable", "held"] as const
type Kind = (typeof kinds)[number]

const kindWords: Readonly<Record<Kind, string>> = {
  absent: "the service has nothing for the tenant",
  drifted: "not as the tier has it",
  unreadable: "the service could not be read",
  held: "above the tier, because that much is in use: no drift"
}

const colors = { absent: "red", drifted: "red", unreadable: "yellow", held: "dim" } as const

/** What is to be done about a tenant, the cause first. */
export const remediesOf = ({ complete, drifted, tag, tenant }: TenantDrift): ReadonlyArray<string> => {
  const { pending_tier, project_id } = tenant
  if (tag.state === "absent") {
    return [
      "Its project is not there, so that no quota can be written. Find out who removed it; " +
        `'portico account close --project ${project_id}' ends what is left of the account.`
    ]
  }
  const pending =
    pending_tier === null
      ? []
      : pending_tier === "suspended"
        ? [`A suspension is under way or stopped half way. Complete it: portico tenants suspend ${project_id}`]
        : [
            `A move to tier ${harmless(pending_tier)} is under way or stopped half way. Complete it: ` +
              `portico tenants move-tier ${project_id} --tier ${harmless(pending_tier)}`
          ]
  const repair =
    drifted && pending_tier === null
      ? [`Write the quotas and tags of its tier again: portico drift repair ${project_id}`]
      : []
  const unreadable = complete
    ? []
    : [`There may be more. When the service answers ('portico doctor'): portico drift --project-id ${project_id}`]
  return [...pending, ...repair, ...unreadable]
}

const numberOf = (dimension: DriftDimension, value: number | null): string => {
  if (value === null) return "nothing"
  if (dimension.dimension === "max_buckets") return value < 0 ? "none" : value === 0 ? "unlimited" : String(value)
  return value < 0 ? "unlimited" : String(value)
}

const tagWords = ({ tag }: TenantDrift): string => {
  const tiers = tag.tiers.length === 0 ? "no tier" : `tier ${tag.tiers.join(", ")}`
  return `${tiers}${tag.suspended ? ", suspended" : ""}`
}

/** What a tenant should have in its tags. */
const wantedTag = ({ tenant }: TenantDrift): string => `tier ${tenant.tier}${tenant.suspended ? ", suspended" : ""}`

/** The findings of one kind, a line each. */
const linesOf = (row: TenantDrift, kind: Kind, style: Style): ReadonlyArray<string> => {
  const { dimensions, tag } = row
  const ofTag: ReadonlyArray<ReadonlyArray<Cell>> =
    tag.state === kind
      ? [
          [
            "project",
            "tags",
            kind === "unreadable" ? (tag.message ?? "") : `${tagWords(row)}, wanted ${wantedTag(row)}`
          ]
        ]
      : []
  // All quotas of a service that cannot be read have the same reason.
  const unreadable = [...new Map(dimensions.map((_) => [_.service, _])).values()]
  const found = (kind === "unreadable" ? unreadable : dimensions).filter((_) => _.state === kind)
  const cells = found.map((_): ReadonlyArray<Cell> => [
    serviceWords[_.service],
    kind === "unreadable" ? "quotas" : _.dimension,
    kind === "unreadable" ? (_.message ?? "") : `${numberOf(_, _.actual)}, wanted ${numberOf(_, _.wanted)}`
  ])
  const lines = columns([...ofTag, ...cells], style)
  return lines.length === 0 ? [] : [`${style.paint[colors[kind]](kind)}: ${kindWords[kind]}`, ...indented(lines)]
}

/** A tenant with its findings; nothing for one that is as it should be. */
const tenantLines = (row: TenantDrift, style: Style): ReadonlyArray<string> => {
  const { tenant } = row
  const lines = kinds.flatMap((_) => linesOf(row, _, style))
  if (lines.length === 0 && tenant.pending_tier === null) return []
  const about = `tier ${tenant.tier}${tenant.suspended ? ", suspended" : ""}`
  return [
    `${style.paint.bold(harmless(tenant.tenant_name))} (${tenant.project_id}), ${about}`,
    ...indented([...lines, ...remediesOf(row)]),
    ""
  ]
}

/** How many tenants there are, and how many are not as they should be. */
export const countsOf = (rows: ReadonlyArray<TenantDrift>) => ({
  tenants: rows.length,
  drifted: rows.filter((_) => _.drifted).length,
  incomplete: rows.filter((_) => !_.complete).length
})

export const driftText = (rows: ReadonlyArray<TenantDrift>, style: Style): string => {
  const { drifted, incomplete, tenants } = countsOf(rows)
  const unread = incomplete === 0 ? "" : `, ${incomplete} could not be read completely`
  return [
    ...rows.flatMap((_) => tenantLines(_, style)),
    `${plural(tenants, "tenant")}: ${drifted === 0 ? "none" : drifted} drifted${unread}.`
  ].join("\n")
}
