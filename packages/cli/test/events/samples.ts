import { Event, LifecycleEvent } from "@portico/contract/Events"
import { Predicate, Schema, SchemaAST } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { bodies, callOf, doors } from "../../../gateway/test/billing/doors.ts"
import { lifecycleOf } from "@portico/gateway/proxy/lifecycle"

const contract = fileURLToPath(new URL("../../../contract/", import.meta.url))

type Json = Readonly<Record<string, unknown>>

/** Every object in the examples that the documents have recorded, also in texts of JSON and of event streams. */
const recordedIn = (value: unknown): ReadonlyArray<Json> => {
  if (typeof value === "string") {
    return value.split("\n").flatMap((line) => {
      const json = line.replace(/^data: /, "")
      return json.startsWith("{") && json.endsWith("}") ? recordedIn(JSON.parse(json)) : []
    })
  }
  if (Array.isArray(value)) return value.flatMap(recordedIn)
  return Predicate.isObject(value) ? [value, ...Object.values(value).flatMap(recordedIn)] : []
}

const examplesIn = (value: unknown): ReadonlyArray<unknown> => {
  if (Array.isArray(value)) return value.flatMap(examplesIn)
  if (!Predicate.isObject(value)) return []
  const { examples } = value
  const own = Predicate.isObject(examples)
    ? Object.values(examples).flatMap((_) => (Predicate.isObject(_) ? [_["value"]] : []))
    : []
  return [...own, ...Object.values(value).flatMap(examplesIn)]
}

const recorded = ["customer", "operator"].flatMap((plane) =>
  recordedIn(examplesIn(JSON.parse(readFileSync(`${contract}generated/openapi.${plane}.json`, "utf8"))))
)

/** What no recorded example has, of all kinds or of a family of them. */
const unrecorded: Json = {
  "webhook.target_kind": "webhook",
  "webhook.reason": "It answered 410: it wants no events any more",
  "integration.reason": "20 events in a row did not arrive since 2026-03-01T09:58:00.000Z",
  "group.reason": null,
  "alarm.group_id": null,
  "webhook.name": null,
  "agent.user_id": "318475629",
  "agent.tier": 1,
  "agent.tool": "object_storage_create_bucket",
  "agent.arguments": ["name"],
  "agent.method": "POST",
  "agent.route": "/v1/object-storage/buckets",
  "agent.resources": [],
  "agent.outcome": "succeeded",
  "agent.status": 201,
  "agent.code": null,
  failing_since: "2026-03-01T09:58:00.000Z",
  failures_in_a_row: 20,
  addresses: 1
}

/** Fields that the routes name otherwise. */
const aliases = (family: string): Readonly<Record<string, string>> => ({
  target_id: `${family}_id`,
  target_kind: "kind",
  alarm_name: "name",
  group_name: "name",
  server_id: "instance_id"
})

export interface KindOf {
  readonly kind: string
  readonly topic: string
  readonly data: SchemaAST.AST
}

const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.LiteralValue> =>
  SchemaAST.isLiteral(ast) ? [ast.literal] : SchemaAST.isUnion(ast) ? ast.types.flatMap(literalsOf) : []

const propertyOf = (ast: SchemaAST.AST, name: string): SchemaAST.AST | undefined =>
  SchemaAST.isObjects(ast) ? ast.propertySignatures.find((_) => _.name === name)?.type : undefined

/** The kinds of every schema of an event in the contract, whichever module has it. */
const kindsIn = (exported: unknown): ReadonlyArray<KindOf> => {
  if (!Schema.isSchema(exported)) return []
  const { ast } = exported
  const [data, kind, topic] = ["data", "kind", "topic"].map((_) => propertyOf(ast, _))
  if (data === undefined || kind === undefined || topic === undefined) return []
  return literalsOf(topic).flatMap((topic) =>
    literalsOf(kind).map((kind) => ({ kind: String(kind), topic: String(topic), data }))
  )
}

/** Calls have a trail of their own, and budgets are not for everybody: neither is sent to a webhook. */
const unsent = new Set(["api.audit", "billing.budgets"])

const modules = readdirSync(`${contract}src`).filter((_) => _.endsWith(".ts"))

/** The gateway sends it by itself, and it is no event of the log. */
const ping: KindOf = {
  kind: "webhook.ping",
  topic: "webhooks",
  data: Schema.Struct({ webhook_id: Schema.String }).ast
}

/** Every kind of event that the contract declares and a webhook can get. */
export const declaredKinds = async (): Promise<ReadonlyArray<KindOf>> => {
  const loaded: ReadonlyArray<object> = await Promise.all(modules.map((_) => import(`${contract}src/${_}`)))
  const all = [...loaded.flatMap((_) => Object.values(_).flatMap(kindsIn)), ping]
  const unique = new Map(all.filter(({ topic }) => !unsent.has(topic)).map((_) => [_.kind, _]))
  return [...unique.values()].toSorted((a, b) => (a.kind < b.kind ? -1 : 1))
}

/** A recorded value of a field: in an object about the same thing, if possible, and else anywhere. */
const recordedValue = (
  field: string,
  family: string,
  own: string | undefined,
  fits: (value: unknown) => boolean
): unknown => {
  const about = own === undefined ? [] : recorded.filter((_) => typeof _[own] === "string")
  // The rule of an alarm, the policy of a group.
  const near = about.flatMap((_) => [_, ...recordedIn(Object.values(_))])
  const named = aliases(family)[field] ?? field
  const [exactly, generally] = [`${family}.${field}`, field].map((_) => unrecorded[_])
  if (exactly !== undefined) return exactly
  const found = [generally, ...near.map((_) => _[named]), ...recorded.map((_) => _[named])]
  return found.find((_) => _ !== null && _ !== undefined && _ !== "" && fits(_))
}

const fieldsOf = (ast: SchemaAST.AST) => (SchemaAST.isObjects(ast) ? ast.propertySignatures : [])

/** The data of a kind, of recorded values. The first id in it says what it is about. */
const dataOf = ({ data, kind }: KindOf, given: Json = {}): Json => {
  const fields = fieldsOf(data)
  const [family = ""] = kind.split(".")
  const first = fields.map((_) => String(_.name)).find((_) => _.endsWith("_id"))
  const own = first === undefined ? undefined : (aliases(family)[first] ?? first)
  const taken = new Set<unknown>()
  return Object.fromEntries(
    fields.map(({ name, type }) => {
      const field = String(name)
      if (field in given) return [field, given[field]]
      const fits = Schema.is(Schema.make(type))
      const literals = literalsOf(type).filter((_) => !taken.has(_))
      const same = literals.find((_) => _ === family)
      const value = same ?? recordedValue(field, family, own, (_) => fits(_) && !taken.has(_)) ?? literals[0]
      if (literals.length > 0) taken.add(value)
      if (value === undefined && !fits(null)) throw new Error(`${kind}: no value of ${field} is recorded`)
      return [field, value ?? null]
    })
  )
}

/** What a call makes of it, as the gateway reads calls; and who made it. */
const lifecycleData = ({ data, kind, topic }: KindOf): Json => {
  const door = doors.find((_) => _.kind === kind)
  const [change] = door === undefined ? [] : lifecycleOf(callOf(door.call), { status: 202, ...bodies(door) })
  if (change === undefined) throw new Error(`no call is ${kind}`)
  const { detail, resource_id, resource_type } = change
  return dataOf({ kind, topic, data }, { detail, resource_id, resource_type })
}

const sampleOf = (kind: KindOf) => {
  const found = recorded.find((_) => _["kind"] === kind.kind && Schema.is(Event)(_))
  const data = Predicate.isObject(found?.["data"])
    ? found["data"]
    : kind.topic === LifecycleEvent.fields.topic.literal
      ? lifecycleData(kind)
      : dataOf(kind)
  const [key] = Object.entries(data).flatMap(([name, value]) => (name.endsWith("_id") ? [String(value)] : []))
  return { topic: kind.topic, key: key ?? "", project_id: recordedValue("project_id", "", undefined, Boolean), data }
}

/** The table of samples as the command line has it. */
export const samplesOf = (kinds: ReadonlyArray<KindOf>): Json =>
  Object.fromEntries(kinds.map((_) => [_.kind, sampleOf(_)]))
