/** Names of tests by their classes: `{"package.module.Class": ["test_it"]}`. */
export type ByClass = Readonly<Record<string, ReadonlyArray<string>>>

/** `package.module.Class.test_it`, for each of them. */
export const namesIn = (byClass: ByClass): ReadonlySet<string> =>
  new Set(Object.entries(byClass).flatMap(([name, tests]) => tests.map((test) => `${name}.${test}`)))

/** {@link namesIn} undone, in order. */
export const byClass = (names: Iterable<string>): ByClass => {
  const found: Record<string, Array<string>> = {}
  for (const name of [...names].toSorted()) {
    const end = name.lastIndexOf(".")
    ;(found[name.slice(0, end)] ??= []).push(name.slice(end + 1))
  }
  return found
}
