import type { IntegrationKind } from "@portico/contract/Integrations"
import type { TargetEntry } from "@portico/store/Targets"

/** A target that is served under `/v1/integrations`. */
export type IntegrationEntry = TargetEntry & { readonly kind: IntegrationKind }

/** A webhook is not an integration. */
export const isIntegration = (entry: TargetEntry): entry is IntegrationEntry => entry.kind !== "webhook"

/** The kind of event that a test sends. */
export const ping = "integration.ping"
