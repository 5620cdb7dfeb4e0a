import type { Event } from "@portico/contract/Events"
import generated from "../../generated/events.json" with { type: "json" }

/** An event of each kind. */
export const samples: Readonly<Record<string, Pick<Event, "topic" | "key" | "project_id" | "data">>> = generated
