/** The command of an operation, such as `portico databases show`, by its method and path. */
export type CommandAt = (method: string, path: string) => string | undefined

const commandWords = (text: string, commandAt: CommandAt): string | undefined => {
  const [, method = "", path = ""] = /^([A-Z]+) (\/[^\s?]*)(?:\?\S*)?$/.exec(text) ?? []
  return commandAt(method, path)
}

/** What a terminal shows of Markdown: no marks, commands in place of routes. */
export const plainText = (markdown: string, commandAt: CommandAt = () => undefined): string =>
  markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/\*\*([^*]*)\*\*/g, "$1")
    .replaceAll(/`([^`]*)`/g, (_, code: string) => `'${commandWords(code, commandAt) ?? code}'`)

/** What tells a caller whether the call is for him, of the list that ends each description. */
const kept = new Set(["Tier", "Role", "Secret", "Billing", "Completion"])

/** A description without what a person at a terminal needs not know. */
export const callersPart = (markdown: string): string => {
  const [text = "", access = ""] = markdown.split(/\n*\*\*Access\*\*\n*/)
  const lines = access.split("\n").filter((line) => kept.has(/^- ([^:]*):/.exec(line)?.[1] ?? ""))
  return [text, lines.join("\n")].filter((_) => _ !== "").join("\n\n")
}

/** The meanings of values in a description, and the description without them. */
export const meaningsIn = (markdown: string) => {
  const item = /^- `([^`]*)`: (.*)$\n?/gm
  const pairs = [...markdown.matchAll(item)].map(([, value = "", meaning = ""]) => [value, meaning] as const)
  return { meanings: new Map(pairs), rest: markdown.replaceAll(item, "").trim() }
}
