import { issuesListed, type ValidationIssue } from "./bodies.ts"
import type { Resource } from "./Resource.ts"

const further = (all: ReadonlyArray<ValidationIssue>): ValidationIssue => ({
  loc: all[0]?.loc.slice(0, 1) ?? [],
  msg: `${all.length - issuesListed + 1} more errors are not listed`,
  type: "too_many_errors"
})

/** Failures of any request, before its route is known. */
export const requests = {
  BadRequest: {
    pathNotCanonical: {
      code: "path_not_canonical",
      detail: (why: string) => `The path is not canonical: ${why}`,
      example: ["it encodes a letter, a dot, a slash or a percent sign"],
      cause:
        "The path can be read in more than one way: encoded letters, dot segments, doubled slashes, an encoded slash, and the like.",
      fix: "Send the plain spelling of the path."
    },
    /** RFC 9112, section 3.2.2. */
    targetInvalid: {
      code: "target_invalid",
      detail: (why: string) => `The request target is not accepted: ${why}`,
      example: ["it names another host or port than the Host header"],
      cause:
        "The request line holds a whole address: of another host or port than `Host`, with a user name, or with a scheme that is not HTTP's.",
      fix: "Send the path alone, or the address that `Host` names, without a user name."
    },
    queryNotCanonical: {
      code: "query_not_canonical",
      detail: (why: string) => `The query is not canonical: ${why}`,
      example: ["it holds a '#'"],
      cause:
        "The query can be read in more than one way, and one of them asks for more than the credential allows; or it names another method.",
      fix: "Separate parameters with `&` alone, and leave `_method` out."
    },
    /** A rule that reads the body needs one that every reader parses alike. */
    bodyNotJson: {
      code: "body_not_json",
      detail: "The request body must be JSON in UTF-8, without a byte order mark",
      cause: "A rule has to look into the body of this proxied call, and the body cannot be read as JSON.",
      fix: "Send JSON in UTF-8, with standard numbers and without a byte order mark."
    },
    /** Two readers could use different ones of two values (RFC 9110, section 5.3). */
    headerRepeated: {
      code: "header_repeated",
      detail: (name: "Authorization" | "Host") => `The request has more than one ${name} header: send it once`,
      example: ["Host"],
      cause: "The request has two `Authorization` or two `Host` headers, of which two readers may take different ones.",
      fix: "Send each of them once."
    },
    /** RFC 9112, section 3.2. */
    hostInvalid: {
      code: "host_invalid",
      detail:
        "The request needs one Host header with a host name or an IP address, and a port if it is not the usual one",
      cause: "The `Host` header is missing, or its value is not a host name or address with an optional port.",
      fix: "Send `Host` with the name and port that the gateway is reached at."
    },
    /** Deeper than any request of the platform, and deeper than the gateway could serialise again. */
    bodyTooDeep: {
      code: "body_too_deep",
      detail: (limit: number) => `The request body is nested more than ${limit} levels deep`,
      example: [200],
      cause: "A forwarded call whose body the gateway reads is nested more deeply than any request of the platform.",
      fix: "Send the fields that the platform's API reference names."
    }
  },
  NotFound: {
    route: {
      code: "not_found",
      detail: "Not Found",
      cause: "There is no such route.",
      fix: "See /openapi.json for the routes of this plane."
    }
  },
  MethodNotAllowed: {
    method: {
      code: "method_not_allowed",
      detail: "Method Not Allowed",
      cause: "The path exists, but not with this method.",
      fix: "Use one of the methods in the `Allow` header."
    }
  },
  RequestTimeout: {
    /** No route is known yet. A connection on which nothing was sent is closed without an answer. */
    head: {
      code: "head_too_slow",
      detail: (seconds: number) => `The head of the request did not arrive within ${seconds} seconds`,
      example: [60],
      cause: "The request line and the headers did not arrive as a whole in time; the connection is closed.",
      fix: "Send the head in one go, and open a connection only for a request that is ready."
    },
    body: {
      code: "body_too_slow",
      detail: (seconds: number) => `The request body did not arrive within ${seconds} seconds`,
      example: [30],
      cause: "The body of the request did not arrive as a whole in time; the connection is closed.",
      fix: "Send the body in one go. Only uploads that are forwarded as they come have no total time."
    }
  },
  TooLarge: {
    body: {
      code: "body_too_large",
      detail: (limit: number) => `The request body is larger than ${limit} bytes`,
      example: [65_536],
      cause: "The request body is larger than first-class routes accept.",
      fix: "Send at most 64 KiB."
    },
    values: {
      code: "too_many_values",
      detail: (limit: number) => `The request body has more than ${limit} members of objects and items of lists`,
      example: [4000],
      cause: "The request body has more members and items, all together, than any request of the platform.",
      fix: "Split the request into several."
    }
  },
  UnsupportedMediaType: {
    notJson: {
      code: "unsupported_media_type",
      detail: "The request body must be JSON with Content-Type: application/json",
      cause: "The request body is not JSON.",
      fix: "Send `Content-Type: application/json`."
    },
    encodedBody: {
      code: "encoded_body",
      detail: "The body of this request must be sent without a Content-Encoding",
      cause: "The gateway has to read the body of this call, and the body is compressed.",
      fix: "Send it without a Content-Encoding."
    },
    /** A form could name another method than the request line. */
    formBody: {
      code: "form_body",
      detail:
        "The body of this request must not be a form: name its media type in Content-Type, mostly application/json",
      cause:
        "The body of this proxied call is a form, or has an empty Content-Type: services read a method from forms.",
      fix: "Send JSON with `Content-Type: application/json`."
    }
  },
  NotImplemented: {
    /** RFC 9112, section 6.1. */
    transferCoding: {
      code: "transfer_coding",
      detail: "The gateway knows no transfer coding but chunked: send the body as it is",
      cause: "`Transfer-Encoding` names another coding than `chunked`.",
      fix: "Send `Transfer-Encoding: chunked` or a `Content-Length`, and the body as it is."
    }
  },
  Invalid: {
    /**
     * At most {@link issuesListed} entries, so that the response to a request
     * full of errors is not many times its size.
     */
    issues: {
      code: "validation_error",
      detail: (detail: ReadonlyArray<ValidationIssue>) =>
        detail.length <= issuesListed ? detail : [...detail.slice(0, issuesListed - 1), further(detail)],
      example: [[{ loc: ["body", "tier"], msg: "Field required", type: "missing" }]],
      cause: "The request does not fit its schema. `detail` is a list with one entry per error.",
      fix: "Correct the fields that `loc` names; unknown fields are refused."
    }
  },
  Internal: {
    error: {
      code: "internal_error",
      detail: "Internal Server Error",
      cause: "A fault of the gateway. The response does not name the cause; the log has it under the request id.",
      fix: "Send the operator the value of the `X-Request-Id` header."
    }
  },
  Unavailable: {
    /** Only `/health` is served then. */
    connections: {
      code: "connections_exhausted",
      detail: "The gateway serves as many connections as it may; try again later",
      cause: "The plane serves as many connections at once as it may, and every one of them is at work.",
      fix: "Try again; keep connections open and reuse them."
    },
    /** Nothing was sent. The tenant with the most waiting calls is refused first. */
    overloaded: {
      code: "overloaded",
      detail: (who: string) =>
        `${who} has more calls than it can answer in time; nothing was done, try again in a moment`,
      example: ["compute"],
      cause: "The service that `detail` names has more calls than it can answer in time. Nothing was done.",
      fix: "Try again after as many seconds as the header `Retry-After` says, with fewer calls at once."
    },
    /** The database refused or lost the connection, or has no room. What the request had begun may have taken effect. */
    database: {
      code: "database_unavailable",
      detail: "The gateway's database is not available; try again in a moment",
      cause:
        "The gateway cannot read or write its database, for example because it restarts; the call may have taken " +
        "effect.",
      fix: "Try again after as many seconds as the header `Retry-After` says; a write with its `Idempotency-Key`."
    },
    /** The process stopped before the request was complete. Operations that it had started may have taken effect. */
    stopping: {
      code: "stopping",
      detail: "The gateway stopped before the request was done",
      cause: "The gateway was stopped, and the request took longer than it waits for; the call may have taken effect.",
      fix: "Look whether it was done, and try again."
    }
  }
} as const satisfies Resource
