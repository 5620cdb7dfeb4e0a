import { seesCosts } from "@portico/store/Credentials"
import { type Maker, type Makers, maxChainRead } from "@portico/store/makers"
import type { Memory } from "./Memory.ts"

/** `makersColumn` for the in-memory tables. */
export const makersIn = (memory: Memory["Service"], madeBy: string | null): Makers => {
  const makers: Array<Maker> = []
  let id = madeBy
  while (id !== null) {
    const maker = makers.length < maxChainRead ? makerIn(memory, id) : undefined
    makers.push(maker?.shown ?? gone(id))
    id = maker?.madeBy ?? null
  }
  return makers
}

const makerIn = (
  { credentials, workloadIssuers, workloadTokens }: Memory["Service"],
  id: string
): { readonly shown: Maker; readonly madeBy: string | null } | undefined => {
  const row = credentials.get(id)
  if (row !== undefined) {
    const { expires_at, former_units, kind, networks, ou, revokes_at, state, tier } = row
    const public_id = kind === "member" ? row.user_id : id
    const billing = seesCosts(row)
    const shown = { id, public_id, kind, tier, state, billing, networks, ou, former_units, expires_at, revokes_at }
    return { shown, madeBy: row.made_by }
  }
  const token = workloadTokens.get(id)
  if (token === undefined) return undefined
  const issuer = workloadIssuers.get(token.issuer_id)
  const works = issuer !== undefined && issuer.enabled && issuer.revision === token.revision
  const shown = {
    ...gone(id),
    public_id: token.issuer_id,
    tier: issuer?.tier ?? 0,
    state: works ? "active" : "revoked",
    expires_at: token.expires_at
  } as const
  return { shown, madeBy: token.made_by }
}

const gone = (id: string): Maker => ({
  id,
  public_id: null,
  kind: "workload",
  tier: 0,
  state: "gone",
  billing: true,
  networks: null,
  ou: null,
  former_units: [],
  expires_at: null,
  revokes_at: null
})

/** `madeBelow` for the in-memory tables. */
export const madeBelowIn = ({ credentials, workloadTokens }: Memory["Service"], maker: string): ReadonlySet<string> => {
  const below = new Set([maker])
  // The loop also visits the ids that it adds.
  for (const id of below) {
    for (const row of credentials.values()) if (row.made_by === id) below.add(row.credential_id)
    for (const token of workloadTokens.values()) if (token.made_by === id) below.add(token.token_hash)
  }
  below.delete(maker)
  return below
}
