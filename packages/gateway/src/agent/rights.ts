import { Rights } from "@portico/agent/Rights"
import { destroys } from "@portico/contract/Access"
import { denied } from "@portico/domain/access/limits"
import { Layer } from "effect"
import { refusalOf } from "../middleware/access.ts"

export const RightsLive = Layer.succeed(
  Rights,
  Rights.of({
    permits: (caller, endpoint, payload) =>
      refusalOf(caller, endpoint) === undefined && (caller.tier === 2 || !destroys(endpoint, payload)),
    permitsArea: (caller, area, tier) => caller.tier >= tier && denied(caller, area, tier) === undefined
  })
)
