import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { type Allowance, Meter } from "./Meter.ts"

/** Connections within the process whose request was counted before it was made. */
const paid = new WeakMap<Duplex, Allowance>()

/** The next request on this connection takes nothing from the tenant's allowance. No client can set this. */
export const payFor = (connection: Duplex, allowance: Allowance): void => void paid.set(connection, allowance)

/** The meter of a new request. */
export const meterOf = ({ socket }: IncomingMessage): Meter => {
  const meter = new Meter()
  meter.allowance = paid.get(socket)
  paid.delete(socket)
  return meter
}
