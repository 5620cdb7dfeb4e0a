/**
 * Whether a prefix holds every address: its length is 0, whatever the bits of
 * the address. Neutron reads prefixes with netaddr, which takes the length as
 * `int()` does (`1.2.3.4/ +00`) or as a mask (`1.2.3.4/0.0.0.0`, `::/::`), and
 * short addresses (`0/0`). So a length counts as 0 unless another digit is in it,
 * which makes it another number, another mask, or refused by Neutron.
 * What is no text counts as well: nobody knows what a service makes of it.
 */
export const holdsEveryAddress = (prefix: unknown): boolean => {
  if (typeof prefix !== "string") return true
  const slash = prefix.indexOf("/")
  // A bare address is one address.
  if (slash < 0) return false
  return !/[1-9a-f]/i.test(prefix.slice(slash + 1))
}
