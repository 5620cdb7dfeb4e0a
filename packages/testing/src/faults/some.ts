import type { Fault, FaultKind } from "@portico/simulator/Fault"
import { sampled } from "../sample/sampled.ts"
import { kinds, type NamedCall, whensOf } from "./calls.ts"

/** The call fails in one of these ways before its effect and in one after it; in all of them in a run of everything. */
const someFaultsAs =
  (kinds: ReadonlyArray<FaultKind>) =>
  (call: NamedCall): ReadonlyArray<Fault> =>
    whensOf(call).flatMap((when) =>
      sampled(`${when} ${call.service} ${call.method} ${call.path} ${call.nth}`, 1, kinds).map((as) => ({
        ...call,
        when,
        as
      }))
    )

/** One way before the call's effect and one after it; every way in a run of everything. */
export const someFaultsOf = someFaultsAs(kinds)
