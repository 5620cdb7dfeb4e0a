import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { repository } from "./children.ts"

/**
 * A fenced block of shell commands in a document: ```` ```sh ````, ```` ```sh 403 ````, ```` ```sh cluster ````,
 * ```` ```sh norun needs Docker ````.
 */
export interface ShellBlock {
  readonly line: number
  readonly commands: string
  /** The status of the last answer, when the block shows a refusal; otherwise every answer is below 400. */
  readonly refusal: number | undefined
  /** Whether it needs a cluster. */
  readonly cluster: boolean
  /** Why a test cannot run it. */
  readonly norun: string | undefined
}

const isFolder = (path: string) => !["node_modules", "dist"].includes(path) && !path.startsWith(".")

/** The only one with commands for a cluster: packages/gateway/test/cluster/install.integration.test.ts runs them, block by block. */
export const installPage = "docs/operators/kubernetes-install.md"

/** Every document of the repository, as a path from its top. */
export const documents = (folder = ""): ReadonlyArray<string> =>
  readdirSync(join(repository, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return isFolder(entry.name) ? documents(path) : []
    return entry.name.endsWith(".md") ? [path] : []
  })

export const textOf = (document: string): string => readFileSync(join(repository, document), "utf8")

const lineOf = (text: string, index: number): number => text.slice(0, index).split("\n").length

/** The shell blocks of a document, in order. */
export const shellBlocks = (document: string): ReadonlyArray<ShellBlock> => {
  const text = textOf(document)
  return [...text.matchAll(/^```(?:sh|bash|shell)\b *(.*)\n([^]*?)^```$/gm)].map(
    ({ 1: info = "", 2: commands = "", index }) => ({
      line: lineOf(text, index),
      commands,
      refusal: /^[45]\d\d$/.test(info) ? Number(info) : undefined,
      cluster: info === "cluster",
      norun: /^norun (.+)/.exec(info)?.[1]
    })
  )
}

/** What GitHub makes of a heading, for the part of a link behind `#`. */
const anchorOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\-_ ]/gu, "")
    .replaceAll(" ", "-")

const withoutFences = (text: string): string => text.replaceAll(/^ *```[^]*?^ *```$/gm, "")

export const anchorsOf = (document: string): ReadonlyArray<string> =>
  [...withoutFences(textOf(document)).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchorOf(heading))

/** Where the links of a document lead within the repository: a path, and the heading in it. */
export const linksOf = (document: string): ReadonlyArray<readonly [path: string, anchor: string]> =>
  [...withoutFences(textOf(document)).matchAll(/\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)/g)].map(
    ([, path = "", anchor = ""]) => [path === "" ? document : join(document, "..", path), anchor] as const
  )
