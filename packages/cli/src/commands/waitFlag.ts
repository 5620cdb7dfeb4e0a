import { Flag } from "../effectCli.ts"

/** Whether a command waits for what it began; none when neither `--wait` nor `--no-wait` is given. */
export const waitFlag = (description: string) =>
  Flag.Boolean("wait").pipe(Flag.withDescription(description), Flag.optional)
