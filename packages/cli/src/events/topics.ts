import type { TenantTopic } from "@portico/contract/Events"

/** The topics of the contract, which this process does not load. A test compares them. */
export const topics = [
  "agent.actions",
  "alarms",
  "asg.lifecycle",
  "billing.budgets",
  "billing.lifecycle",
  "iam.credentials",
  "webhooks"
] as const satisfies ReadonlyArray<TenantTopic>

/** Not sent to webhooks, because not every caller who may make one may see costs. */
export const budgetTopic = "billing.budgets" satisfies TenantTopic

/** The topics that a webhook can have. */
export const webhookTopics = [
  "agent.actions",
  "alarms",
  "asg.lifecycle",
  "billing.lifecycle",
  "iam.credentials",
  "webhooks"
] as const satisfies ReadonlyArray<Exclude<TenantTopic, typeof budgetTopic>>
