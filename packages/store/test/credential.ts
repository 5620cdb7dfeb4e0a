import type { NewCredential } from "../src/Credentials.ts"

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
