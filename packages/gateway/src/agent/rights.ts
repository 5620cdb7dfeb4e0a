import { Rights } from "@portico/agent/Rights"
import { denied } from "@portico/domain/access/limits"
import { Layer } from "effect"
import { destroysHere } from "../acts/acts.ts"
import { refusalOf } from "../middleware/access.ts"

export const RightsLive = Layer.succeed(
  Rights,
  Rights.of({
    permits: (caller, endpoint, payload) =>
      refusalOf(caller, endpoint) === undefined &&
      (caller.tier === 2 || !destroysHere(endpoint.method, endpoint.path, payload)),
    permitsArea: (caller, area, tier) => caller.tier >= tier && denied(caller, area, tier) === undefined
  })
)
