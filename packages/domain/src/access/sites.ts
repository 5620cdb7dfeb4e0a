/**
 * The /64 of an IPv6 address, which is one site (RFC 4291, section 2.5.4): one customer has all of
 * its addresses. An IPv4 address stays as it is.
 */
export const siteOf = (address: string): string => {
  if (!address.includes(":")) return address
  const [head = [], tail = []] = address.split("::").map((_) => (_ === "" ? [] : _.split(":")))
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => "0")
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(":")}::/64`
}
