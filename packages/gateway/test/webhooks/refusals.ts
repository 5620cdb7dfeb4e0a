import { canary, type Issue, issue } from "../routes/refusals.ts"

type Values = Readonly<Record<string, ReadonlyArray<Issue>>>

const text = issue("string_type", "Input should be a valid string")
const number = issue("number_type", "Input should be a valid number")
const integer = issue("value_error", "Input should be an integer")
const flag = issue("bool_type", "Input should be a valid boolean")
const list = issue("list_type", "Input should be a valid list")
const some = issue("value_error", "Input should be a value with a length of at least 1")
const most = (length: number) => issue("value_error", `Input should be a value with a length of at most ${length}`)
const line = issue("value_error", "Input should be text of one line")
const address = issue("value_error", "Input should be an address that begins with https://")
const malformed = issue(
  "value_error",
  "Input should be a valid address: with a host, and without white space and control characters"
)
const unique = issue("value_error", "Input should be an array with unique items")
const overlap = issue("value_error", "Input should be a value between 0 and 604800")
const topic = issue(
  "literal_error",
  "Input should be 'agent.actions', 'alarms', 'asg.lifecycle', 'iam.credentials', 'billing.lifecycle' or 'webhooks'"
)
const kind = issue(
  "value_error",
  "Input should be a kind of event such as volume.create, or the beginning of one with a * behind it"
)
const at = (wrong: Issue, ...loc: ReadonlyArray<string | number>): Issue => ({ ...wrong, loc })

/** What everything that is subscribed with takes, webhooks and integrations alike. */
export const subscriptions: Readonly<Record<"topics" | "kinds", Values>> = {
  topics: {
    null: [list],
    '"alarms"': [list],
    '["api.audit"]': [at(topic, 0)],
    [`["${canary}"]`]: [at(topic, 0)],
    '["alarms","alarms"]': [unique]
  },
  kinds: {
    null: [list],
    '"alarm.*"': [list],
    '[""]': [at(kind, 0)],
    '["*.create"]': [at(kind, 0)],
    '["Alarm"]': [at(kind, 0)],
    [`["${canary} "]`]: [at(kind, 0)],
    '["a.b","a.b"]': [unique],
    [JSON.stringify(Array.from({ length: 51 }, (_, index) => `k${index}`))]: [most(50)]
  }
}

const fields = {
  url: {
    null: [text],
    "7": [text],
    '""': [some, address],
    [`"${canary}"`]: [address],
    '"ftp://example.com/"': [address],
    '"file:///etc/passwd"': [address],
    '"https://"': [malformed],
    '"https://exa mple.com/"': [malformed],
    '"https://example.com/\\u0000"': [malformed],
    [`"https://example.com/${canary}${"x".repeat(2048)}"`]: [most(2048)]
  },
  description: {
    null: [text],
    '""': [some],
    [`"${canary}\\n"`]: [line],
    [`"${canary}${"x".repeat(200)}"`]: [most(200)]
  },
  ...subscriptions,
  enabled: { null: [flag], '"true"': [flag], "1": [flag] }
}

const create = "POST /v1/webhooks"
const update = "PATCH /v1/webhooks/:webhook_id"
const rotate = "POST /v1/webhooks/:webhook_id/rotate-secret"
const redeliver = "POST /v1/webhooks/:webhook_id/redeliver"

export const webhookGood = {
  [create]: { url: "http://127.0.0.1:1/" },
  [update]: { description: "fine" },
  [rotate]: {},
  [redeliver]: { event_id: "fine" }
} as const

/** The rows of the routes that take a body: what is fine, and what each field does not take. */
export const webhookRequests = {
  [create]: { good: webhookGood[create], fields },
  [update]: { good: webhookGood[update], fields },
  [rotate]: {
    good: { overlap_seconds: 60 },
    fields: {
      overlap_seconds: {
        null: [number],
        '"7"': [number],
        "-1": [overlap],
        "604801": [overlap],
        "0.5": [integer]
      }
    }
  },
  [redeliver]: {
    good: webhookGood[redeliver],
    fields: { event_id: { null: [text], "7": [text], '""': [some], [`"${canary}${"x".repeat(64)}"`]: [most(64)] } }
  }
} as const

export const webhookRequired = { [create]: ["url"], [update]: [], [rotate]: [], [redeliver]: ["event_id"] } as const
