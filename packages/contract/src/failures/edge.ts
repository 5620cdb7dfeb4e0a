import type { Resource } from "./Resource.ts"

/** Failures of public exposures. */
export const edge = {
  NotFound: {
    exposure: {
      code: "exposure_not_found",
      detail: (id: string) => `Exposure '${id}' not found`,
      example: ["edge-1"],
      cause: "No exposure has this id, or it is another tenant's.",
      fix: "Take the id from GET /v1/edge/exposures."
    }
  },
  Conflict: {
    /** The caller's own. */
    exposureNameTaken: {
      code: "exposure_name_taken",
      detail: (name: string) => `An exposure named '${name}' exists already`,
      example: ["web"],
      cause: "The tenant has an exposure with this name already.",
      fix: "Use it, delete it first, or choose another name."
    },
    /** The caller's own. */
    domainInUse: {
      code: "domain_in_use",
      detail: (domain: string) => `The domain '${domain}' is another exposure's of the tenant`,
      example: ["shop.example"],
      cause: "Another exposure of the same tenant has this domain.",
      fix: "Delete that exposure first, or use another domain."
    },
    /** Discloses neither the owner nor whether the domain is verified. */
    domainClaimed: {
      code: "domain_claimed",
      detail: "The domain is claimed already and cannot be claimed now",
      cause:
        "Another tenant claimed the domain first and its time to prove it is not over, or it has proved it and " +
        "its TXT record is still there.",
      fix:
        "If the domain is yours, remove TXT records at `_ig1-challenge` that are not yours, and claim it again later: " +
        "a claim without proof blocks others for EDGE_CLAIM_HOURS (72) at most."
    }
  },
  Unprocessable: {
    exposureTarget: {
      code: "exposure_target_refused",
      detail: (rule: string) => `The target cannot be exposed: ${rule}`,
      example: ["its address must be one of the tenant's own floating IPs"],
      cause: "The target is not one of the tenant's floating IPs, or a Service that stands for a name elsewhere.",
      fix: "Expose a floating IP that GET /v1/iaas/network/floatingips lists, or a Service of the tenant's namespace with a selector."
    },
    exposureDomain: {
      code: "exposure_domain_refused",
      detail: (why: string) => `The domain cannot be exposed: ${why}`,
      example: ["it lies within the platform's own names"],
      cause: "The domain lies within the platform's own names, or is not an internationalised name in its xn-- form.",
      fix: "Use a domain of your own, written as it stands in the DNS."
    },
    exposureWithoutDomain: {
      code: "exposure_without_domain",
      detail: (id: string) => `Exposure '${id}' has no domain of its own, so that there is nothing to verify`,
      example: ["edge-1"],
      cause: "The exposure was created without a domain.",
      fix: "Only exposures with a domain are verified; make another one with the domain."
    }
  }
} as const satisfies Resource
