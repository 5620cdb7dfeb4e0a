/** A program that runs in the cluster, and how it is known to the API server. */
export interface Operator {
  /** What its events say they come from. */
  readonly component: string
  /** What the managed fields call it. */
  readonly manager: string
  readonly account: string
}
