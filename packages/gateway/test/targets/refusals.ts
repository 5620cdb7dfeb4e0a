import { canary, type Issue, issue } from "../routes/refusals.ts"

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
const object = issue("model_attributes_type", "Input should be a valid object")
const missing = issue("missing", "Field required")
const extra = issue("extra_forbidden", "Extra inputs are not permitted")
const mailbox = issue("value_error", "Input should be an e-mail address")
const header = issue("value_error", "Input should be the name of a header that the gateway does not set itself")
const printable = issue("value_error", "Input should be printable ASCII")
const different = issue("value_error", "Input should be headers of different names")
const integrationKind = issue("literal_error", "Input should be 'email', 'slack' or 'generic'")

const headers = (...all: ReadonlyArray<object>): string => JSON.stringify(all)
const ten = Array.from({ length: 11 }, (_, index) => ({ name: `x-${index}`, value: "v" }))
const reserved = [
  "Host",
  "content-type",
  "Content-Length",
  "transfer-encoding",
  "webhook-id",
  "connection",
  "a b",
  "a:b",
  ""
]

/** What webhooks and integrations both take. */
const common = {
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
  },
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
  enabled: { null: [flag], '"true"': [flag], "1": [flag] }
}

/** The tenant's name of an integration, and its text about a webhook. */
const name = {
  null: [text],
  "7": [text],
  '""': [some],
  [`"${canary}\\n"`]: [line],
  [`"${canary}${"x".repeat(200)}"`]: [most(200)]
}

const event_id = { null: [text], "7": [text], '""': [some], [`"${canary}${"x".repeat(64)}"`]: [most(64)] }
const overlap_seconds = {
  null: [number],
  '"7"': [number],
  "-1": [overlap],
  "604801": [overlap],
  "0.5": [integer]
}

const webhookFields = { description: name, ...common }

const integrationFields = {
  name,
  to: {
    null: [list],
    '"a@b.example"': [list],
    "[]": [some],
    [`["${canary}"]`]: [at(mailbox, 0)],
    '["a@b.example\\r\\nBcc: c@d.example"]': [at(mailbox, 0)],
    '["a@b.example, c@d.example"]': [at(mailbox, 0)],
    '["A <a@b.example>"]': [at(mailbox, 0)],
    '["a@b.example","a@b.example"]': [unique],
    [JSON.stringify(Array.from({ length: 11 }, (_, index) => `a${index}@b.example`))]: [most(10)]
  },
  headers: {
    null: [list],
    '{"authorization":"x"}': [list],
    '["authorization"]': [at(object, 0)],
    [headers({ name: "authorization" })]: [at(missing, 0, "value")],
    [headers({ name: "authorization", value: "x", secret: canary })]: [at(extra, 0, "secret")],
    ...Object.fromEntries(reserved.map((name) => [headers({ name, value: "v" }), [at(header, 0, "name")]])),
    [headers({ name: "x-a", value: `${canary}\r\nx-b: c` })]: [at(printable, 0, "value")],
    [headers({ name: "x-a", value: "" })]: [at(printable, 0, "value")],
    [headers({ name: "x-a", value: "x".repeat(2049) })]: [at(most(2048), 0, "value")],
    [headers({ name: "x-a", value: "1" }, { name: "X-A", value: "2" })]: [different],
    [JSON.stringify(ten)]: [most(10)]
  },
  ...common
}

const webhook = {
  create: "POST /v1/webhooks",
  update: "PATCH /v1/webhooks/:webhook_id",
  rotate: "POST /v1/webhooks/:webhook_id/rotate-secret",
  redeliver: "POST /v1/webhooks/:webhook_id/redeliver"
} as const

const integration = {
  create: "POST /v1/integrations",
  update: "PATCH /v1/integrations/:integration_id",
  confirm: "POST /v1/integrations/:integration_id/confirm",
  rotate: "POST /v1/integrations/:integration_id/rotate-secret",
  redeliver: "POST /v1/integrations/:integration_id/redeliver"
} as const

const url = "http://127.0.0.1:1/"

export const targetGood = {
  [webhook.create]: { url },
  [webhook.update]: { description: "fine" },
  [webhook.rotate]: {},
  [webhook.redeliver]: { event_id: "fine" },
  [integration.create]: { kind: "slack", name: "channel", url },
  [integration.update]: { name: "fine" },
  [integration.confirm]: { code: "fine" },
  [integration.rotate]: { url },
  [integration.redeliver]: { event_id: "fine" }
} as const

/** The rows of the routes that take a body: what is fine, and what each field does not take. */
export const targetRequests = {
  [webhook.create]: { good: targetGood[webhook.create], fields: webhookFields },
  [webhook.update]: { good: targetGood[webhook.update], fields: webhookFields },
  [webhook.rotate]: { good: { overlap_seconds: 60 }, fields: { overlap_seconds } },
  [webhook.redeliver]: { good: targetGood[webhook.redeliver], fields: { event_id } },
  [integration.create]: {
    good: targetGood[integration.create],
    fields: {
      ...integrationFields,
      kind: {
        null: [integrationKind],
        "7": [integrationKind],
        '"webhook"': [integrationKind],
        [`"${canary}"`]: [integrationKind]
      }
    }
  },
  [integration.update]: { good: targetGood[integration.update], fields: integrationFields },
  // A code has the length of an event's id.
  [integration.confirm]: { good: targetGood[integration.confirm], fields: { code: event_id } },
  [integration.rotate]: {
    good: { url, headers: [], overlap_seconds: 60 },
    fields: { url: common.url, headers: integrationFields.headers, overlap_seconds }
  },
  [integration.redeliver]: { good: targetGood[integration.redeliver], fields: { event_id } }
} as const

export const targetRequired = {
  [webhook.create]: ["url"],
  [webhook.update]: [],
  [webhook.rotate]: [],
  [webhook.redeliver]: ["event_id"],
  [integration.create]: ["kind", "name"],
  [integration.update]: [],
  [integration.confirm]: ["code"],
  [integration.rotate]: [],
  [integration.redeliver]: ["event_id"]
} as const
