import { Effect } from "effect"
import type { WriteStream } from "node:tty"

/** What a person sees while cases are played. */
export interface Progress {
  readonly begin: (words: string) => Effect.Effect<void>
  readonly played: (count: number, all: number, isBad: boolean) => void
  readonly end: Effect.Effect<void>
}

/** A line that is written anew on a terminal, and one line in a log. */
export const progressOn = (stream: WriteStream): Effect.Effect<Progress> =>
  Effect.sync(() => {
    let bad = 0
    const isTerminal = stream.isTTY === true
    const line = (text: string) => {
      if (isTerminal) stream.write(`\r\u001b[2K${text}`)
    }
    return {
      begin: (words) => Effect.sync(() => (isTerminal ? line(words) : stream.write(`${words}\n`))),
      played: (count, all, isBad) => {
        if (isBad) bad += 1
        line(`${count} of ${all} cases${bad === 0 ? "" : `, ${bad} failed`}`)
      },
      end: Effect.sync(() => line(""))
    }
  })
