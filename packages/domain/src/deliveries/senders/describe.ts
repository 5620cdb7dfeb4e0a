import type { AlarmState } from "@portico/contract/Autoscaling"
import { AlarmEvent, AsgEvent, type Event } from "@portico/contract/Events"
import { BudgetBreached } from "@portico/contract/Money"
import { spelledOutOnOneLine } from "@portico/contract/spelledOut"
import { Predicate, Schema } from "effect"

/** An event as plain text, without any markup. */
export interface Description {
  /** One line. */
  readonly title: string
  /** The event's data, by name. */
  readonly facts: ReadonlyArray<readonly [name: string, value: string]>
}

const longest = { title: 200, value: 500, facts: 20 }

/** The text of an event for people: a sentence for urgent kinds, and the kind and its data for the rest. */
export const describe = (event: Event): Description => ({
  title: shortened(spelledOutOnOneLine(titleOf(event)), longest.title),
  facts: factsOf("", event.data)
    .filter(([, value]) => value !== "")
    .slice(0, longest.facts)
    .map(([name, value]) => [
      shortened(spelledOutOnOneLine(name), longest.title),
      shortened(spelledOutOnOneLine(value), longest.value)
    ])
})

const isAlarm = Schema.is(AlarmEvent)
const isAsg = Schema.is(AsgEvent)
const isBreach = Schema.is(BudgetBreached)

const alarmStates: Readonly<Record<AlarmState, string>> = {
  alarm: "is in alarm",
  ok: "is ok",
  insufficient_data: "has no data"
}

const titleOf = (event: Event): string => {
  if (isAlarm(event)) return `Alarm ${event.data.alarm_name} ${alarmStates[event.data.current]}`
  if (isAsg(event)) return `Autoscaling group ${event.data.group_name}: ${spelled(event.kind)}`
  if (isBreach(event)) return `Budget ${event.data.budget_id} is reached in ${event.data.period}`
  return `${event.kind} ${event.key}`
}

/** `group.scaled_out` becomes `scaled out`. */
const spelled = (kind: string): string => kind.slice(kind.indexOf(".") + 1).replaceAll("_", " ")

const isJsonObject = (value: Schema.Json): value is Schema.JsonObject =>
  Predicate.isObject(value) && !Array.isArray(value)

/** The non-null fields; one level of nested objects is flattened, and other values are written as JSON. */
const factsOf = (prefix: string, data: Schema.JsonObject): ReadonlyArray<readonly [string, string]> =>
  Object.entries(data).flatMap(([name, value]) => {
    if (value === null) return []
    const path = `${prefix}${name}`
    if (Predicate.isString(value)) return [[path, value] as const]
    return prefix === "" && isJsonObject(value) ? factsOf(`${path}.`, value) : [[path, JSON.stringify(value)] as const]
  })

const shortened = (text: string, most: number): string => {
  const letters = [...text]
  return letters.length <= most ? text : `${letters.slice(0, most - 1).join("")}…`
}
