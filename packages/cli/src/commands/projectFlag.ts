import { Flag } from "../effectCli.ts"

/** Of operations that a platform administrator calls for a tenant. */
export const projectFlag = Flag.String("project").pipe(
  Flag.withDescription("The id of a project. For platform administrators, who have none of their own"),
  Flag.withMetavar("project-id"),
  Flag.optional
)
