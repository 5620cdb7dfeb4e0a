import { Flag } from "../effectCli.ts"

/** Of commands that ask before they do what cannot be undone. */
export const yesFlag = Flag.Boolean("yes").pipe(
  Flag.withAlias("y"),
  Flag.withDescription("Do not ask"),
  Flag.withDefault(false)
)
