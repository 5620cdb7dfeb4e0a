import type { OnboardingRow } from "@portico/contract/Journal"
import { harmless } from "../../output/sanitize.ts"
import { columns, indented, type Style } from "../operator/lines.ts"
import { lasting, plural, since } from "../operator/words.ts"

const colors = { running: "cyan", withdrawing: "yellow", stuck: "red", resting: "dim" } as const

const untilLease = ({ lease_ends }: OnboardingRow, now: number): string => {
  const rest = Date.parse(lease_ends) - now
  return rest > 0 ? `in ${lasting(rest)}` : "any moment now"
}

/** What happens to an entry next, and what an operator can do about it. */
export const nextOf = (entry: OnboardingRow): ReadonlyArray<string> => {
  const retry = `portico journal retry ${entry.attempt_id}`
  switch (entry.state) {
    case "running":
      return ["It completes or turns back by itself. When its process is gone, another one rolls it back."]
    case "withdrawing":
      return ["It is being rolled back; there is nothing to do."]
    case "stuck":
      return [`Fix the cause, or remove the part by hand. Then: ${retry}`]
    case "resting":
      return [
        "It is removed and its name is free. What takes effect late is looked for once more; there is nothing to do."
      ]
  }
}

/** What is left, the cause first: the rest is kept until that is gone. */
const leftOf = ({ left }: OnboardingRow) => {
  const isKept = ({ message }: { readonly message: string }) => message.startsWith("kept until ")
  return [...left.filter((_) => !isKept(_)), ...left.filter(isKept)]
}

/** An entry in a few lines. */
export const entryLines = (entry: OnboardingRow, now: number, style: Style): ReadonlyArray<string> => {
  const { paint } = style
  const { failure, state } = entry
  const when = {
    running: `its lease ends ${untilLease(entry, now)}`,
    withdrawing: `its lease ends ${untilLease(entry, now)}`,
    stuck: `tried again ${untilLease(entry, now)}`,
    resting: `looked at again ${untilLease(entry, now)}`
  }[state]
  return [
    `Attempt ${entry.attempt_id}: ${paint[colors[state]](state)}, ${when}`,
    ...indented([
      ...(failure === null ? [] : [`failed at ${harmless(failure)}`]),
      ...leftOf(entry).map((_) => `left: ${harmless(_.step)} (${harmless(_.message)})`)
    ])
  ]
}

/** The table of the journal. */
export const journalText = (entries: ReadonlyArray<OnboardingRow>, now: number, style: Style): string => {
  const { paint } = style
  if (entries.length === 0) return "No onboarding is under way or left behind: there is nothing to do."
  const rows = entries.map((_) => [
    _.attempt_id,
    _.name,
    _.tier,
    [_.state, colors[_.state]] as const,
    _.step ?? "",
    since(_.started_at, now),
    leftOf(_)
      .map(({ step }) => step)
      .join(", ")
  ])
  const [head = "", ...lines] = columns([["ATTEMPT", "NAME", "TIER", "STATE", "STEP", "AGE", "LEFT"], ...rows], style)
  const stuck = entries.filter((_) => _.state === "stuck")
  return [
    paint.bold(head),
    ...lines,
    ...(stuck.length === 0 ? [] : ["", `${paint.red(plural(stuck.length, "attempt is", "attempts are"))} stuck:`]),
    ...stuck.flatMap((_) => [...indented(entryLines(_, now, style)), ...indented(nextOf(_), 4)])
  ].join("\n")
}

/** One entry with all its steps. */
export const entryText = (entry: OnboardingRow, now: number, style: Style): string => {
  const { paint, sign } = style
  const left = new Set(entry.left.map((_) => _.step))
  const mark = (step: string, done: boolean): string =>
    left.has(step)
      ? paint.red(sign.failed)
      : step === entry.step
        ? paint.cyan(sign.waiting)
        : done
          ? paint.green(sign.done)
          : paint.dim(sign.skipped)
  return [
    `${paint.bold(harmless(entry.name))} (${entry.slug}), tier ${entry.tier}, begun ${since(entry.started_at, now)} ago`,
    ...entryLines(entry, now, style),
    ...(entry.withdrawals === 0 ? [] : [`  rolled back ${plural(entry.withdrawals, "time")} so far`]),
    "Steps",
    ...indented(
      entry.steps.map(({ done, step }) => {
        const now = step === entry.step ? (entry.state === "running" ? " (runs now)" : " (is being removed now)") : ""
        return `${mark(step, done)} ${harmless(step)}${now}${left.has(step) ? " (left)" : ""}`
      })
    ),
    ...nextOf(entry)
  ].join("\n")
}
