import type { State } from "@portico/simulator/SimulatedCloud"
import type { Evidence } from "../evidence.ts"

/** An event of the log, with what the checks need of its envelope. */
export interface LoggedEvent {
  readonly id: string
  readonly sequence: number
  readonly topic: string
  readonly kind: string
  readonly key: string
  readonly project_id: string | null
  readonly request_id: string | null
  readonly status: number | null
}

export interface DeliveryRow {
  readonly target_id: string
  readonly event_id: string
  readonly state: string
  readonly given_up: string | null
}

/** What there is once nothing is under way any more. */
export interface Facts {
  readonly events: ReadonlyArray<LoggedEvent>
  /** The last event that the deliveries are about: later ones are of the deletions. */
  readonly lastSequence: number
  /** Ids of the events that the billing service has. */
  readonly ledger: ReadonlyArray<string>
  readonly deliveries: ReadonlyArray<DeliveryRow>
  /** The webhooks that were there from the beginning to the end, by the name that their receiver knows. */
  readonly lasting: ReadonlyArray<{
    readonly webhook: string
    readonly targetId: string
    readonly projectId: string
    /** Events up to there are none of its. */
    readonly fromSequence: number
    readonly state: string
  }>
  /** The tenants' names, projects, and what stamps what is theirs. */
  readonly tenants: ReadonlyArray<{ readonly slug: string; readonly project_id: string; readonly stamp: string }>
  /** Ids of the identity provider that some row knows. */
  readonly users: ReadonlyArray<string>
  /** What is under way though nothing should be, in words. */
  readonly underWay: ReadonlyArray<string>
  /** What the gateway lists: `kind id`. */
  readonly listed: ReadonlySet<string>
  /** What could be listed: kind and tenant. */
  readonly listings: ReadonlySet<string>
  readonly drifted: ReadonlyArray<string>
  readonly compared: number
  /** What the cloud has that it had not before the first tenant: by kind, each thing's name there and its JSON. */
  readonly cloud: ReadonlyArray<{ readonly kind: string; readonly key: string; readonly text: string }>
  /** The cloud once every tenant was deleted; undefined where that did not come to its end. */
  readonly emptied: State | undefined
  /** Tables that still hold rows of tenants by then. */
  readonly rowsLeft: ReadonlyArray<string>
}

/** What a check looked at and found. */
export interface Finding {
  readonly check: string
  readonly what: string
  /** How many things it looked at: none is a failure too. */
  readonly looked: number
  readonly violations: ReadonlyArray<string>
  /** What is wrong for a reason that the product's documents name. */
  readonly excused: ReadonlyArray<string>
}

export type Check = (evidence: Evidence, facts: Facts) => Finding

export const holds = ({ looked, violations }: Finding): boolean => looked > 0 && violations.length === 0

export const finding = (
  check: string,
  what: string,
  looked: number,
  violations: ReadonlyArray<string>,
  excused: ReadonlyArray<string> = []
): Finding => ({ check, what, looked, violations, excused })
