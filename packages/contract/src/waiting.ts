import { isObject } from "./isObject.ts"

/** How a caller waits for what an operation began. */
export interface Waiting {
  /**
   * The operation to call again, as `group.endpoint`. Its path parameters are
   * fields of the response, and otherwise those of the request: a restore
   * answers with the name of the new database.
   */
  readonly read: string
  /** The field of its response that says how far the work is. */
  readonly field: string
  /** The values of the field with which the work is done. */
  readonly done: ReadonlyArray<string>
  /** The values with which it does not go on by itself. */
  readonly failed: ReadonlyArray<string>
  /** The work is done when what is read is a 404. */
  readonly gone?: true
  /** The topic whose events say that something has changed, keyed by the identifier. */
  readonly topic?: string
}

/**
 * The pause before a further read of the state, in milliseconds: 1 second, 1.5 times as long each time, at most 15 seconds.
 *
 * @param reads so far, from 1
 */
export const pauseAfter = (reads: number): number => Math.min(15_000, 1_000 * 1.5 ** (reads - 1))

/** Whether a read without an answer (null), or with an answer of this status, may succeed later. */
export const mayPass = (status: number | null): boolean =>
  status === null || status === 408 || status === 429 || status >= 500

/** The state of the work, as one read shows it. */
export type WorkState =
  | { readonly state: "done" | "failed" | "running"; readonly view: Readonly<Record<string, unknown>> }
  /** Done, and there is nothing left to read. */
  | { readonly state: "gone" }
  /** The next read may succeed. */
  | { readonly state: "unread" }
  | { readonly state: "unreadable" }

/** @param status of the answer; null when none came */
export const workStateOf = (
  { status, body }: { readonly status: number | null; readonly body: unknown },
  { done, failed, field, gone }: Waiting
): WorkState => {
  if (status === 404 && gone === true) return { state: "gone" }
  if (status === null || mayPass(status)) return { state: "unread" }
  if (status >= 400 || !isObject(body)) return { state: "unreadable" }
  const value = String(body[field])
  return { state: done.includes(value) ? "done" : failed.includes(value) ? "failed" : "running", view: body }
}
