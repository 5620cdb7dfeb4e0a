import type { Caller } from "@portico/contract/Access"
import { Forbidden } from "@portico/contract/Failures"
import { denied } from "@portico/domain/access/limits"
import {
  asksOperator,
  isOperators,
  namesOwner,
  operatorsField,
  type Part,
  templateField,
  whenScaled
} from "../../acts/kubernetes.ts"
import { actsAt } from "../../acts/matching.ts"
import { destroyingFields, type Guard } from "./guards.ts"

/** The target of a write. */
interface WriteTarget {
  readonly group: string
  readonly resource: string
  readonly name: string
  readonly subresource: string
}

/**
 * Checks the body of a write for changes that need tier 2: see the table of acts. Undefined for callers that may
 * destroy; their bodies are not read for this check.
 */
export const destroyingGuard = (caller: Caller, method: string, at: WriteTarget): Guard | undefined => {
  const { group, name, resource, subresource } = at
  const denial = denied(caller, "kubernetes", 2)
  if (caller.tier === 2 && denial === undefined) return undefined
  const acts = actsAt({ service: "kubernetes", method, segments: [resource, name, subresource] }).flatMap(
    ({ decision, inBody }) =>
      // An object of an operator's own kind names its cluster by a label, as a KafkaTopic does.
      decision !== "destroys" || inBody === undefined || (inBody === asksOperator && isOperators(group)) ? [] : [inBody]
  )
  if (acts.length === 0) return undefined
  const refusal = (part: Part) =>
    caller.tier < 2
      ? Forbidden.tierTooLow(`${method} of ${resource} with ${destroyingField(part)}`, 2, caller.tier)
      : denial
  return {
    fields: [...destroyingFields.every, ...(destroyingFields.more.get(resource) ?? [])],
    against: (part) => (acts.some((_) => _(part, [])) ? refusal(part) : undefined)
  }
}

const destroyingField = (part: Part): string => {
  const template = templateField(part)
  if (template !== undefined) return template
  if (namesOwner(part)) return "metadata.ownerReferences"
  const operators = operatorsField(part)
  return operators === undefined ? whenScaled.join(".") : `metadata.${operators}`
}
