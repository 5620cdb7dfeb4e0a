/**
 * The commands of operations that are made by hand and ask in another way than a
 * derived one would: by name, with a question in place of a field, without
 * pages. Each has stories of its own.
 */
export const byHand: Readonly<Record<string, string>> = {
  "agents.list": "agents list",
  "agents.end": "agents end",
  "dns.importZone": "dns import",
  "events.tail": "events tail",
  "projects.remove": "projects delete",
  "tenants.onboard": "tenants onboard",
  "journal.list": "journal list",
  "journal.retry": "journal retry",
  "drift.show": "drift show"
}
