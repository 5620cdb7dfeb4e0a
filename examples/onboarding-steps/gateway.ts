import { NodeHttpClient } from "@effect/platform-node"
import * as Gateway from "@portico/gateway/Gateway"
import { launch } from "@portico/gateway/launch"
import * as Store from "@portico/store/Store"
import { Catalog } from "@portico/upstream/openstack/Catalog"
import { Sessions } from "@portico/upstream/openstack/Sessions"
import { Layer } from "effect"
import { CompanySteps } from "./steps.ts"

/** The gateway in production, with the company's steps. Beside its own settings it reads `CMDB_URL` and `CMDB_TOKEN`. */
const Steps = CompanySteps.pipe(
  Layer.provide(Sessions.layer),
  Layer.provide(Catalog.layer),
  Layer.provide(NodeHttpClient.layerUndici)
)

Gateway.layer.pipe(Layer.provide(Steps), Layer.provide(Store.layer), launch)
