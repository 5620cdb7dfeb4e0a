import type { NewCredential } from "../src/Credentials.ts"
import type { Successor } from "../src/Rotations.ts"

/** An active credential of one project, unless the story says otherwise. */
export const credential = (id: string, change: Partial<NewCredential> = {}): NewCredential => ({
  credential_id: id,
  project_id: "project-1",
  user_id: `user-${id}`,
  kind: "api-key",
  tier: 1,
  label: `credential ${id}`,
  state: "active",
  client_id: `client-${id}`,
  pat_hash: null,
  created_by: "operator",
  expires_at: null,
  ...change
})

/** The record of a credential that is to replace another one; its rights are its own. */
export const successor = (id: string, rotates: string, change: Partial<NewCredential> = {}): Successor => {
  const { expires_at, kind, made_by = null, tier, ...others } = credential(id, { state: "minting", ...change })
  return { ...others, rotates, rights: { expires_at, kind, made_by, tier } }
}
