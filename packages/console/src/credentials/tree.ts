import type { Credential } from "./credential.tsx"

export interface Made {
  readonly credential: Credential
  /** What it made in turn. */
  readonly made: ReadonlyArray<Made>
}

export interface Maker {
  /** A user id, an `issuer_id`, or empty for credentials that no record bounds. */
  readonly id: string
  readonly made: ReadonlyArray<Made>
}

const below = (credentials: ReadonlyArray<Credential>) => {
  const byMaker = Map.groupBy(credentials, (_) => _.made_by ?? "")
  const madeBy = (id: string): ReadonlyArray<Made> =>
    (byMaker.get(id) ?? []).map((credential) => ({ credential, made: madeBy(credential.credential_id) }))
  return { makers: [...byMaker.keys()], madeBy }
}

/** What a maker made, and what that made in turn. */
export const madeBy = (credentials: ReadonlyArray<Credential>, id: string): ReadonlyArray<Made> =>
  below(credentials).madeBy(id)

/** Who made what: people and clusters first, below each what it made. */
export const treeOf = (credentials: ReadonlyArray<Credential>): ReadonlyArray<Maker> => {
  const known = new Set(credentials.map((_) => _.credential_id))
  const { madeBy, makers } = below(credentials)
  return makers.filter((_) => !known.has(_)).map((id) => ({ id, made: madeBy(id) }))
}

/** How many credentials are below a maker, at any depth. */
export const countOf = (made: ReadonlyArray<Made>): number => made.reduce((sum, _) => sum + 1 + countOf(_.made), 0)
