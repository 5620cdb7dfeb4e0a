import { Effect } from "effect"
import { delimiter, join, resolve } from "node:path"
import { extensions, setEntry, unsetEntry, untouched, type NamedEntry } from "../entries.ts"
import { type Change, readText } from "../files.ts"
import type { Plan } from "../Plan.ts"
import { home, variable } from "../surroundings.ts"
import { type Allowed, flagsOf, type Target } from "../Target.ts"
import { entryOf, readYaml, scalarAt, withScalar } from "../yamlFile.ts"

export interface KubectlOptions extends Allowed {
  /** Of cluster, user and context. */
  readonly name: string
  /** The tenant's own; absent for administrators, who have none. */
  readonly namespace?: string | undefined
  /** Whether the context becomes the current one, though another is. */
  readonly use: boolean
}

const parts = (name: string) =>
  ({
    cluster: { collection: "clusters", kind: "list", name, what: `The cluster '${name}'` },
    user: { collection: "users", kind: "list", name, what: `The user '${name}'` },
    context: { collection: "contexts", kind: "list", name, what: `The context '${name}'` }
  }) satisfies Readonly<Record<string, NamedEntry>>

/** The files that kubectl joins. */
export const candidates = Effect.gen(function* () {
  const given = ((yield* variable("KUBECONFIG")) ?? "").split(delimiter).filter((_) => _ !== "")
  return given.length === 0 ? [join(yield* home, ".kube", "config")] : given.map((_) => resolve(_))
})

/** The file that has the context already; else the one in which kubectl itself makes new entries. */
export const pathFor = Effect.fnUntraced(function* (name: string) {
  const paths = yield* candidates
  const existing: Array<string> = []
  for (const path of paths) {
    const text = yield* readText(path)
    if (text === undefined) continue
    existing.push(path)
    if ((yield* entryOf(yield* readYaml(text, path), parts(name).context)) !== undefined) return path
  }
  return existing[0] ?? paths.at(-1) ?? ""
})

const header = "apiVersion: v1\nkind: Config\n"

const begun = (change: Change): Change => ((change.after ?? "").trim() === "" ? { ...change, after: header } : change)

const currentOf = (change: Change) =>
  Effect.map(readYaml(change.after ?? "", change.path), (file) => ({
    file,
    current: scalarAt(file, "current-context")
  }))

export const kubectl = Effect.fnUntraced(function* (target: Target, options: KubectlOptions) {
  const { name, namespace, use } = options
  const path = yield* pathFor(name)
  const { cluster, context, user } = parts(name)
  const [command, ...args] = [...target.command, "kubectl-token", ...flagsOf(target)]
  const mark = extensions(target)
  const exec = {
    apiVersion: "client.authentication.k8s.io/v1",
    command,
    args,
    interactiveMode: "Never",
    // Lets the command refuse a server that is not the gateway whose token it has.
    provideClusterInfo: true,
    installHint: "The command line 'portico' gives the token, and is not on the PATH"
  }
  const authority = target.caFile === undefined ? {} : { "certificate-authority": target.caFile }
  const server = `${target.url}/v1/kubernetes`
  const within = namespace === undefined ? {} : { namespace }
  const allowed = { ...options, managed: ["name", "cluster", "user", "context"] }
  const before = begun(yield* untouched(path))
  const one = yield* setEntry(before, cluster, { name, cluster: { server, ...authority, ...mark } }, target, allowed)
  const two = yield* setEntry(one, user, { name, user: { exec, ...mark } }, target, allowed)
  const joined = { cluster: name, user: name, ...within, ...mark }
  const three = yield* setEntry(two, context, { name, context: joined }, target, allowed)
  const { current, file } = yield* currentOf(three)
  const isCurrent = current === undefined || use || current === name
  const change = isCurrent && current !== name ? { ...three, after: withScalar(file, "current-context", name) } : three
  const plain = target.url.startsWith("http:")
    ? ["kubectl sends no token over plain HTTP, and this address has no TLS"]
    : []
  const next = isCurrent ? "kubectl get pods" : `kubectl --context ${name} get pods`
  return { changes: [change], hints: plain.length > 0 ? plain : [`Try: ${next}`] } satisfies Plan
})

export const withoutKubectl = Effect.fnUntraced(function* (options: Allowed & { readonly name: string }) {
  const { name } = options
  let change = yield* untouched(yield* pathFor(name))
  if (change.before === undefined) return { changes: [], hints: [] } satisfies Plan
  for (const wanted of Object.values(parts(name))) change = yield* unsetEntry(change, wanted, options)
  const { current, file } = yield* currentOf(change)
  if (current === name && change.after !== change.before) {
    change = { ...change, after: withScalar(file, "current-context", "") }
  }
  return { changes: [change], hints: [] } satisfies Plan
})
