import { Duration } from "effect"
import type { NewSignup, SignupLimits } from "../src/Signups.ts"

/** A signup of a person and an organisation of its own, unless the story says otherwise. */
export const signup = (id: string, change: Partial<NewSignup> = {}): NewSignup => ({
  signup_id: `signup-${id}`,
  email: `ann@org-${id}.example`,
  org_name: `Org ${id}`,
  org_key: `org ${id}`,
  ...change
})

/** More than a story asks for, unless it says otherwise. */
export const limits: SignupLimits = { window: Duration.minutes(10), total: 100, perSource: 100, perAddress: 100 }
