/** An address as a number, with the bits that its family has. */
interface Address {
  readonly value: bigint
  readonly bits: 32 | 128
}

const ofBytes = (parts: ReadonlyArray<string>): bigint | undefined => {
  if (parts.length !== 4 || parts.some((_) => !/^\d{1,3}$/.test(_) || Number(_) > 255)) return undefined
  return parts.reduce((sum, _) => sum * 256n + BigInt(_), 0n)
}

const groupsOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.split(":"))

/** The eight groups of an IPv6 address, with those that `::` stands for. */
const widened = (text: string): ReadonlyArray<string> | undefined => {
  const [head = "", tail, ...more] = text.split("::")
  if (more.length > 0) return undefined
  if (tail === undefined) return groupsOf(head)
  const missing = 8 - groupsOf(head).length - groupsOf(tail).length
  return missing < 1 ? undefined : [...groupsOf(head), ...Array.from({ length: missing }, () => "0"), ...groupsOf(tail)]
}

const ofGroups = (text: string): bigint | undefined => {
  const groups = widened(text)
  if (groups?.length !== 8 || groups.some((_) => !/^[0-9a-f]{1,4}$/i.test(_))) return undefined
  return groups.reduce((sum, _) => sum * 65_536n + BigInt(`0x${_}`), 0n)
}

const addressOf = (text: string): Address | undefined => {
  const plain = text.replace(/^::ffff:(?=\d+\.)/i, "")
  const value = plain.includes(":") ? ofGroups(plain) : ofBytes(plain.split("."))
  return value === undefined ? undefined : { value, bits: plain.includes(":") ? 128 : 32 }
}

/** The networks of a text, one a line or a word. */
export const networksOf = (text: string): ReadonlyArray<string> => text.split(/[\s,]+/).filter((_) => _ !== "")

/** Whether a network in CIDR notation contains the address; false for what is none. */
export const isInside = (address: string, network: string): boolean => {
  const [start = "", length = ""] = network.split("/")
  const inner = addressOf(address)
  const outer = addressOf(start)
  if (inner === undefined || outer === undefined || inner.bits !== outer.bits || !/^\d{1,3}$/.test(length)) return false
  const rest = BigInt(Math.max(0, outer.bits - Number(length)))
  return inner.value >> rest === outer.value >> rest
}
