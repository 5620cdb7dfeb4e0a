import { Context } from "effect"
import { SharedTable } from "./SharedTable.ts"

/** Tenants, and owners of slots, that are counted together. */
const rows = 65_536

/** The numbers of an allowance: how many calls, unused, and until when as a 64-bit number. */
const allowanceNumbers = 4

/** What the threads of a process count together, and this thread's place among them. */
export interface ThreadCounts {
  /** From 0. */
  readonly index: number
  readonly count: number
  /** How many calls of a tenant have not recovered, and when they will have. */
  readonly allowances: SharedTable
  /** Slots by what they are for and whose they are: a number for each thread. */
  readonly slots: SharedTable
}

/** The memory behind {@link ThreadCounts}, in a form that can be sent to a thread. */
export interface ThreadMemory {
  readonly count: number
  readonly allowances: SharedArrayBuffer
  readonly slots: SharedArrayBuffer
}

export const threadMemory = (count: number): ThreadMemory => ({
  count,
  allowances: SharedTable.memory(rows, allowanceNumbers),
  slots: SharedTable.memory(rows, count)
})

export const threadCounts = ({ allowances, count, slots }: ThreadMemory, index: number): ThreadCounts => ({
  index,
  count,
  allowances: new SharedTable(allowances, allowanceNumbers),
  slots: new SharedTable(slots, count)
})

/** The threads that serve tenants; undefined where there is one. */
export const Threads = Context.Reference<ThreadCounts | undefined>("portico/domain/limits/Threads", {
  defaultValue: () => undefined
})
