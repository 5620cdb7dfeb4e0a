import type { ImportedSet, ZoneImported } from "@portico/contract/Dns"
import { diffLine } from "../../output/draw.ts"
import type { Frame } from "../../output/Frame.ts"
import { ink } from "../../output/ink.ts"
import { harmless } from "../../output/sanitize.ts"
import { paragraph } from "../../output/wrap.ts"

/** What an import changes, a line a record, and what of the file it leaves out. */
export const diffText = (imported: ZoneImported, frame: Frame): string => {
  const { create, skipped, unchanged, update } = imported
  return [
    ...imported.delete.flatMap((_) => linesOf("-", _, frame)),
    ...update.flatMap((_) => changeLines(_, frame)),
    ...create.flatMap((_) => linesOf("+", _, frame)),
    ...(unchanged === 0 ? [] : [ink(frame.colors).dim(`  ${recordsets(unchanged)} unchanged`)]),
    ...skipped.flatMap(({ line, why }) => paragraph(`Line ${line} is left out: ${harmless(why)}`, frame.columns, 2))
  ].join("\n")
}

/** How many recordsets are created, changed and deleted. */
export const sumText = ({ create, delete: removed, update }: ZoneImported): string => {
  const counts = [
    [create.length, "created"],
    [update.length, "changed"],
    [removed.length, "deleted"]
  ] as const
  const parts = counts.filter(([count]) => count > 0).map(([count, what]) => `${recordsets(count)} ${what}`)
  return parts.length === 0 ? "nothing changed" : parts.join(", ")
}

export const changesNothing = ({ create, delete: removed, update }: ZoneImported): boolean =>
  create.length + update.length + removed.length === 0

/** Every change as the gateway names it in the report of an import that stopped. */
export const changesOf = ({ create, delete: removed, update }: ZoneImported): ReadonlyArray<string> => [
  ...removed.map(({ name, type }) => `delete ${name} ${type}`),
  ...update.map(({ after: { name, type } }) => `update ${name} ${type}`),
  ...create.map(({ name, type }) => `create ${name} ${type}`)
]

const recordsets = (count: number): string => (count === 1 ? "1 recordset" : `${count} recordsets`)

const ttlText = (ttl: number | null): string => (ttl === null ? "" : ` ${ttl}`)

const lineOf = ({ name, ttl, type }: ImportedSet, record: string): string =>
  harmless(`${name}${ttlText(ttl)} ${type} ${record}`)

const linesOf = (sign: "+" | "-", set: ImportedSet, frame: Frame): ReadonlyArray<string> =>
  set.records.map((record) => diffLine(sign, lineOf(set, record), frame))

/** The recordset in one line, and below it the records that come, go and stay. */
const changeLines = (
  { after, before }: { readonly after: ImportedSet; readonly before: ImportedSet },
  frame: Frame
): ReadonlyArray<string> => {
  const ttl = before.ttl === after.ttl ? "" : ` (ttl ${ttlName(before.ttl)} to ${ttlName(after.ttl)})`
  return [
    diffLine("~", harmless(`${after.name}${ttlText(after.ttl)} ${after.type}${ttl}`), frame),
    ...before.records.filter((_) => !after.records.includes(_)).map((_) => diffLine("-", `  ${harmless(_)}`, frame)),
    ...after.records.filter((_) => !before.records.includes(_)).map((_) => diffLine("+", `  ${harmless(_)}`, frame)),
    ...after.records.filter((_) => before.records.includes(_)).map((_) => diffLine(" ", `  ${harmless(_)}`, frame))
  ]
}

const ttlName = (ttl: number | null): string => (ttl === null ? "of the zone" : String(ttl))
