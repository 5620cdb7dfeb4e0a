import type { Resource } from "./Resource.ts"

/** Failures of tokens for the container registry. */
export const registry = {
  BadRequest: {
    registryService: {
      code: "registry_service_unknown",
      detail: "The service parameter names another registry than the one that tokens are given for",
      cause: "A registry token was asked for with another `service` than REGISTRY_SERVICE.",
      fix: "Make `auth.token.service` of the registry's configuration the same as REGISTRY_SERVICE."
    }
  },
  Unauthorized: {
    /** The same sentence whatever is wrong with the pair: it does not disclose whether an id exists. */
    registryLogin: {
      code: "registry_login_refused",
      detail:
        "The login is not accepted: send a credential's client_id and client_secret, or any user name and a personal " +
        "access token",
      cause: "The login for a registry token carries no Basic credentials, or ones that are not accepted.",
      fix: "Log in with a credential's `client_id` and `client_secret`, or with any user name and a personal access token."
    }
  },
  UnsupportedMediaType: {
    notForm: {
      code: "form_expected",
      detail: "The request body must be a form with Content-Type: application/x-www-form-urlencoded",
      cause: "A registry token was requested with a POST whose body is not a form.",
      fix: "Send the OAuth parameters as application/x-www-form-urlencoded, or use GET with Basic credentials."
    }
  }
} as const satisfies Resource
