import type { Thing } from "../../state.ts"
import { type Pass, writeStatus } from "../writes.ts"
import { gatewayStatus } from "./gatewayStatus.ts"
import { gateways } from "./names.ts"
import { attachedTo, isOurs } from "./routes.ts"

/** Reconciles a gateway: counts the routes of each listener. */
export const reconcileGateway = (pass: Pass, gateway: Thing): void => {
  if (gateway.metadata.deletionTimestamp !== undefined || !isOurs(pass.state, gateway)) return
  const attached = (listener: string) => attachedTo(pass.state, gateway, listener)
  void writeStatus(pass, gateways, gateway, gatewayStatus(gateway, attached, pass.now))
}
