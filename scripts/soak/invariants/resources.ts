import { leftIn } from "@portico/testing/cloud/leftovers"
import { type Check, type Facts, finding } from "./check.ts"

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

/** The ledger stays when its tenants go; nothing else of theirs does. */
const stays: ReadonlySet<string> = new Set(["billing.events", "billing.invoices", "billing.retired", "keystone.tokens"])

const ownedBy = ({ tenants, users }: Facts): ReadonlyArray<string> => [
  ...tenants.flatMap((_) => [_.project_id, _.stamp]),
  ...users
]

/** Each thing in the cloud is a live tenant's; a user of the identity provider is one that a row knows. */
export const noOrphan: Check = (_, facts) => {
  const owners = ownedBy(facts)
  const things = leftIn(facts.cloud).added.filter(({ kind }) => !stays.has(kind))
  const texts = new Map(
    Object.entries(facts.cloud).map(([kind, values]) => [kind, values.map((value) => JSON.stringify(value))])
  )
  const orphans = things.filter(({ kind, name }) => {
    const text = (texts.get(kind) ?? []).filter((_) => _.includes(name.replace(/…$/, "")))
    return !text.some((one) => owners.some((owner) => one.includes(owner)))
  })
  return finding(
    "no orphan",
    "Everything in the cloud belongs to a tenant of the store, or to a user that the store knows.",
    things.length,
    orphans.map(({ kind, name }) => `${kind} ${name}`)
  )
}

/** Once every tenant was deleted, the cloud and the store are as before the first one. */
export const cleanSlate: Check = (_, { emptied, rowsLeft, tenants }) => {
  const left = emptied === undefined ? [] : leftIn(emptied).added.filter(({ kind }) => !stays.has(kind))
  const removed = emptied === undefined ? [] : leftIn(emptied).removed
  return finding(
    "clean slate",
    "Once all tenants are deleted, the cloud and the store are as before the first one.",
    tenants.length,
    [
      ...(emptied === undefined ? ["not every tenant could be deleted"] : []),
      ...left.map(({ kind, name }) => `left: ${kind} ${name}`),
      ...removed.map(({ kind, name }) => `missing: ${kind} ${name}`),
      ...rowsLeft
    ]
  )
}

export const noDrift: Check = (_, { compared, drifted }) =>
  finding("no drift", "Each service enforces what each tenant's tier grants.", compared, drifted)
