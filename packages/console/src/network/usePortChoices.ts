import { usePorts, useServerNames } from "./lookups.ts"
import { isServersPort } from "./network.ts"

/** The addresses of servers that a floating IP can lead to. */
export const usePortChoices = () => {
  const nameOf = useServerNames()
  return (usePorts().data ?? []).filter(isServersPort).map(({ device_id, fixed_ips, id }) => ({
    value: id,
    label: `${nameOf(device_id)} · ${fixed_ips[0]?.ip_address ?? ""}`
  }))
}
