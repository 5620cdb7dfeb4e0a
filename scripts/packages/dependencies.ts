import { isBuiltin } from "node:module"
import type { Manifest, Versions } from "./workspace.ts"

/** There must be one of each in a program, and whoever uses Portico's values or tests has it too. */
const peers = ["effect", "vitest", "@effect/vitest"]

/** Imported by a program of the package that not everybody runs: `gateway/dist/start.js`. */
const optionalPeers: Readonly<Record<string, ReadonlyArray<string>>> = { "@portico/gateway": ["@portico/simulator"] }

type Field = "dependencies" | "peerDependencies" | "optionalDependencies"

export type Dependencies = { readonly [_ in Field]?: Versions } & {
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional: true }>>
}

export interface Imports {
  /** Module specifiers of the JavaScript and of the declarations. */
  readonly modules: Iterable<string>
  /** Those of the declarations alone. */
  readonly types: Iterable<string>
}

interface Workspace {
  /** Its package.json. */
  readonly root: Manifest
  /** Names and versions of its packages. */
  readonly own: Versions
}

/** The package behind a module specifier. One that ends in a hole stands for all packages that begin like it. */
const packageOf = (specifier: string): string => /^(@[^/]+\/[^/]*|[^/]+)/.exec(specifier)?.[0] ?? specifier

const typesOf = (specifier: string): string =>
  `@types/${isBuiltin(specifier) ? "node" : packageOf(specifier).replace(/^@/, "").replace("/", "__")}`

/** What is pinned here may be newer where it is used. A version before its release has no such promise. */
const range = (version: string): string => (version.includes("-") ? version : `^${version.replace(/^\^/, "")}`)

const unknown = (manifest: Manifest, root: Manifest, wanted: string): Error => {
  const isForDevelopment = (manifest.devDependencies ?? root.devDependencies)?.[wanted] !== undefined
  const what = isForDevelopment ? "is for development alone" : "is no dependency of it or of the workspace"
  return new Error(`${manifest.name} imports ${wanted}, which ${what}.`)
}

/** In which field of the package.json an imported package stands, with its versions. */
const place = (manifest: Manifest, { own, root }: Workspace, wanted: string): readonly [Field, Versions] => {
  const ofOwn = own[wanted]
  if (ofOwn !== undefined) {
    const isOptional = optionalPeers[manifest.name]?.includes(wanted) === true
    return [isOptional ? "peerDependencies" : "dependencies", { [wanted]: range(ofOwn) }]
  }
  const platforms = Object.entries(root.optionalDependencies ?? {}).filter(([name]) =>
    wanted.endsWith("/") ? name.startsWith(wanted) : name === wanted
  )
  if (platforms.length > 0) {
    return ["optionalDependencies", Object.fromEntries(platforms.map(([name, version]) => [name, range(version)]))]
  }
  const isPeer = peers.includes(wanted)
  const version =
    manifest.dependencies?.[wanted] ??
    root.dependencies?.[wanted] ??
    (isPeer ? root.devDependencies?.[wanted] : undefined)
  if (version === undefined) throw unknown(manifest, root, wanted)
  return [isPeer ? "peerDependencies" : "dependencies", { [wanted]: range(version) }]
}

/** The dependencies of a package, from what its files import. The versions are those that the workspace has. */
export const dependenciesOf = (manifest: Manifest, imports: Imports, workspace: Workspace): Dependencies => {
  const wanted = new Set([...imports.modules].filter((_) => !isBuiltin(_)).map(packageOf))
  wanted.delete(manifest.name)
  const fields: Partial<Record<Field, Versions>> = {}
  for (const name of [...wanted].toSorted()) {
    const [field, versions] = place(manifest, workspace, name)
    fields[field] = { ...fields[field], ...versions }
  }
  for (const name of new Set([...imports.types].map(typesOf))) {
    const version = workspace.root.devDependencies?.[name]
    // Of Node's types the user's own are as good.
    const wanted = name === "@types/node" ? ">=22" : range(version ?? "")
    if (version !== undefined) fields.dependencies = { ...fields.dependencies, [name]: wanted }
  }
  const optional = (optionalPeers[manifest.name] ?? []).filter((_) => wanted.has(_))
  return {
    ...fields,
    ...(optional.length === 0
      ? {}
      : { peerDependenciesMeta: Object.fromEntries(optional.map((_) => [_, { optional: true as const }])) })
  }
}
