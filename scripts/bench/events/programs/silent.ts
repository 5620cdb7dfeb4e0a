import { Audit } from "@portico/domain/audit/Audit"
import { Lifecycle } from "@portico/domain/events/Lifecycle"
import * as Gateway from "@portico/gateway/Gateway"
import { launch } from "@portico/gateway/launch"
import * as Logs from "@portico/gateway/observability/logs"
import { CustomerAddress, OperatorAddress } from "@portico/gateway/Planes"
import * as Store from "@portico/store/Store"
import { Console, Effect, Layer } from "effect"

// The gateway as it would be if it kept no record of calls and told nobody of them.

const silence = Layer.merge(
  Layer.succeed(Audit, Audit.of({ record: () => Effect.void, note: (_, stored) => stored() })),
  Layer.succeed(Lifecycle, Lifecycle.of({ record: () => Effect.void }))
)

const announcement = Layer.effectDiscard(
  Effect.gen(function* () {
    const { url: customer_url } = yield* CustomerAddress
    const { url: operator_url } = yield* OperatorAddress
    yield* Console.log(JSON.stringify({ customer_url, operator_url }))
  })
)

announcement.pipe(
  Layer.provide(Gateway.layerWith({ records: silence })),
  Layer.provide(Store.layer),
  Layer.provide(Logs.layer),
  launch
)
