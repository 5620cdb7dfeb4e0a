import { Data } from "effect"

/** What became of one test. */
export interface Result {
  /** Its name: `package.module.Class.test_it`, or `package/v2.TestIt`. */
  readonly test: string
  readonly status: "success" | "fail" | "skip" | "xfail" | "uxsuccess"
  /** The traceback of a failure, or the reason of a skip. */
  readonly said: string
}

/** A suite's own program is not there. */
export class NotInstalled extends Data.TaggedError("NotInstalled")<{ readonly message: string }> {}
