/**
 * Codes that tools answer beside those of the API's catalogue of failures: a result of MCP has no HTTP status of its
 * own. docs/tenants/agents.md explains each of them.
 */
export const toolCodes = [
  "answer_lost",
  "answer_too_large",
  "confirmation_declined",
  "confirmation_needs_person",
  "invalid_arguments",
  "plan_limit",
  "plan_not_found",
  "plan_outdated",
  "plan_spent",
  "plan_too_large",
  "unknown_field",
  "unknown_tool",
  "work_failed"
] as const

export type ToolCode = (typeof toolCodes)[number]
