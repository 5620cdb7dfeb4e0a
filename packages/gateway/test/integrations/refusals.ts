import { canary, type Issue, issue } from "../routes/refusals.ts"
import { subscriptions, webhookRequests } from "../webhooks/refusals.ts"

const webhookRotation = webhookRequests["POST /v1/webhooks/:webhook_id/rotate-secret"]
const webhookRedelivery = webhookRequests["POST /v1/webhooks/:webhook_id/redeliver"]

const text = issue("string_type", "Input should be a valid string")
const flag = issue("bool_type", "Input should be a valid boolean")
const list = issue("list_type", "Input should be a valid list")
const object = issue("model_attributes_type", "Input should be a valid object")
const missing = issue("missing", "Field required")
const extra = issue("extra_forbidden", "Extra inputs are not permitted")
const some = issue("value_error", "Input should be a value with a length of at least 1")
const most = (length: number) => issue("value_error", `Input should be a value with a length of at most ${length}`)
const line = issue("value_error", "Input should be text of one line")
const unique = issue("value_error", "Input should be an array with unique items")
const address = issue("value_error", "Input should be an address that begins with https://")
const malformed = issue(
  "value_error",
  "Input should be a valid address: with a host, and without white space and control characters"
)
const mailbox = issue("value_error", "Input should be an e-mail address")
const header = issue("value_error", "Input should be the name of a header that the gateway does not set itself")
const printable = issue("value_error", "Input should be printable ASCII")
const different = issue("value_error", "Input should be headers of different names")
const kind = issue("literal_error", "Input should be 'email', 'slack' or 'generic'")

const at = (wrong: Issue, ...loc: ReadonlyArray<string | number>): Issue => ({ ...wrong, loc })

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

const fields = {
  name: {
    null: [text],
    "7": [text],
    '""': [some],
    [`"${canary}\\n"`]: [line],
    [`"${canary}${"x".repeat(200)}"`]: [most(200)]
  },
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
  url: {
    null: [text],
    "7": [text],
    [`"${canary}"`]: [address],
    '"ftp://example.com/"': [address],
    '"https://exa mple.com/"': [malformed],
    [`"https://example.com/${canary}${"x".repeat(2048)}"`]: [most(2048)]
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
  ...subscriptions,
  enabled: { null: [flag], '"true"': [flag], "1": [flag] }
}

const create = "POST /v1/integrations"
const update = "PATCH /v1/integrations/:integration_id"
const confirm = "POST /v1/integrations/:integration_id/confirm"
const rotate = "POST /v1/integrations/:integration_id/rotate-secret"
const redeliver = "POST /v1/integrations/:integration_id/redeliver"

export const integrationGood = {
  [create]: { kind: "slack", name: "channel", url: "http://127.0.0.1:1/" },
  [update]: { name: "fine" },
  [confirm]: { code: "fine" },
  [rotate]: { url: "http://127.0.0.1:1/" },
  [redeliver]: webhookRedelivery.good
} as const

/** The rows of the routes that take a body: what is fine, and what each field does not take. */
export const integrationRequests = {
  [create]: {
    good: integrationGood[create],
    fields: { ...fields, kind: { null: [kind], "7": [kind], '"webhook"': [kind], [`"${canary}"`]: [kind] } }
  },
  [update]: { good: integrationGood[update], fields },
  [confirm]: {
    good: integrationGood[confirm],
    fields: { code: { null: [text], "7": [text], '""': [some], [`"${canary}${"x".repeat(64)}"`]: [most(64)] } }
  },
  [rotate]: {
    good: { url: "http://127.0.0.1:1/", headers: [], overlap_seconds: 60 },
    fields: { url: fields.url, headers: fields.headers, ...webhookRotation.fields }
  },
  [redeliver]: webhookRedelivery
} as const

export const integrationRequired = {
  [create]: ["kind", "name"],
  [update]: [],
  [confirm]: ["code"],
  [rotate]: [],
  [redeliver]: ["event_id"]
} as const
