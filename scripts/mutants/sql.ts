type Change = readonly [kind: string, mutated: string]

/** Replacements of one place of a statement. */
const replacements: ReadonlyArray<readonly [kind: string, pattern: RegExp, by: string]> = [
  ["sql comparison", /<=/g, "<"],
  ["sql comparison", />=/g, ">"],
  ["sql comparison", /(?<=\s)<(?=\s)/g, "<="],
  ["sql comparison", /(?<=\s)>(?=\s)/g, ">="],
  ["sql comparison", /(?<=\s)<>(?=\s)/g, "="],
  ["sql comparison", /(?<=\b(?:WHERE|AND|OR|ON)\s+\(?[\w.¤]+\s+)=(?=\s)/g, "<>"],
  ["sql lock", /\bFOR (NO KEY )?(UPDATE|SHARE)( OF \w+)?( SKIP LOCKED)?/g, ""],
  ["sql lock", /\bSKIP LOCKED\b/g, ""],
  ["sql limit", /\bLIMIT [\w¤]+/g, ""],
  ["sql order", /\bORDER BY [^)]*?(?=LIMIT|FOR |\)|$)/g, ""],
  ["sql order", /\bDESC\b/g, ""],
  ["sql null", /\bIS NULL\b/g, "IS NOT NULL"],
  ["sql null", /\bIS NOT NULL\b/g, "IS NULL"],
  ["sql negation", /\bNOT (?=EXISTS|IN\b|\w+ @>)/g, ""],
  ["sql logic", /\bOR\b/g, "AND"],
  ["sql arithmetic", /(?<=[\w)¤]\s)-(?=\s[\w(¤])/g, "+"],
  ["sql arithmetic", /(?<=[\w)¤]\s)\+(?=\s[\w(¤])/g, "-"],
  ["sql number", /(?<=[\s(])\d+(?=[\s),]|$)/g, "7"],
  ["sql string", /(?<=(?:=|<>|IN \() ?)'[a-z]\w*'/g, "'other'"],
  ["sql distinct", /\bDISTINCT\b/g, ""]
]

/** The places of conditions that AND or WHERE adds, up to the end of the condition at the same depth of parentheses. */
const conditions = (masked: string): ReadonlyArray<readonly [start: number, end: number]> =>
  [...masked.matchAll(/(?<!\bBETWEEN\s+\S+\s+)\bAND\s/g)].map(({ 0: word, index }) => {
    let at = index + word.length
    for (let depth = 0; at < masked.length; at++) {
      if (masked[at] === "(") depth++
      if (masked[at] === ")" && depth-- === 0) break
      if (depth === 0 && /^\s(AND|OR|ORDER|GROUP|LIMIT|FOR|RETURNING|ON|UNION|THEN)\b/.test(masked.slice(at, at + 12)))
        break
    }
    return [index, at]
  })

/**
 * Changes of a statement.
 *
 * @param text the template without its backticks
 * @param holes the places of its `${}`, which are not changed but may be dropped
 */
export const sqlChanges = (
  text: string,
  holes: ReadonlyArray<readonly [start: number, end: number]>
): ReadonlyArray<Change> => {
  const masked = holes.reduce(
    (masked, [start, end]) => masked.slice(0, start) + "¤".repeat(end - start) + masked.slice(end),
    text
  )
  const without = ([start, end]: readonly [number, number], by: string) => text.slice(0, start) + by + text.slice(end)
  return [
    ...conditions(masked).map((place): Change => ["sql condition", without(place, "")]),
    ...replacements.flatMap(([kind, pattern, by]) =>
      [...masked.matchAll(pattern)].map(({ 0: found, index }): Change => [
        kind,
        without([index, index + found.length], by)
      ])
    )
  ]
}
