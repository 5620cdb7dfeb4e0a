import { hasForeign } from "./reading.ts"

/**
 * Whether a prefix holds every address: its length is 0, whatever the bits of
 * the address. Neutron reads prefixes with netaddr, which takes the length as
 * `int()` does (`1.2.3.4/ +00`) or as a mask (`1.2.3.4/0.0.0.0`, `::/::`), and
 * short addresses (`0/0`). So a length that may be 0 counts as 0; one with
 * another digit in it is another number, another mask, or refused by Neutron.
 * What is no text counts as well: nobody knows what a service makes of it.
 */
export const holdsEveryAddress = (prefix: unknown): boolean => {
  if (typeof prefix !== "string") return true
  const slash = prefix.indexOf("/")
  // A bare address is one address.
  if (slash < 0) return false
  const length = prefix.slice(slash + 1)
  return hasForeign(length) || !/[1-9a-f]/i.test(length)
}
