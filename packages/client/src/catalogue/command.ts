import { type Arguments, areExpressible, argumentsOf, argumentsWithBody } from "./arguments.ts"
import {
  type Call,
  type OperationCall,
  type Parts,
  partsOf,
  type PathCall,
  resolved,
  targetOf,
  terminalJson
} from "./Call.ts"
import { isObject } from "@portico/contract/isObject"
import type { Shape } from "./Catalogue.ts"
import { excused } from "./excused.ts"
import { quoted } from "./shell.ts"
import { fileOf, hasSecrets } from "./standIns.ts"

/** A value that looks like a flag, or that the command line would read from a file, is none of both behind `=`. */
const bodyArgument = (text: string): string => `--body=${text}`

/** `portico api`, which takes every call. */
const raw = (
  method: string,
  path: string,
  body: unknown,
  { contentType, isHidden = false }: { readonly contentType?: string | undefined; readonly isHidden?: boolean } = {}
): Arguments => {
  const text = body === undefined ? undefined : terminalJson(body)
  const header = text === undefined || contentType === undefined ? [] : [`--header=content-type: ${contentType}`]
  if (text === undefined) return { args: ["api", method, path], files: {} }
  return isHidden
    ? { args: ["api", method, path, ...header, "--body=@body.json"], files: { "body.json": text } }
    : { args: ["api", method, path, ...header, bodyArgument(text)], files: {} }
}

const positional = (text: string): ReadonlyArray<string> => (text.startsWith("-") ? ["--", text] : [text])

/** It lists all pages by itself. */
const withoutCursor = (operation: Shape, parts: Parts): Arguments => {
  const { cursor: _, ...query } = parts.query
  return argumentsOf(operation, { ...parts, query })
}

/** The commands that are made by hand and take something else than the flags of the operation. */
const byHand: Readonly<Record<string, (operation: Shape, parts: Parts) => Arguments>> = {
  "dns.importZone": (_, { body, ids }) => {
    const { dry_run, prune, zonefile } = isObject(body) ? body : {}
    const file = fileOf({ name: "zonefile", type: "string" })
    const flags = [...(dry_run === true ? ["--dry-run"] : []), ...(prune === true ? ["--prune"] : [])]
    const zone = ids["zone_id"] ?? ""
    const places = zone.startsWith("-") ? ["--", zone, file] : [zone, file]
    return { args: ["dns", "import", ...flags, ...places], files: { [file]: String(zonefile).toWellFormed() } }
  },
  // It asks for the name itself.
  "projects.remove": (_, { ids }) => ({
    args: ["projects", "delete", ...positional(ids["project_id"] ?? "")],
    files: {}
  })
}

const ofOperation = ({ input, operation }: OperationCall): Arguments => {
  const parts = partsOf(operation, input)
  const special = byHand[operation.id]
  if (special !== undefined) return special(operation, parts)
  if (operation.handMade === "whole-list") return withoutCursor(operation, parts)
  const everything = () =>
    raw(operation.method, targetOf(operation, parts), parts.body, {
      isHidden: hasSecrets(operation.body, parts.body)
    })
  const known = new Set(operation.query.map((_) => _.name))
  const hasForeign = Object.entries(parts.query).some(([key, value]) => !known.has(key) || value === null)
  if (hasForeign) return everything()
  if (parts.body === undefined || areExpressible(operation.body, parts.body)) return argumentsOf(operation, parts)
  return operation.handMade === "no-body" ? everything() : argumentsWithBody(operation, parts)
}

/** No argument holds a NUL, and a terminal acts on other control characters of a text before any shell reads its quotes. */
const unpasted = /[^\P{Cc}\t\n]/u

const ofPath = ({ body, contentType, method, path }: PathCall): Arguments => raw(method, path, body, { contentType })

/** The arguments of the command that makes a call; undefined where none does. */
export const commandOfCall = (given: Call): Arguments | undefined => {
  if ("operation" in given && excused[given.operation.id] !== undefined) return undefined
  const call = resolved(given)
  const { args, files } = "operation" in call ? ofOperation(call) : ofPath(call)
  if (args.some((_) => unpasted.test(_))) return undefined
  return { args: ["--url", call.base, ...args], files }
}

/**
 * A call as a command of `portico`, which asks before what cannot be undone.
 * Secrets of the caller's come from files with the names of their fields.
 * Undefined where there is no command for it.
 */
export const asCommand = (call: Call): string | undefined => {
  const found = commandOfCall(call)
  return found === undefined ? undefined : ["portico", ...found.args.map(quoted)].join(" ")
}
