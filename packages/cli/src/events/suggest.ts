/** How many letters differ. */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1]
    for (const [at, another] of [...other].entries()) {
      const replaced = (row[at] ?? 0) + (letter === another ? 0 : 1)
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

/** The names that a person may have meant: similar ones, or of the same family. All names when there are none. */
export const alike = (given: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [family = ""] = given.split(".")
  const ranked = names.map((name) => ({ name, far: distance(given, name) })).toSorted((a, b) => a.far - b.far)
  const close = ranked.filter(({ far }) => far <= 2).map((_) => _.name)
  if (close.length > 0) return close.slice(0, 5)
  const related = names.filter((_) => family !== "" && _.startsWith(`${family}.`))
  return related.length > 0 ? related : names
}
