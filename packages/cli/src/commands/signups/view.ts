import type { AdmissionNumbers } from "@portico/contract/Admission"
import type { Capacity, SignupRow } from "@portico/contract/Signups"
import { harmless } from "../../output/sanitize.ts"
import { type Cell, columns, indented, type Style } from "../operator/lines.ts"
import { plural, since } from "../operator/words.ts"
import { dimensionWords } from "../tenants/onboardView.ts"

const stateColors = { pending: "yellow", approving: "cyan", onboarded: "green", rejected: "dim" } as const

const afterOf = ({ remaining, remaining_after }: AdmissionNumbers["dimensions"][number]): Cell => {
  const text = `${remaining} -> ${remaining_after}`
  return remaining_after < 0 ? [text, "red"] : text
}

/** The sellable budget: what remains before and after one more tenant, a column a tier. */
export const capacityLines = ({ tenants, tiers }: Capacity, style: Style): ReadonlyArray<string> => {
  const [first] = tiers
  const rows = (first?.dimensions ?? []).map(({ dimension, limit }): ReadonlyArray<Cell> => [
    dimensionWords[dimension],
    ...tiers.map(({ dimensions }) => {
      const row = dimensions.find((_) => _.dimension === dimension)
      return row === undefined ? "" : afterOf(row)
    }),
    String(limit)
  ])
  return columns(
    [
      ["remains, and after one more", ...tiers.map((_) => _.tier), "of"],
      ...rows,
      ["tenants now", ...tiers.map((_) => String(tenants[_.tier]))],
      ["one more fits", ...tiers.map((_): Cell => (_.admitted ? ["yes", "green"] : ["no", "red"]))]
    ],
    style
  )
}

/** The queue, oldest first, and the budget below it. */
export const queueText = (signups: ReadonlyArray<SignupRow>, capacity: Capacity, now: number, style: Style): string => {
  const { paint } = style
  const [head = "", ...lines] = columns(
    [
      ["SIGNUP", "ORGANISATION", "EMAIL", "STATE", "AGE"],
      ...signups.map((_) => [
        _.signup_id,
        _.org_name,
        _.email,
        [_.state, stateColors[_.state]] as const,
        since(_.created_at, now)
      ])
    ],
    style
  )
  const waiting = signups.filter((_) => _.state === "pending").length
  return [
    ...(signups.length === 0 ? ["No signup waits."] : [paint.bold(head), ...lines]),
    "",
    paint.bold("Sellable budget"),
    ...indented(capacityLines(capacity, style)),
    ...(waiting === 0 ? [] : ["", `${plural(waiting, "signup waits", "signups wait")}: portico signups review`])
  ].join("\n")
}

/** One signup and the budget, as an operator decides about it. */
export const signupText = (signup: SignupRow, capacity: Capacity, now: number, style: Style, place = ""): string =>
  [
    `${place}${style.paint.bold(harmless(signup.org_name))}, asked by ${harmless(signup.email)} ${since(signup.created_at, now)} ago (${signup.signup_id})`,
    ...indented(capacityLines(capacity, style))
  ].join("\n")
