import type { Caller } from "@portico/contract/Access"
import { ByteBudget } from "@portico/domain/limits/ByteBudget"
import { Context } from "effect"

const mebibyte = 1024 * 1024

/** Whose memory a caller's bodies count against: its tenant's, and the operators' all together. */
export const ownerOf = ({ tenant }: Pick<Caller, "tenant">): string => tenant?.projectId ?? ""

/**
 * The request bodies that this thread holds, whether they are complete or not. Without a bound one key's unfinished
 * bodies would take the memory of the process.
 */
export const HeldBodies = Context.Reference("portico/gateway/HeldBodies", {
  defaultValue: () => new ByteBudget({ ofTenant: 32 * mebibyte, inAll: 128 * mebibyte })
})
