import type { Me } from "../app/me.ts"
import type { Credential } from "./credential.ts"

/** A tier-2 person ends any credential of the account. */
export const mayRevoke = (me: Me): boolean => me.tier >= 2

/** Everyone renews what is theirs; another's credential ends with it, which needs tier 2. */
export const mayRotate = (me: Me, { created_by, made_by, tier }: Credential): boolean =>
  me.tenant !== null && (me.tier >= 2 || (me.tier >= tier && [created_by, made_by].includes(me.user_id)))
