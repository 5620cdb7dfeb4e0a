/** The topics whose events can be sent: all that tenants read, but those of budgets. */
export const sentTopics = [
  "agent.actions",
  "alarms",
  "asg.lifecycle",
  "billing.lifecycle",
  "iam.credentials",
  "webhooks"
] as const

export type SentTopic = (typeof sentTopics)[number]
