/** The bytes of one field of a key, then the rest; undefined when the field is longer than the key. */
const field = (bytes: Buffer): readonly [Buffer, Buffer] | undefined => {
  if (bytes.length < 4) return undefined
  const end = 4 + bytes.readUInt32BE(0)
  return end > bytes.length ? undefined : [bytes.subarray(4, end), bytes.subarray(end)]
}

/** All fields of a key; undefined when bytes are left over. */
const fieldsOf = (bytes: Buffer): ReadonlyArray<Buffer> | undefined => {
  if (bytes.length === 0) return []
  const [first, rest] = field(bytes) ?? []
  if (first === undefined || rest === undefined) return undefined
  const others = fieldsOf(rest)
  return others === undefined ? undefined : [first, ...others]
}

type Parts = ReadonlyArray<Buffer>

const isOdd = (number: Buffer | undefined): boolean => ((number?.at(-1) ?? 0) & 1) === 1

/** A curve's point in its plain form: 4, then both coordinates. */
const isPoint =
  (curve: string, coordinate: number) =>
  ([name, point, ...more]: Parts): boolean =>
    more.length === 0 && name?.toString() === curve && point?.length === 1 + 2 * coordinate && point[0] === 4

/** What follows the type in a key, by type: those that Python's cryptography loads. */
const kinds: Readonly<Record<string, (parts: Parts) => boolean>> = {
  "ssh-rsa": (_) => _.length === 2 && isOdd(_[0]) && isOdd(_[1]) && (_[0]?.length ?? 0) < (_[1]?.length ?? 0),
  "ssh-dss": (_) => _.length === 4 && _.every((part) => part.length > 0),
  "ssh-ed25519": (_) => _.length === 1 && _[0]?.length === 32,
  "ecdsa-sha2-nistp256": isPoint("nistp256", 32),
  "ecdsa-sha2-nistp384": isPoint("nistp384", 48),
  "ecdsa-sha2-nistp521": isPoint("nistp521", 66)
}

/** Whether bytes are a public SSH key of a type. */
export const isSshKey = (type: string, bytes: Buffer): boolean => {
  const [inner, ...parts] = fieldsOf(bytes) ?? []
  return Object.hasOwn(kinds, type) && inner?.toString() === type && kinds[type]?.(parts) === true
}
