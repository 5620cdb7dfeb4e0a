import type { PorticoError } from "@portico/client/PorticoError"
import type { OnboardingRow } from "@portico/contract/Journal"
import { Effect, Stream } from "effect"
import type { Portico } from "../../Portico.ts"

/** All entries of the journal, oldest first. */
export const journalOf = (
  { stream }: Portico,
  state?: OnboardingRow["state"]
): Effect.Effect<ReadonlyArray<OnboardingRow>, PorticoError> =>
  stream((_, signal) => _.journal.list.all({ state }, { signal })).pipe(Stream.runCollect)
