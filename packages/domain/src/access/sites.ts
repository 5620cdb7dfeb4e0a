/** Of IPv6 the network of a site (RFC 4291, section 2.5.4): one customer has all of its addresses. */
export const siteOf = (address: string): string => {
  if (!address.includes(":")) return address
  const [head = [], tail = []] = address.split("::").map((_) => (_ === "" ? [] : _.split(":")))
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => "0")
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(":")}::/64`
}
