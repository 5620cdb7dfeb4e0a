import type { Resource } from "./Resource.ts"

/** Failures of calls with an `Idempotency-Key`. */
export const idempotency = {
  BadRequest: {
    /**
     * The services behind a proxy do not support the key. Ignoring it would
     * promise a protection that does not exist.
     */
    idempotencyKeyProxied: {
      code: "idempotency_key_proxied",
      detail: "Idempotency-Key is not supported for forwarded calls: leave it out, or use a first-class route",
      cause:
        "A POST or PATCH to /v1/iaas or /v1/kubernetes carries an `Idempotency-Key`; the services behind do not " +
        "know it.",
      fix: "Leave the header out, or use a first-class route that takes it."
    }
  },
  Forbidden: {
    /** The caller now has fewer rights than at the original call. */
    replayBeyondRights: {
      code: "replay_refused",
      detail:
        "The answer to this Idempotency-Key is not repeated: it was given to the caller with a higher tier, or in " +
        "another role, than it has now",
      cause: "The first request with this `Idempotency-Key` came when the caller had a higher tier or another role.",
      fix: "Look with a GET for its result, or make the request again with a new key."
    }
  },
  Conflict: {
    idempotencyInFlight: {
      code: "idempotency_in_flight",
      detail: "A request with this Idempotency-Key is being carried out; ask again in a moment for its answer",
      cause: "The first request with this `Idempotency-Key` has not come to its end, or its process died a moment ago.",
      fix: "Send it again after `Retry-After` seconds."
    }
  },
  Unprocessable: {
    idempotencyKeyReused: {
      code: "idempotency_key_reused",
      detail: "This Idempotency-Key stands for a request with another query or body; make a new key for every request",
      cause: "The `Idempotency-Key` was used for a request to the same path with another query or body.",
      fix: "Make a new key for every request; send the same bytes when repeating one."
    }
  }
} as const satisfies Resource
