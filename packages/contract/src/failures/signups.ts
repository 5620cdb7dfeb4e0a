import type { Resource } from "./Resource.ts"

/** Failures of signups. */
export const signups = {
  NotFound: {
    signup: {
      code: "signup_not_found",
      detail: (id: string) => `Signup '${id}' not found`,
      example: ["s"],
      cause: "No signup has this id.",
      fix: "Take the id from GET /v1/signups."
    }
  },
  Conflict: {
    signupBusy: {
      code: "signup_busy",
      detail: (id: string) =>
        `Signup '${id}' is being approved, or an approval of it is being rolled back; GET /v1/journal shows it`,
      example: ["s"],
      cause: "The signup's tenant is being created or rolled back.",
      fix: "Wait until it is onboarded or pending again; `GET /v1/journal` shows an onboarding that is stuck."
    },
    signupDecided: {
      code: "signup_decided",
      detail: (id: string, state: string) => `Signup '${id}' is ${state} already`,
      example: ["s", "rejected"],
      cause: "The signup was approved or rejected before.",
      fix: "None: the decision stands. The person can sign up again after a rejection."
    },
    loginTaken: {
      code: "login_taken",
      detail: (email: string) =>
        `The address '${email}' is the login of another account; reject the signup, and have another address sign up`,
      example: ["ann@acme.example"],
      cause: "The e-mail address is the login of a person in another account, or of the platform team.",
      fix: "Have the organisation sign up with another address."
    }
  }
} as const satisfies Resource
