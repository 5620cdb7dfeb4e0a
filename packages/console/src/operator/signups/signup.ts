import type { CallOptions } from "@portico/client"
import type { Read } from "../../api/useAnswer.ts"
import { operator } from "../portico.ts"

export type Signup = Awaited<ReturnType<typeof operator.signups.list>>["signups"][number]

export const states: ReadonlyArray<Signup["state"]> = ["pending", "approving", "onboarded", "rejected"]

interface Wanted {
  readonly signup_id: string
}

const find = async ({ signup_id }: Wanted, options?: CallOptions): Promise<Signup | null> => {
  for await (const signup of operator.signups.list.all({ limit: 200 }, options))
    if (signup.signup_id === signup_id) return signup
  return null
}

/** One signup, which the API has in its list alone; null for an unknown one. */
export const findSignup: Read<Wanted, Signup | null> = Object.assign(find, {
  operation: operator.signups.list.operation
})
