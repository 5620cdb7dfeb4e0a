import { Result } from "effect"
import { type JsonObject, objectAt, objectsAt, stringAt, stringsAt, valueAt } from "../Json.ts"
import type { Step } from "../Wire.ts"
import { type Kind, resourceOf } from "./kinds.ts"
import type { Thing } from "./state.ts"
import { badRequest } from "./status.ts"

export interface Selection {
  readonly matches: (thing: Thing) => boolean
  /** Selects everything. */
  readonly all: boolean
}

export const selectionOf = (kind: Kind, query: URLSearchParams): Step<Selection> =>
  Result.gen(function* () {
    const labels = yield* labelSelector(query.get("labelSelector") ?? "")
    const fields = yield* fieldSelector(kind, query.get("fieldSelector") ?? "")
    const matches = (thing: Thing) => labels.every((_) => _(thing)) && fields.every((_) => _(thing))
    return { matches, all: labels.length + fields.length === 0 }
  })

type Requirement = (thing: Thing) => boolean

const labelKey = /^([a-z0-9A-Z.-]+\/)?[a-zA-Z0-9]([-a-zA-Z0-9_.]*[a-zA-Z0-9])?$/
const labelValue = /^([a-zA-Z0-9]([-a-zA-Z0-9_.]*[a-zA-Z0-9])?)?$/

/** Splits at commas outside parentheses. */
const clauses = (text: string): ReadonlyArray<string> =>
  text.trim() === "" ? [] : text.split(/,(?![^(]*\))/).map((_) => _.trim())

const labelSelector = (text: string): Step<ReadonlyArray<Requirement>> => Result.all(clauses(text).map(label))

const unparsable = (text: string, why: string) =>
  badRequest(`unable to parse requirement: ${why === "" ? `found '${text}', expected: identifier` : why}`)

const label = (text: string): Step<Requirement> => {
  const [, extra] = /^[^\s=!]+\s*(?:==|!=|=(?!=))\s*[^\s=!]*\s*(==|!=|=|!)/.exec(text) ?? []
  if (extra !== undefined) return badRequest(`found '${extra}', expected: ',' or 'end of string'`)
  const set = /^(\S+)\s+(in|notin)\s*\((.*)\)$/.exec(text)
  const equal = /^([^\s=!]+)\s*(==|=|!=)\s*(\S*)$/.exec(text)
  const exists = /^(!?)\s*([^\s=!<>]+)$/.exec(text)
  const bound = /^([^\s<>]+)\s*([<>])\s*(\d+)$/.exec(text)
  const [, key = ""] = set ?? equal ?? bound ?? []
  const name = exists?.[2] ?? key
  const values = set?.[3]?.split(",").map((_) => _.trim()) ?? (equal ? [equal[3] ?? ""] : [])
  if (!labelKey.test(name)) return unparsable(text, name === "" ? "" : `<nil>: Invalid value: "${name}": name part`)
  const bad = values.find((_) => !labelValue.test(_) || _.length > 63)
  if (bad !== undefined) return unparsable(text, `values[0][${name}]: Invalid value: "${bad}": a valid label must be`)
  const value = (thing: Thing) => thing.metadata.labels?.[name]
  if (bound !== null) return Result.succeed((_) => isBeyond(value(_), bound[2] === ">", Number(bound[3])))
  if (exists !== null) return Result.succeed((_) => (value(_) === undefined) === (exists[1] === "!"))
  const positive = set === null ? equal?.[2] !== "!=" : set[2] === "in"
  return Result.succeed((_) => values.includes(value(_) ?? "\0") === positive)
}

const isBeyond = (value: string | undefined, above: boolean, limit: number): boolean =>
  value !== undefined && /^-?\d+$/.test(value) && (above ? Number(value) > limit : Number(value) < limit)

/** The selectable fields of a kind, in addition to name and namespace. */
const selectable: Readonly<Record<string, ReadonlyArray<string>>> = {
  pods: [
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.podIPs",
    "status.nominatedNodeName"
  ],
  events: [
    ...["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"].map(
      (_) => `involvedObject.${_}`
    ),
    "reason",
    "reportingComponent",
    "source",
    "type"
  ],
  secrets: ["type"],
  namespaces: ["status.phase"],
  nodes: ["spec.unschedulable"],
  services: ["spec.clusterIP", "spec.type"],
  "replicasets.apps": ["status.replicas"],
  "jobs.batch": ["status.successful"]
}

const fieldSelector = (kind: Kind, text: string): Step<ReadonlyArray<Requirement>> =>
  Result.all(clauses(text).map((_) => field(kind, _)))

const field = (kind: Kind, text: string): Step<Requirement> => {
  const [, name, sign, value = ""] = /^([^=!]+)(==|!=|=)(.*)$/.exec(text) ?? []
  if (name === undefined) return badRequest(`invalid selector: '${text}'; can't understand '${text}'`)
  const own = selectable[resourceOf(kind)]
  const known = ["metadata.name", "metadata.namespace", ...(own ?? [])]
  if (!known.includes(name)) {
    return badRequest(
      own === undefined && !kind.custom
        ? `"${name}" is not a known field selector: only "metadata.name", "metadata.namespace"`
        : `field label not supported: ${name}`
    )
  }
  return Result.succeed((_) => (fieldOf(_, name) === value) === (sign !== "!="))
}

const fieldOf = (thing: Thing, path: string): string => {
  const value = valueAt(thing, ...path.split("."))
  if (path === "spec.hostNetwork" || path === "spec.unschedulable") return String(value ?? false)
  return value === undefined || value === null ? "" : String(value)
}

/** Whether labels match a `LabelSelector`; an empty one matches everything. */
export const matchesLabels = (selector: JsonObject, labels: Readonly<Record<string, string>>): boolean => {
  const equal = Object.entries(objectAt(selector, "matchLabels")).every(([key, value]) => labels[key] === value)
  return equal && objectsAt(selector, "matchExpressions").every((_) => meets(_, labels))
}

const meets = (expression: JsonObject, labels: Readonly<Record<string, string>>): boolean => {
  const value = labels[stringAt(expression, "key") ?? ""]
  const among = value !== undefined && (stringsAt(expression, "values") ?? []).includes(value)
  const answers: Readonly<Record<string, boolean>> = {
    In: among,
    NotIn: !among,
    Exists: value !== undefined,
    DoesNotExist: value === undefined
  }
  return answers[stringAt(expression, "operator") ?? ""] ?? false
}
