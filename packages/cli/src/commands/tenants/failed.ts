import type { PorticoError } from "@portico/client/PorticoError"
import type { OnboardingRow } from "@portico/contract/Journal"
import { Clock, Effect, Ref } from "effect"
import { harmless } from "../../output/sanitize.ts"
import type { Portico } from "../../Portico.ts"
import { Screen } from "../../Screen.ts"
import { entryLines, nextOf } from "../journal/view.ts"
import { indented, styleOfNotes } from "../operator/lines.ts"
import { entriesOf, type Seen } from "./follow.ts"

interface About {
  readonly name: string
  /** The journal's entries of the name before the call. */
  readonly before: ReadonlyArray<OnboardingRow>
  readonly seen: Ref.Ref<Seen>
  /** The same call once more, as a command. */
  readonly again: string
}

/** `Onboarding stopped at router: …`, and what is left in the journal. */
const stopped = /^Onboarding stopped at ([^:]+): /

/**
 * What a person needs beside the refusal: which step failed, what was rolled
 * back, what is left and how to go on. The refusal itself is printed where all are.
 */
export const explained = Effect.fnUntraced(function* (portico: Portico, error: PorticoError, about: About) {
  const { note } = yield* Screen
  const style = yield* styleOfNotes
  const { paint, sign } = style
  const seen = yield* Ref.get(about.seen)
  const now = yield* Clock.currentTimeMillis
  const entries = yield* entriesOf(portico, about.name).pipe(Effect.orElseSucceed(() => undefined))
  const earlier = new Set(about.before.map((_) => _.attempt_id))
  const own = entries?.find((_) => !earlier.has(_.attempt_id))
  const lines: Array<string> = []

  if (error.code === "onboarding_failed") {
    const step = stopped.exec(error.detail)?.[1]
    if (step !== undefined) lines.push(`${paint.red(sign.failed)} ${harmless(step)} failed`)
    const left = new Set(own?.left.map((_) => _.step))
    const removed = seen.done.filter((_) => !left.has(_))
    if (removed.length > 0) lines.push(`Rolled back: ${removed.join(", ")}`)
    if (own !== undefined) lines.push(...entryLines(own, now, style), ...indented(nextOf(own)))
    else if (entries !== undefined) {
      lines.push(`Nothing is left, and the name is free. To try again: ${about.again}`)
    }
  } else if (error.code === "unreachable" || error.code === "unexpected_response") {
    lines.push(
      "Whether the tenant was onboarded is not known. The gateway carries a call that reached it to its end.",
      `To learn how it ended, ask again under the same key: ${about.again}`
    )
  } else if (error.code === "onboarding_in_progress") {
    for (const entry of entries ?? about.before)
      lines.push(...entryLines(entry, now, style), ...indented(nextOf(entry)))
  }
  if (lines.length > 0) yield* note(lines.join("\n"))
})
