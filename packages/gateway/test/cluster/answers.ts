import { Effect, Predicate } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import { TestGateway } from "../harness/TestGateway.ts"
import { eventually } from "../processes/children.ts"
import type { Step } from "./ask.ts"
import { steps } from "./steps.ts"

/** What no two clusters have in common: such values are compared by their types. */
const own: ReadonlySet<string> = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "deletionTimestamp",
  "lastTransitionTime",
  "time",
  "continue",
  "clusterIP",
  "clusterIPs",
  "ca.crt",
  "serverAddressByClientCIDRs"
])

/** Kinds that the simulated cluster does not serve, or not all of whose subresources it does. */
const unserved =
  /^\{"(name|resource|subresource)":"(bindings|componentstatuses|persistentvolumes|podtemplates|replicationcontrollers|nodes|pods\/(binding|ephemeralcontainers|resize)|binding|ephemeralcontainers|resize|controllerrevisions|ingressclasses|ipaddresses|servicecidrs|subscriptions|publications|databases|failoverquorums|poolers|imagecatalogs|clusterimagecatalogs)(\/\w+)?"/

/** Groups of which the simulated cluster serves every kind, or all but those. */
const served = /"metadata":\{("name":"(apps|batch|policy|coordination\.k8s\.io|discovery\.k8s\.io|example\.org)")?\}/

/** The values that are not compared. */
const leftOut: ReadonlyArray<{ readonly why: string; readonly at: RegExp; readonly value?: RegExp }> = [
  { why: "descriptions of columns are for people", at: /\.columnDefinitions\.\d+\.description$/ },
  { why: "the simulated cluster has no Deployment controller", at: /\.deployment\.kubernetes\.io\/revision$/ },
  { why: "the same: no ReplicaSets are counted", at: /\.used\.count\/replicasets\.apps$/ },
  {
    why: "the same: what it says of a Deployment",
    at: /^apps\/v1 Deployment\.status\.(conditions|observedGeneration)$/
  },
  {
    why: "controllers of the simulated cluster own no fields",
    at: /\.managedFields\.\d+$/,
    value: /"manager":"kube-(controller-manager|apiserver)"/
  },
  { why: "the node's own address, which differs", at: /\.(egress|from)\.\d+$/, value: /"192\.0\.2\.10\/32"/ },
  {
    why: "the simulated definitions have no rules in CEL",
    at: /\.causes\.\d+$/,
    value: /some validation rules were not checked/
  },
  { why: "how the part was built", at: /^undefined undefined\.(buildDate|git\w+|goVersion)$/ },
  { why: "kinds that the simulated cluster does not serve", at: / APIResourceList\.resources\.\d+$/, value: unserved },
  {
    why: "the same",
    at: / APIGroupDiscoveryList\.items\.\d+\.versions\.\d+\.resources\.\d+(\.subresources\.\d+)?$/,
    value: unserved
  },
  { why: "the same", at: / APIGroupDiscoveryList\.items\.\d+$/, value: new RegExp(`^(?!.*${served.source})`) }
]

/** Parts of sentences that are not compared. */
const cut: ReadonlyArray<{ readonly why: string; readonly from: RegExp; readonly to: string }> = [
  { why: "Go's rendering of a difference between two structs", from: /\n(@@ |  [\u00a0 ]*core\.)[^]*$/, to: "" },
  {
    why: "the order of fields in a patched object",
    from: /(patch: )?Invalid value: "\{.*\}": /,
    to: "Invalid value: {…}: "
  },
  {
    why: "the simulated definitions have no rules in CEL",
    from: /, <nil>: Invalid value: null: some validation rules were not checked[^\]]*/,
    to: ""
  },
  { why: "the words of the reader of YAML", from: /yaml: .*?( \([\da-f]+\))?$/, to: "yaml$1" }
]

const keyOf = (entry: unknown): string =>
  Predicate.isObject(entry)
    ? JSON.stringify(["operation", "manager", "subresource"].map((_) => Reflect.get(entry, _)))
    : ""

/** Ages in rows of tables go by the second. */
const age = /^\d+s$/

const isLeftOut = (at: string, value: unknown): boolean =>
  leftOut.some((_) => _.at.test(at) && _.value?.test(JSON.stringify(value)) !== false)

const nameOf = (value: unknown): string =>
  Predicate.isObject(value) ? JSON.stringify(Reflect.get(value, "name") ?? value) : ""

/** Lists whose order says nothing. */
const isNamed = / (APIResourceList\.resources|APIGroupDiscoveryList\.items)$/

const shortened = (text: string): string => cut.reduce((left, { from, to }) => left.replace(from, to), text)

const isBare = (value: unknown): boolean => Array.isArray(value) && value.length === 0

const plain = (value: unknown, at: string): unknown => {
  if (Predicate.isString(value)) return at.includes(".cells.") && age.test(value) ? "(age)" : shortened(value)
  if (Array.isArray(value) && isNamed.test(at)) {
    const named = value.filter((_) => !isLeftOut(`${at}.0`, _))
    return named.map((_, index) => plain(_, `${at}.${index}`)).toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  }
  if (Array.isArray(value)) {
    // Managers in the order of their names: upstream they go by the seconds of their writes.
    const ordered = at.endsWith(".managedFields") ? value.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)) : value
    return ordered.filter((_, index) => !isLeftOut(`${at}.${index}`, _)).map((_, index) => plain(_, `${at}.${index}`))
  }
  if (!Predicate.isObject(value)) return value
  const entries = Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .filter(([key, inner]) => !isLeftOut(`${at}.${key}`, inner))
    .map(([key, inner]) => [key, own.has(key) ? `(${typeof inner})` : plain(inner, `${at}.${key}`)] as const)
  // A list or a map whose only content is left out is left out, too.
  return Object.fromEntries(
    entries.filter(
      ([key, inner]) =>
        !(/^(managedFields|egress|annotations)$/.test(key) && (isBare(inner) || JSON.stringify(inner) === "{}"))
    )
  )
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

export interface Answered {
  readonly step: string
  readonly status: number
  readonly body: unknown
}

/** JSON, or a line of JSON for each event of a watch. */
const parsedOf = (text: string, isWatch: boolean): unknown => {
  if (isWatch && text.startsWith('{"type"')) {
    return text
      .trim()
      .split("\n")
      .map((_): unknown => JSON.parse(_))
  }
  return /^[[{]/.test(text) ? JSON.parse(text) : text
}

const kindOf = (body: unknown): string =>
  Predicate.isObject(body) ? `${String(Reflect.get(body, "apiVersion"))} ${String(Reflect.get(body, "kind"))}` : ""

const viewer = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: "portico-databases-view", labels: { "rbac.authorization.k8s.io/aggregate-to-view": "true" } },
  rules: [
    {
      apiGroups: ["postgresql.cnpg.io"],
      resources: ["clusters", "backups", "scheduledbackups"],
      verbs: ["get", "list", "watch"]
    },
    {
      apiGroups: ["kafka.strimzi.io"],
      resources: ["kafkas", "kafkanodepools", "kafkatopics", "kafkausers"],
      verbs: ["get", "list", "watch"]
    }
  ]
}

/** What was answered to each step, without what no two clusters have in common. */
export const answers = Effect.gen(function* () {
  const { acme } = yield* Cast
  const { call } = yield* TestGateway
  const last = { uid: "", resourceVersion: "" }
  const named = (_: string) =>
    _.replaceAll("{ns}", `db-${acme.projectId}`)
      .replaceAll("{uid}", last.uid)
      .replaceAll("{version}", last.resourceVersion)
  const anonymous = (_: string) =>
    _.replaceAll(acme.projectId, "{project}")
      .replaceAll(/cred-[0-9a-f]{12}/g, "{credential}")
      .replaceAll(uuid, "{uuid}")
      .replaceAll(/\b(gen[-_])[a-z0-9]{5}\b/gi, "$1{random}")
  const remember = (body: unknown) => {
    const metadata = Predicate.isObject(body) ? Reflect.get(body, "metadata") : undefined
    if (!Predicate.isObject(metadata)) return
    const { resourceVersion, uid } = { resourceVersion: undefined, uid: undefined, ...metadata }
    if (!Predicate.isString(uid) || !Predicate.isString(resourceVersion)) return
    Object.assign(last, { uid, resourceVersion })
  }
  const ask = ({ administrator, body, call: line, headers, tier = 2 }: Step) => {
    const [method = "", path = ""] = line.split(" ")
    const sent: unknown =
      Predicate.isString(body) || body === undefined ? body : JSON.parse(named(JSON.stringify(body)))
    return call(administrator === true ? "operator" : "customer", method, `/v1/kubernetes${named(path)}`, {
      token: administrator === true ? operator : acme.tokens[tier],
      headers,
      body: sent
    })
  }
  const answer = Effect.fnUntraced(function* (step: Step) {
    const { status, text } = yield* step.until === undefined
      ? ask(step)
      : Effect.orDie(
          eventually(Effect.flatMap(ask(step), (_) => (_.status === step.until ? Effect.succeed(_) : Effect.fail(_))))
        )
    const isWatch = /[?&]watch=/.test(step.call)
    remember(parsedOf(text, isWatch))
    const body = parsedOf(anonymous(text), isWatch)
    const told: Answered = { step: step.call, status, body: plain(body, kindOf(body)) }
    return told
  })
  // Both clusters have it: the page of operators makes it in the real one.
  yield* call("operator", "POST", "/v1/kubernetes/apis/rbac.authorization.k8s.io/v1/clusterroles", {
    token: operator,
    body: viewer
  })
  const all: Record<string, ReadonlyArray<Answered>> = {}
  for (const [name, chapter] of Object.entries(steps)) all[name] = yield* Effect.forEach(chapter, answer)
  return all
})
