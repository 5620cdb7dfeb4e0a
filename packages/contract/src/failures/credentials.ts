import type { Resource } from "./Resource.ts"

/** Failures of credentials: minting, rotation, revocation. */
export const credentials = {
  Forbidden: {
    /** It would lift the caller out of the chain of makers that bounds it, and that ends it. */
    credentialAboveCaller: {
      code: "credential_above_caller",
      detail: "The caller was minted with this credential, directly or through others, and cannot replace it",
      cause: "The credential to rotate is a maker of the caller's, whose rights follow from it.",
      fix: "Rotate it with itself, or with a credential or person that does not come from it."
    },
    /** A limited caller must not obtain an unlimited credential. */
    credentialBeyondOwn: {
      code: "credential_beyond_own",
      detail:
        "The caller is limited to source networks, by its organisation unit or in its sight of costs, and the credential " +
        "would reach further",
      cause:
        "The caller's credential is limited to source networks, a policy of its organisation unit denies it " +
        "something, or it does not see the account's costs; and the credential to mint or rotate would not be " +
        "limited so.",
      fix: "Name networks inside the caller's own or leave `networks` out to inherit them; to rotate, call with a credential that is not limited."
    },
    /** @param end when the caller's own credential ends */
    credentialOutlives: {
      code: "credential_outlives_own",
      detail: (end: string) => `The caller's own credential ends at ${end}, and the credential would live longer`,
      example: ["2026-01-02T00:00:00.000Z"],
      cause:
        "The credential to mint or rotate would end later than the caller's own, or never, and the caller's own ends.",
      fix: "Ask for an earlier expiry, or leave `expires_in_days` out to have it end with the caller's own."
    },
    /** Contract, Authentication 8. */
    agentMints: {
      code: "agent_mints_agents",
      detail:
        "A credential of kind mcp mints and rotates only credentials of kind mcp, of tier 0 or 1, for at most 7 days",
      cause: "A credential of kind `mcp` asks for one of another kind, of tier 2, or for more than seven days.",
      fix: "Ask for kind `mcp`, tier 0 or 1, and at most 7 days; or mint with a person's or an `api-key` credential."
    }
  },
  NotFound: {
    credential: {
      code: "credential_not_found",
      detail: (id: string) => `Credential '${id}' not found`,
      example: ["cred-1"],
      cause: "The credential does not exist, or belongs to another tenant.",
      fix: "List the credentials that you can see with GET /v1/credentials."
    }
  },
  Conflict: {
    credentialNotActive: {
      code: "credential_not_active",
      detail: (id: string, state: string) => `Credential '${id}' is ${state}; only an active one can be rotated`,
      example: ["cred-1", "revoked"],
      cause: "The credential to rotate is revoked, expired or suspended.",
      fix: "Mint a new one under POST /v1/credentials; a suspended one can be rotated when it is restored."
    },
    credentialRotated: {
      code: "credential_rotated",
      detail: (id: string, to: string) => `Credential '${id}' is replaced by '${to}' already; rotate that one`,
      example: ["cred-1", "cred-2"],
      cause: "The credential was rotated before; it is in its overlap, or has ended.",
      fix: "Rotate its successor, which `rotated_to` names."
    },
    rotationInProgress: {
      code: "rotation_in_progress",
      detail: (id: string) => `Another rotation of credential '${id}' is running`,
      example: ["cred-1"],
      cause: "Two rotations of one credential; the other one is running, or was cut short and is being cleaned up.",
      fix: "Look at the credential: `rotated_to` names the successor when the other rotation is done."
    },
    predecessorLives: {
      code: "predecessor_lives",
      detail: (id: string, predecessor: string) =>
        `Credential '${id}' replaces '${predecessor}', which has not ended yet; wait for that, or revoke it first`,
      example: ["cred-2", "cred-1"],
      cause: "The credential came from a rotation whose overlap is not over, so that there would be three of it.",
      fix: "Revoke the predecessor, or wait until its `revokes_at`."
    },
    credentialChain: {
      code: "credential_chain_too_long",
      detail: (longest: number) =>
        `The credential would stand below more than ${longest} others that made each other; mint it with one further up`,
      example: [16],
      cause: "Credentials made each other so often that the chain up to the first maker would become too long.",
      fix: "Mint with a credential further up in the chain, or as a person."
    },
    credentialAllowance: {
      code: "credential_allowance_reached",
      detail: (held: number, allowance: number) =>
        `The tenant holds ${held} live credentials and its tier allows ${allowance}; revoke one first`,
      example: [20, 20],
      cause: "The tenant holds as many live credentials as its tier allows.",
      fix: "Revoke one that is no longer used."
    }
  }
} as const satisfies Resource
