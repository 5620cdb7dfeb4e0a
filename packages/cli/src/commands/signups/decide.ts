import type { Capacity, SignupRow } from "@portico/contract/Signups"
import type { Tier } from "@portico/contract/Tiers"
import { Prompt } from "../../effectCli.ts"
import { harmless } from "../../output/sanitize.ts"

export type Decision =
  | { readonly act: "approve"; readonly tier: Tier }
  | { readonly act: "reject" }
  | { readonly act: "skip" }
  | { readonly act: "quit" }

const skip: Decision = { act: "skip" }
const reject: Decision = { act: "reject" }
const quit: Decision = { act: "quit" }

/** What can be chosen. The first one changes nothing, so that a stray Enter does no harm. */
export const choicesFor = ({ tiers }: Capacity) => [
  { title: "Skip", value: skip, description: "decide later" },
  ...tiers.map(({ admitted, tier }) => ({
    title: `Approve, tier ${tier}`,
    value: { act: "approve", tier } satisfies Decision,
    description: admitted ? "onboards the tenant and mails its owner" : "does not fit into the sellable budget",
    disabled: !admitted
  })),
  { title: "Reject", value: reject, description: "no mail goes out, and the person may ask again" },
  { title: "Quit", value: quit, description: "leave the rest as it is" }
]

export const decision = (signup: SignupRow, capacity: Capacity): Prompt.Prompt<Decision> =>
  Prompt.Select<Decision>({ message: `What about ${harmless(signup.org_name)}?`, choices: choicesFor(capacity) })

export const confirmed = (signup: SignupRow): Prompt.Prompt<boolean> =>
  Prompt.Confirm({ message: `Reject ${harmless(signup.org_name)}, asked by ${harmless(signup.email)}?` })

/** A name for the tenant when the organisation's own is taken or makes no slug; empty to skip. */
export const otherName = (signup: SignupRow): Prompt.Prompt<string> =>
  Prompt.String({ message: `Another name for ${harmless(signup.org_name)} (empty to skip)` })
