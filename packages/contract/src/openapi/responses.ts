import { type Json, type Spec, textAt, withResponses } from "./tree.ts"

const sentences: Readonly<Record<string, string>> = {
  200: "The call succeeded.",
  201: "The gateway created the resource.",
  202: "The gateway accepted the call; the work continues after this response.",
  204: "The call succeeded; the response has no body.",
  400: "The request is malformed or ambiguous, and the gateway did nothing.",
  401: "The gateway does not know the caller: the credential is missing, inactive, revoked, expired or suspended.",
  403: "The gateway knows the caller, who may not do this; `code` names the reason.",
  404: "The resource does not exist, or belongs to another tenant. The two responses do not differ.",
  405: "The path exists, but not with this method.",
  408: "The request's body did not arrive in time, and the gateway closes the connection.",
  409: "The present state does not allow the call; `code` names the obstacle.",
  413: "The request's body is too large.",
  415: "The route does not read bodies of this type.",
  422: "The request does not match its schema, or cannot succeed with these values.",
  429: "A limit is reached. `Retry-After`, where the response has it, says when to repeat the call.",
  500: "The gateway has a fault. Report the `X-Request-Id` of the response to the operator.",
  501: "The gateway does not know the transfer coding of the request's body.",
  502: "A service behind the gateway refused the call or failed; `detail` has its message.",
  503: "The gateway cannot read the facts on which it decides the call; repeat it later."
}

/** Describes each response with a sentence: that of its schema, or what its status means here. */
export const withResponseSentences = (spec: Spec): Spec =>
  withResponses(spec, (status, response) => ({ ...response, description: sentenceOf(status, response) }))

/** The generator joins what is said of several schemas with ` | `, and names those of which nothing is said. */
const sentenceOf = (status: string, response: Json): string => {
  const given = textAt(response, "description") ?? ""
  const isSentence = /^[A-Z][^|]* [^|]*\.$/.test(given.split("\n\n", 1).join())
  const first = given.split("\n\n", 1).join()
  return status.startsWith("2") && isSentence ? first : (sentences[status] ?? first)
}
