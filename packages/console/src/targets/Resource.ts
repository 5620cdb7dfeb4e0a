import type { ComponentType } from "react"
import type { Write } from "../api/useAct.ts"
import type { Read } from "../api/useAnswer.ts"
import type { Words } from "../words/words.ts"
import type { Draft } from "./draft.ts"
import type { Deliveries, Delivery, DeliveryState, Sending, Tested } from "./target.ts"

type Wanted<Id> = Id & { readonly state?: DeliveryState | undefined; readonly limit?: number | undefined }

/** The deliveries of a webhook or an integration, which its id names. */
export interface DeliveryOperations<Id> {
  readonly deliveries: Read<Wanted<Id> & { readonly cursor?: string | undefined }, Deliveries> & {
    readonly all: (input: Wanted<Id>) => AsyncIterable<Delivery>
  }
  readonly redeliver: Write<Id & { readonly event_id: string }, Delivery>
}

/** What the operations on a resource take. */
export interface Inputs {
  /** What names a target. */
  readonly id: object
  readonly creation: object
  readonly change: object
}

interface TargetOperations<In extends Inputs, Target> extends DeliveryOperations<In["id"]> {
  readonly create: Write<In["creation"], Target & { readonly secret?: string | null }>
  readonly show: Read<In["id"], Target>
  readonly update: Write<In["id"] & (In["change"] | { readonly enabled: boolean }), Target>
  readonly remove: Write<In["id"], Target>
  readonly test: Write<In["id"], Tested>
}

/** The texts that differ. */
interface ResourceWords {
  readonly one: string
  readonly title: string
  readonly about: string
  readonly create: string
  readonly none: string
  readonly noneText: string
  readonly facts: string
  readonly changed: string
  readonly rotate: string
  readonly removeText: string
  readonly removed: string
}

/** What differs between the pages of webhooks and of integrations. */
export interface Resource<In extends Inputs, Target extends Sending> {
  readonly path: string
  readonly words: Words<ResourceWords>
  readonly operations: TargetOperations<In, Target>
  readonly of: (id: string) => In["id"]
  readonly idOf: (target: Target) => string
  readonly nameOf: (target: Target) => string
  readonly blank: Draft
  readonly draftOf: (target: Target) => Draft
  /** What the form sends: only the fields that the kind has. */
  readonly creationOf: (draft: Draft) => In["creation"]
  /** What the form sends of a change. */
  readonly changeOf: (draft: Draft, before: Draft) => In["change"]
  /** Whether its secret can be replaced. */
  readonly rotates: (target: Target) => boolean
  readonly Rotate: ComponentType<{ readonly target: Target }>
  readonly Facts: ComponentType<{ readonly target: Target }>
  /** What stands between its facts and its deliveries. */
  readonly Further?: ComponentType<{ readonly target: Target }>
}
