import type { Resource } from "./Resource.ts"

/** Failures of workload issuers and token exchange. */
export const workloadIdentity = {
  Unauthorized: {
    /** The same sentence whatever is wrong with the token, so that trying discloses nothing. */
    subjectToken: {
      code: "subject_token_refused",
      detail: "The subject token is not accepted",
      cause:
        "The subject token of an exchange is not valid: its signature, algorithm, audience, times, subject or form.",
      fix: "Send a fresh token of the service account with the audience that the operator registered; see docs/tenants/workload-identity.md."
    }
  },
  Forbidden: {
    /** No mapping, a disabled one, or another tenant's: the response does not disclose which. */
    issuerUnmapped: {
      code: "issuer_unmapped",
      detail: "The issuer of the subject token is mapped to no tenant that the caller acts for",
      cause:
        "The subject token's issuer is not registered, is disabled, or is mapped to another tenant than the caller's.",
      fix: "Have an operator register the cluster's issuer for your tenant."
    }
  },
  NotFound: {
    workloadIssuer: {
      code: "workload_issuer_not_found",
      detail: (id: string) => `Issuer '${id}' not found`,
      example: ["wi-1"],
      cause: "No registered issuer has this id.",
      fix: "List the issuers with GET /v1/workload-identity/issuers."
    }
  },
  Conflict: {
    /** Does not disclose the owner. */
    issuerRegistered: {
      code: "issuer_registered",
      detail: "The issuer is registered already",
      cause: "An issuer stands for one tenant, and this one is registered already.",
      fix: "Give the cluster an issuer of its own (--service-account-issuer), or remove the other mapping first."
    }
  },
  Unprocessable: {
    issuerEndpoint: {
      code: "issuer_endpoint_refused",
      detail: (field: string, why: string) => `Keys are never fetched from that ${field}: it ${why}`,
      example: ["jwks_uri", "must begin with https://"],
      cause: "The address for an issuer's keys is not https, or leads to the gateway's own machine or link.",
      fix: "Register the https address of the cluster's API server."
    }
  },
  Unavailable: {
    /** Says nothing about the token, which may be valid. */
    issuerUnreachable: {
      code: "issuer_unreachable",
      detail: "The keys of the subject token's issuer cannot be fetched right now",
      cause: "The key endpoint of the subject token's issuer does not answer, or not with a key set.",
      fix: "Try again; if it stays, look whether the registered key endpoint can be reached and its certificate is trusted."
    }
  }
} as const satisfies Resource
