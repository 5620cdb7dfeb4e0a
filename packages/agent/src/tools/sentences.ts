/** Text without the marks of Markdown, on one line. */
export const plain = (markdown: string): string =>
  markdown
    .replaceAll(/\*\*(.+?)\*\*/g, "$1")
    .replaceAll("`", "")
    .replaceAll(/\s+/g, " ")
    .trim()

/** The sentences of a Markdown text in their order. An item of a list is one sentence or more. */
export const sentencesOf = (markdown: string): ReadonlyArray<string> =>
  markdown
    .split(/\n\n|\n- /)
    .flatMap((_) => plain(_.replace(/^- /, "")).split(/(?<=[.:!?]) (?=[A-Z])/))
    .filter((_) => _ !== "" && !_.endsWith(":"))

export const firstSentence = (markdown: string): string => sentencesOf(markdown)[0] ?? ""

/** As many whole sentences as fit into a number of characters. */
export const within = (sentences: ReadonlyArray<string>, characters: number): string => {
  const taken: Array<string> = []
  let size = 0
  for (const sentence of sentences) {
    size += sentence.length + 1
    if (size > characters) break
    taken.push(sentence)
  }
  return taken.join(" ")
}
