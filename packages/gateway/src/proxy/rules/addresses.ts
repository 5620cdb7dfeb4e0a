/**
 * Whether a prefix contains every address: its length is 0, whatever its address bits. Neutron parses prefixes with
 * netaddr, which accepts a length like `int()` does (`1.2.3.4/ +00`), a mask (`1.2.3.4/0.0.0.0`, `::/::`), and short
 * addresses (`0/0`). So a length counts as 0 unless it contains another digit; then it is another number, another
 * mask, or rejected by Neutron. A value that is not a string counts as well, because it is unknown how a service
 * interprets it.
 */
export const holdsEveryAddress = (prefix: unknown): boolean => {
  if (typeof prefix !== "string") return true
  const slash = prefix.indexOf("/")
  // Without a length it is a single address.
  if (slash < 0) return false
  return !/[1-9a-f]/i.test(prefix.slice(slash + 1))
}
