/** The topics that tenants read. */
export const topics = [
  "agent.actions",
  "alarms",
  "asg.lifecycle",
  "billing.budgets",
  "billing.lifecycle",
  "iam.credentials",
  "webhooks"
] as const

export const topicOf = (text: string) => topics.find((_) => _ === text)
