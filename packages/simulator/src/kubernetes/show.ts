import { kindsOf } from "./crds.ts"
import { resourceOf } from "./kinds.ts"
import type { KubernetesState, Thing } from "./state.ts"
import { allOf } from "./store.ts"

/** Everything that the cluster holds, by resource; what it remembers for its watches is not a thing that exists. */
export const shownKubernetes = (state: KubernetesState): Readonly<Record<string, ReadonlyArray<Thing>>> =>
  Object.fromEntries(
    kindsOf(state)
      .filter((_) => _.stored)
      .map((kind) => [resourceOf(kind), allOf(state, resourceOf(kind))])
  )
