import type { Thing } from "../../state.ts"
import { type Turn, writeStatus } from "../writes.ts"
import { gatewayStatus } from "./gatewayStatus.ts"
import { gateways } from "./names.ts"
import { attachedTo, isOurs } from "./routes.ts"

/** One look of the controller at a gateway: how many routes each of its listeners has. */
export const reconcileGateway = (turn: Turn, gateway: Thing): void => {
  if (gateway.metadata.deletionTimestamp !== undefined || !isOurs(turn.state, gateway)) return
  const attached = (listener: string) => attachedTo(turn.state, gateway, listener)
  void writeStatus(turn, gateways, gateway, gatewayStatus(gateway, attached, turn.now))
}
