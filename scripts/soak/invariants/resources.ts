import { leftIn, type Resource } from "@portico/testing/cloud/leftovers"
import { type Check, finding } from "./check.ts"

/** What clients know for certain is what the gateway lists. */
export const nothingLost: Check = ({ things }, { listed, listings }) => {
  const certain = [...things.values()].filter((_) => _.known !== "unknown" && listings.has(`${_.kind} ${_.tenant}`))
  return finding(
    "nothing lost",
    "What was answered as made is listed, and what was answered as removed is not.",
    certain.length,
    certain.flatMap(({ id, kind, known, tenant }) =>
      listed.has(`${kind} ${id}`) === (known === "there")
        ? []
        : [`${kind} ${id} of ${tenant} is ${known === "there" ? "missing" : "still there"}`]
    )
  )
}

/**
 * The ledger stays when its tenants go, and so do their budgets, which no deletion of a project removes from the billing
 * service. Tokens end by themselves.
 */
const stays: ReadonlySet<string> = new Set([
  "billing.events",
  "billing.invoices",
  "billing.retired",
  "billing.budgets",
  "keystone.tokens",
  "zitadel.tokens",
  // Nova keeps the history of servers that are gone, and nobody can remove it.
  "nova.instance_actions",
  "kubernetes.events",
  // What the simulated operators remember of volumes, which no API shows.
  "kubernetes.disks"
])

/**
 * Each thing in the cloud is a live tenant's, or a user that a row knows, or belongs to such a thing: the port of a
 * router names the router alone.
 */
export const noOrphan: Check = (_, { cloud, tenants, users }) => {
  const owners = new Set([...tenants.flatMap((_) => [_.project_id, _.stamp]), ...users])
  const things = cloud.filter(({ kind }) => !stays.has(kind))
  let orphans: typeof things = things
  for (let before = -1; before !== orphans.length;) {
    before = orphans.length
    orphans = orphans.filter(({ key, text }) => {
      const owned = [...owners].some((owner) => key.includes(owner) || text.includes(owner))
      if (owned && /[0-9a-f]{8}-|^[0-9a-f]{32}$/.test(key)) owners.add(key)
      return !owned
    })
  }
  return finding(
    "no orphan",
    "Everything in the cloud belongs to a tenant of the store, or to a user that the store knows.",
    things.length,
    orphans.map(({ key, kind, text }) => `${kind} ${key}: ${text.slice(0, 200)}`)
  )
}

/** Once every tenant was deleted, the cloud and the store are as before the first one. */
export const cleanSlate: Check = (_, { emptied, rowsLeft, tenants }) => {
  const { added, removed } = emptied === undefined ? { added: [], removed: [] } : leftIn(emptied)
  // The platform's own objects stay, and count what was attached to them.
  const isChanged = (one: Resource) =>
    [added, removed].every((all) => all.some(({ kind, name }) => kind === one.kind && name === one.name))
  const left = added.filter((_) => !stays.has(_.kind) && !isChanged(_))
  const missing = removed.filter((_) => !isChanged(_))
  return finding(
    "clean slate",
    "Once all tenants are deleted, the cloud and the store are as before the first one.",
    tenants.length,
    [
      ...(emptied === undefined ? ["not every tenant could be deleted"] : []),
      ...left.map(({ kind, name }) => `left: ${kind} ${name}`),
      ...missing.map(({ kind, name }) => `missing: ${kind} ${name}`),
      ...rowsLeft
    ]
  )
}

export const noDrift: Check = (_, { compared, drifted }) =>
  finding("no drift", "Each service enforces what each tenant's tier grants.", compared, drifted)
