import { canary, type Issue, issue } from "../routes/refusals.ts"

type Values = Readonly<Record<string, ReadonlyArray<Issue>>>

const text = issue("string_type", "Input should be a valid string")
const number = issue("number_type", "Input should be a valid number")
const integer = issue("value_error", "Input should be an integer")
const list = issue("list_type", "Input should be a valid list")
const object = issue("model_attributes_type", "Input should be a valid object")
const extra = issue("extra_forbidden", "Extra inputs are not permitted")
const count = issue("value_error", "Input should be a value between 0 and 1000")
const seconds = issue("value_error", "Input should be a value between 0 and 86400")
const label = issue(
  "value_error",
  "Input should be a label of 1 to 53 characters a-z, 0-9 and hyphens that begins and ends with a letter or a digit"
)
const reference = issue("value_error", "Input should be an id or a name, without slashes and control characters")
const some = issue("value_error", "Input should be a value with a length of at least 1")
const most = (length: number) => issue("value_error", `Input should be a value with a length of at most ${length}`)
const userData = issue("value_error", "Input should be text of at most 49149 bytes in UTF-8")
const unlike = issue("value_error", "Input should be policies of different names")
const step = issue("value_error", "Input should be a value between -100 and 100")
const noStep = issue("value_error", "Input should be a number of servers more or fewer, and not 0")
const on = issue("literal_error", "Input should be 'ok' or 'alarm'")

const at = (wrong: Issue, ...loc: ReadonlyArray<string | number>): Issue => ({ ...wrong, loc })

const counts: Values = {
  null: [number],
  '"1"': [number],
  true: [number],
  "-1": [count],
  "1001": [count],
  "1.5": [integer],
  "1e400": [integer, count]
}
const cooldown: Values = { null: [number], '"60"': [number], "-1": [seconds], "86401": [seconds], "0.5": [integer] }

const good = { flavor_id: "2", image_id: "i" }
const templateWith = (more: object) => JSON.stringify({ ...good, ...more })
const template: Values = {
  null: [object],
  [`"${canary}"`]: [object],
  "[]": [object],
  "{}": [at(issue("missing", "Field required"), "flavor_id"), at(issue("missing", "Field required"), "image_id")],
  [templateWith({ flavor_id: 2 })]: [at(text, "flavor_id")],
  [templateWith({ flavor_id: "" })]: [at(some, "flavor_id")],
  [templateWith({ flavor_id: ".." })]: [at(reference, "flavor_id")],
  [templateWith({ image_id: `${canary}/x` })]: [at(reference, "image_id")],
  [templateWith({ network_id: null })]: [at(text, "network_id")],
  [templateWith({ key_name: `${canary}\0` })]: [at(reference, "key_name")],
  [templateWith({ key_name: "x".repeat(256) })]: [at(most(255), "key_name")],
  [templateWith({ security_groups: [] })]: [at(some, "security_groups")],
  [templateWith({ security_groups: "web" })]: [at(list, "security_groups")],
  [templateWith({ security_groups: ["web", 7] })]: [at(text, "security_groups", 1)],
  [templateWith({ user_data: 7 })]: [at(text, "user_data")],
  [templateWith({ user_data: "x".repeat(49_150) })]: [at(userData, "user_data")],
  [templateWith({ name: canary })]: [at(extra, "name")],
  [templateWith({ metadata: {} })]: [at(extra, "metadata")]
}

const up = { name: "up", adjustment: 1 }
const policiesWith = (more: object) => JSON.stringify([{ ...up, ...more }])
const policies: Values = {
  null: [list],
  "{}": [list],
  [JSON.stringify([up, up])]: [unlike],
  [JSON.stringify(Array.from({ length: 21 }, (_, n) => ({ ...up, name: `p${n}` })))]: [most(20)],
  [policiesWith({ name: "Up" })]: [at(label, 0, "name")],
  [policiesWith({ adjustment: 0 })]: [at(noStep, 0, "adjustment")],
  [policiesWith({ adjustment: 101 })]: [at(step, 0, "adjustment")],
  [policiesWith({ adjustment: 0.5 })]: [at(integer, 0, "adjustment")],
  [policiesWith({ adjustment: "+1" })]: [at(number, 0, "adjustment")],
  [policiesWith({ alarm_id: "" })]: [at(some, 0, "alarm_id")],
  [policiesWith({ on: "insufficient_data" })]: [at(on, 0, "on")],
  [policiesWith({ cooldown_seconds: 86_401 })]: [at(seconds, 0, "cooldown_seconds")],
  [policiesWith({ threshold: 1 })]: [at(extra, 0, "threshold")]
}

const create = "POST /v1/autoscaling/groups"
const update = "PATCH /v1/autoscaling/groups/:group_id"
const numbers = { min: counts, max: counts, desired: counts, cooldown_seconds: cooldown }

export const autoscalingGood = {
  [create]: { name: "web", min: 0, max: 1, template: good },
  [update]: { cooldown_seconds: 1 }
} as const

/** The rows of the routes that take a body: what is fine, and what each field does not take. */
export const autoscalingRequests = {
  [create]: {
    good: autoscalingGood[create],
    fields: {
      name: Object.fromEntries([
        ["null", [text]],
        ["7", [text]],
        ...['""', '"Web"', '"-web"', '"web-"', '"a.b"', '"a_b"', '"w\\u0000"', `"${"a".repeat(54)}"`].map(
          (_) => [_, [label]] as const
        )
      ]),
      ...numbers,
      template,
      policies
    }
  },
  [update]: { good: autoscalingGood[update], fields: { ...numbers, template, policies } }
} as const

export const autoscalingRequired = { [create]: ["name", "min", "max", "template"], [update]: [] } as const
