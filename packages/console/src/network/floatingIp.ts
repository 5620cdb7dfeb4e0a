import * as v from "valibot"
import { text } from "../platform/lists.ts"

export const FloatingIp = v.object({
  id: v.string(),
  floating_ip_address: v.string(),
  fixed_ip_address: text,
  status: text,
  description: text,
  port_id: text,
  port_details: v.nullish(v.object({ device_id: text, device_owner: text }))
})
export type FloatingIp = v.InferOutput<typeof FloatingIp>

/** The server that is reached by it; empty for none. */
export const serverOf = ({ port_details }: FloatingIp): string =>
  port_details?.device_owner.startsWith("compute:") === true ? port_details.device_id : ""
