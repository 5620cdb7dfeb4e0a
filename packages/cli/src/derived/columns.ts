/**
 * The columns of the tables that people look at most, the most important first:
 * as many as fit are shown. Every other list shows the fields of its rows in the
 * contract's order.
 */
export const columns: Readonly<Record<string, ReadonlyArray<string>>> = {
  "accounts.list": ["number", "name", "state", "created_at", "closes_at", "reason"],
  "alarms.list": ["alarm_id", "name", "state", "severity", "enabled", "last_transition_at", "reason"],
  "audit.list": ["at", "method", "route", "status", "credential_id", "tool", "user_id", "source", "request_id"],
  "autoscaling.list": ["group_id", "name", "state", "desired", "min", "max", "reason"],
  "credentials.list": ["credential_id", "label", "kind", "tier", "state", "last_used_at", "expires_at", "created_at"],
  "databases.list": ["name", "engine", "status", "version", "size_gb", "replicas", "created_at", "reason"],
  "dns.recordsets": ["name", "type", "ttl", "records", "status", "recordset_id"],
  "dns.zones": ["name", "status", "ttl", "zone_id", "email", "created_at"],
  "edge.list": ["exposure_id", "hostname", "state", "url", "reason"],
  "events.list": ["at", "kind", "key", "topic", "id"],
  "integrations.deliveries": ["created_at", "kind", "state", "attempts", "error", "delivery_id"],
  "integrations.list": ["integration_id", "name", "kind", "enabled", "topics", "disabled_reason"],
  "money.budgets": ["budget_id", "amount_cents", "currency", "period", "project_id", "last_breached_period"],
  "money.invoices": ["invoice_id", "status", "total_cents", "currency", "period_start", "period_end"],
  "nat-gateways.list": ["ngw_id", "public_ip", "state", "router_id", "network_id"],
  "org-users.list": ["email", "display_name", "roles", "state", "billing_access", "user_id"],
  "projects.list": ["name", "tier", "state", "project_id", "created_at"],
  "signups.list": ["signup_id", "org_name", "email", "state", "created_at"],
  "tenants.list": ["slug", "name", "tier", "project_id", "suspended", "pending_tier", "created_at"],
  "webhooks.deliveries": ["created_at", "kind", "state", "attempts", "error", "delivery_id"],
  "webhooks.list": ["webhook_id", "url", "enabled", "topics", "disabled_reason", "description"]
}
