/** An operator and its identity at the API server. */
export interface Operator {
  /** The source of its events. */
  readonly component: string
  /** Its manager in the managed fields. */
  readonly manager: string
  readonly account: string
}
