type Texts = Readonly<Record<string, string>>

const pair = /\s*(['"])(.*?)\1\s*:\s*(['"])(.*?)\3\s*/

/** A dictionary of texts as Python writes it: `{'key': 'value'}`; undefined for anything else. */
const dictionaryOf = (text: string): Texts | undefined => {
  const inner = /^\s*\{(.*)\}\s*$/s.exec(text)?.[1]
  if (inner === undefined) return undefined
  const whole = new RegExp(`^(?:${pair.source}(?:,|$))*$`, "s")
  if (inner.trim() !== "" && !whole.test(inner.replaceAll("\\3", "\\1"))) return undefined
  return Object.fromEntries([...inner.matchAll(new RegExp(pair, "gs"))].map((_) => [_[2] ?? "", _[4] ?? ""]))
}

/** Whether a thing has all the items that a filter names. What is not a dictionary finds nothing. */
export const hasMetadata = ({ metadata }: { readonly metadata: Texts }, filter: string | null): boolean => {
  if (filter === null) return true
  const wanted = dictionaryOf(filter)
  return wanted !== undefined && Object.entries(wanted).every(([key, value]) => metadata[key] === value)
}
