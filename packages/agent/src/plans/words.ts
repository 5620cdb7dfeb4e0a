import { spelledOut } from "@portico/contract/spelledOut"
import type { Arguments } from "../tools/Tool.ts"
import { notKnown, type Preview, priceText, quotaText } from "./preview.ts"

/** The longest text of an argument in a question, in characters. */
const longest = 400

const reasons: Readonly<Record<string, string>> = {
  billed: "it costs money",
  irreversible: "an agent cannot undo it",
  writes: "it changes something",
  named: "the tenant's policy names this tool, or that of a service on which it acts"
}

export const reasonText = (because: ReadonlyArray<string>): string => because.map((_) => reasons[_] ?? _).join(", and ")

/**
 * An argument as a person is shown it. Invisible characters, and those that change the direction of text, are escaped:
 * the model chose the arguments, and they must not look like text of the gateway.
 */
const shown = (value: unknown): string => {
  const text = spelledOut(JSON.stringify(value) ?? "")
  return text.length <= longest ? text : `${text.slice(0, longest)} … and ${text.length - longest} more characters`
}

/** The question to a client's person. */
export const questionOf = (tool: string, given: Arguments, preview: Preview): string =>
  [
    `An agent wants to call ${tool}. You are asked because ${reasonText(preview.because)}.`,
    "Arguments:",
    ...Object.entries(given).map(([name, value]) => `  ${shown(name)}: ${shown(value)}`),
    ...(preview.quota === notKnown
      ? ["Quotas before and after: not known"]
      : preview.quota.map((_) => `Quota ${_.quota}: ${quotaText(_)}`)),
    `Price an hour: ${priceText(preview)}`
  ].join("\n")
