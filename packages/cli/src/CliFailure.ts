import { Data } from "effect"
import type { Exit } from "./ExitCode.ts"

/** A failure of the command line's own, in people's words. What the gateway refuses is a `PorticoError`. */
export class CliFailure extends Data.TaggedError("CliFailure")<{
  readonly exit: Exit
  /** What is wrong: one sentence without a full stop at its end. */
  readonly message: string
  /** What to do about it, such as the command to run next. */
  readonly hint?: string | undefined
  /** The exit code of a program that was run, and that has said itself what is wrong. */
  readonly code?: number | undefined
}> {}
