import type { CallOptions } from "@portico/client"
import type { Read } from "../../api/useAnswer.ts"
import { wholeOf } from "../../api/useWhole.ts"
import type { Finder } from "../../app/definitions.ts"
import { currentLanguage } from "../../preferences/preferences.ts"
import { operator } from "../portico.ts"
import { words } from "./words.ts"

export type Signup = Awaited<ReturnType<typeof operator.signups.list>>["signups"][number]

export const states: ReadonlyArray<Signup["state"]> = ["pending", "approving", "onboarded", "rejected"]

interface Wanted {
  readonly signup_id: string
}

const findOne = async ({ signup_id }: Wanted, options?: CallOptions): Promise<Signup | null> => {
  for await (const signup of operator.signups.list.all({ limit: 200 }, options))
    if (signup.signup_id === signup_id) return signup
  return null
}

/** One signup, which the API has in its list alone; null for an unknown one. */
export const findSignup: Read<Wanted, Signup | null> = Object.assign(findOne, {
  operation: operator.signups.list.operation
})

export const find: Finder = async (text) => {
  const signups = await wholeOf(operator.signups.list, { limit: 200 })
  return signups
    .filter(({ email, org_name }) => `${org_name} ${email}`.toLowerCase().includes(text.toLowerCase()))
    .map(({ org_name, signup_id }) => ({
      title: org_name,
      kind: words[currentLanguage()].signup,
      href: `/signups/${signup_id}`
    }))
}
