import { randomUUID } from "node:crypto"
import type { Container } from "./state.ts"

/** A new container, visible to its project only. */
export const containerOf = (
  given: Pick<Container, "type" | "name" | "secrets">,
  now: number,
  { creator_id, project_id }: Pick<Container, "project_id" | "creator_id">
): Container => ({
  ...given,
  project_id,
  creator_id,
  id: randomUUID(),
  created: now,
  updated: now,
  acl: null,
  consumers: []
})
