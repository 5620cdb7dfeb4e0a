import { Option, Predicate, Schema } from "effect"

/** What we have in place of a tool, prompt or resource that the suite wants of the server under test. */
interface StandIn {
  /** Its name or address. */
  readonly name: string
  /** In place of the arguments that the suite sends. */
  readonly arguments?: Readonly<Record<string, unknown>>
}

/** A tool that waits for a person's confirmation: the policy of the tenant says so. */
export const confirmed = "credentials_mint"

const asksAPerson: StandIn = { name: confirmed, arguments: { label: "conformance", tier: 0 } }

const standIns: Readonly<Record<string, StandIn>> = {
  test_simple_text: { name: "identity_whoami" },
  test_error_handling: { name: "credentials_usage", arguments: { credential_id: "cred-000000000000" } },
  test_elicitation: asksAPerson,
  test_input_required_result_elicitation: asksAPerson,
  test_input_required_result_request_state: asksAPerson,
  test_input_required_result_tampered_state: asksAPerson,
  test_simple_prompt: { name: "where_is_my_quota" },
  test_prompt_with_arguments: {
    name: "why_refused",
    arguments: { code: "testValue1", request_id: "testValue2" }
  },
  "test://static-text": { name: "portico://agent" }
}

/** An argument of the suite's prompt, and that of ours which a client can complete. */
const completed = { name: "code", value: "tier" }

/** The name of what stands in for a name of the suite; the name itself where nothing does. */
export const standInOf = (name: string): string => standIns[name]?.name ?? name

const decoded = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** The body of a request with our tools, prompts and resources. What is not about one of those stays letter by letter. */
export const standIn = (body: string): string => {
  const message = Option.getOrUndefined(decoded(body))
  if (!Predicate.isReadonlyObject(message)) return body
  const { params } = message
  if (!Predicate.isReadonlyObject(params)) return body
  const changed = changedParams(params)
  return changed === undefined ? body : JSON.stringify({ ...message, params: { ...params, ...changed } })
}

const changedParams = (params: Readonly<Record<string, unknown>>): object | undefined => {
  const { name, ref, uri } = params
  if (Predicate.isReadonlyObject(ref) && typeof ref["name"] === "string" && standIns[ref["name"]] !== undefined) {
    return { ref: { ...ref, name: standInOf(ref["name"]) }, argument: completed }
  }
  if (typeof uri === "string" && standIns[uri] !== undefined) return { uri: standInOf(uri) }
  const found = typeof name === "string" ? standIns[name] : undefined
  return found
}
