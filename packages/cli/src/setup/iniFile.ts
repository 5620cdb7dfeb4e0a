import { Effect } from "effect"
import type { CliFailure } from "../CliFailure.ts"
import { allOneLine } from "./oneLine.ts"
import { sourceIn, unreadable } from "./Target.ts"

/** A setting: its name, and its value or settings of its own, which stand on further lines. */
export type Setting = readonly [name: string, value: string | Readonly<Record<string, string>>]

interface Section {
  readonly from: number
  /** The line behind its last setting. Comments above the next header belong to that one. */
  readonly to: number
}

const headerIn = (line: string): string | undefined => /^\s*\[\s*(.*?)\s*\]\s*(?:[#;].*)?$/.exec(line)?.[1]
const isComment = (line: string) => /^\s*(?:[#;]|$)/.test(line)
const keyIn = (line: string): string | undefined => /^([^\s=:#;[][^=:]*?)\s*[=:]/.exec(line)?.[1]
const linesOf = (text: string): ReadonlyArray<string> => text.split(/\r?\n/)

/** Fails where no program could read the file, and names the line. */
export const checkIni = (text: string, path: string): Effect.Effect<void, CliFailure> =>
  Effect.suspend(() => {
    let isInside = false
    for (const [index, line] of linesOf(text).entries()) {
      if (headerIn(line) !== undefined) isInside = true
      else if (isComment(line)) continue
      else if (!isInside) return Effect.fail(unreadable(path, `line ${index + 1}: a setting stands above all sections`))
      else if (keyIn(line) === undefined && !/^\s/.test(line)) {
        return Effect.fail(unreadable(path, `line ${index + 1}: neither a section nor a setting`))
      }
    }
    return Effect.void
  })

const sectionOf = (lines: ReadonlyArray<string>, name: string): Section | undefined => {
  const from = lines.findIndex((_) => headerIn(_) === name)
  if (from === -1) return undefined
  const rest = lines.slice(from + 1)
  const next = rest.findIndex((_) => headerIn(_) !== undefined)
  const end = next === -1 ? lines.length : from + 1 + next
  const used = lines.slice(from, end)
  const mark = used.findIndex((_) => sourceIn(_) !== undefined)
  return {
    from,
    to:
      from +
      1 +
      Math.max(
        0,
        used.findLastIndex((_) => !isComment(_)),
        mark
      )
  }
}

/** The lines of a section, or undefined when there is none of that name. */
export const sectionIn = (text: string, name: string): string | undefined => {
  const lines = linesOf(text)
  const found = sectionOf(lines, name)
  return found && lines.slice(found.from, found.to).join("\n")
}

/** Settings that somebody added to a section of ours, with the lines that belong to them. */
const othersIn = (lines: ReadonlyArray<string>, managed: ReadonlySet<string>): ReadonlyArray<string> => {
  let isOurs = false
  return lines.slice(1).filter((line) => {
    const key = /^\s/.test(line) ? undefined : keyIn(line)
    if (key !== undefined) isOurs = managed.has(key)
    if (isComment(line)) return sourceIn(line) === undefined
    return !isOurs
  })
}

const written = ([name, value]: Setting): ReadonlyArray<string> =>
  typeof value === "string"
    ? [`${name} = ${value}`]
    : [`${name} =`, ...Object.entries(value).map(([name, value]) => `  ${name} = ${value}`)]

interface SectionOptions {
  readonly mark?: string | undefined
  /** Names of settings that an earlier version of the section may have. */
  readonly managed?: ReadonlyArray<string>
}

/**
 * The text with the section, in place of one of its name.
 *
 * Fails for a name or a value that would not stay on its line.
 */
export const withSection = (
  text: string,
  name: string,
  settings: ReadonlyArray<Setting>,
  options: SectionOptions = {}
): Effect.Effect<string, CliFailure> =>
  Effect.as(
    allOneLine(`the section '${name}'`, { name, mark: options.mark, ...Object.fromEntries(settings) }),
    joined(text, name, settings, options)
  )

const joined = (
  text: string,
  name: string,
  settings: ReadonlyArray<Setting>,
  { managed = [], mark }: SectionOptions
): string => {
  const lines = linesOf(text)
  const newline = text.includes("\r\n") ? "\r\n" : "\n"
  const found = sectionOf(lines, name)
  const names = new Set([...managed, ...settings.map(([key]) => key)])
  const others = found === undefined ? [] : othersIn(lines.slice(found.from, found.to), names)
  const own = [
    ...(found === undefined ? [`[${name}]`] : lines.slice(found.from, found.from + 1)),
    ...(mark === undefined ? [] : [`# ${mark}`]),
    ...settings.flatMap(written),
    ...others
  ]
  if (found !== undefined) return [...lines.slice(0, found.from), ...own, ...lines.slice(found.to)].join(newline)
  const before = text.trimEnd() === "" ? [] : [...linesOf(text.trimEnd()), ""]
  return `${[...before, ...own].join(newline)}${newline}`
}

/** The text without the section, and without the empty line above it. */
export const withoutSection = (text: string, name: string): string => {
  const lines = linesOf(text)
  const found = sectionOf(lines, name)
  if (found === undefined) return text
  const before = lines.slice(0, found.from)
  const after = lines.slice(found.to)
  const isLast = after.every((_) => _ === "")
  const kept = isLast && before.at(-1) === "" ? before.slice(0, -1) : before
  const rest = !isLast && kept.at(-1) === "" && after[0] === "" ? after.slice(1) : after
  return [...kept, ...rest].join(text.includes("\r\n") ? "\r\n" : "\n")
}
