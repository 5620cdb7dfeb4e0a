import { sampled } from "@portico/testing/sample/sampled"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import { autoscalingRequests, autoscalingRequired } from "../autoscaling/refusals.ts"
import { dnsRequests, dnsRequired } from "../dns/refusals.ts"
import { everyRow } from "../harness/everyRow.ts"
import type { Asked } from "../harness/http.ts"
import { monitoringRequests, monitoringRequired } from "../monitoring/refusals.ts"
import {
  canary,
  type Issue,
  encoded,
  issue,
  notJson,
  permitted,
  type Refusal,
  refuses,
  tooLarge,
  tooMany
} from "./refusals.ts"
import { nameOf, type Route, routes } from "./routes.ts"
import { successes } from "./successes.ts"
import { TestGateway } from "../harness/TestGateway.ts"
import { targetRequests, targetRequired } from "../targets/refusals.ts"

const json = { "content-type": "application/json" }

const noObject: Refusal = [issue("model_attributes_type", "Input should be a valid object", "body")]
/** Of a body that may be left out. */
const noForm: Refusal = [issue("union", "Input should be one of the accepted forms", "body")]
const broken = (...at: ReadonlyArray<number>): Refusal => [issue("json_invalid", "JSON decode error", "body", ...at)]
const deep: Refusal = [issue("recursion_limit", "Input should be nested at most 32 deep", "body")]
const noUtf8: Refusal = [issue("unicode_error", "Input should be UTF-8", "body")]
const twice = (...at: ReadonlyArray<string | number>): Refusal => [
  issue("duplicate_key", "Key is given more than once", "body", ...at)
]
const extra = (...at: ReadonlyArray<string | number>): Issue =>
  issue("extra_forbidden", "Extra inputs are not permitted", "body", ...at)

/** What no route with a body takes. */
const bodies: Readonly<Record<string, readonly [body: string | Buffer, refusal: Refusal, asked?: Asked]>> = {
  "not JSON": [canary, broken(0)],
  "cut off in a string": [`{"name": "${canary}`, broken(9)],
  "cut off after a key": [`{"name"`, broken(7)],
  "two values": ["{} {}", broken(3)],
  "a comment": [`{/* ${canary} */}`, broken(1)],
  "a comma too many": [`{"name": "${canary}",}`, broken(9 + canary.length + 3)],
  "single quotes": [`{'name': '${canary}'}`, broken(1)],
  NaN: [`{"name": NaN}`, broken(9)],
  "a control character as it is": [`{"name": "${canary}\t"}`, broken(9)],
  "white space": ["  ", broken(2)],
  nothing: ["", noObject],
  null: ["null", noObject],
  "an array": [`["${canary}"]`, noObject],
  "a string": [`"${canary}"`, noObject],
  "a number": ["7", noObject],
  true: ["true", noObject],
  "a key twice": [`{"name": "${canary}", "name": "${canary}"}`, twice("name")],
  "a key twice, once escaped": [`{"name": 1, "n\\u0061me": 2}`, twice("name")],
  "a key twice, within": [`{"name": {"a": [{"b": 1, "b": "${canary}"}]}}`, twice("name", "a", 0, "b")],
  "__proto__ twice": [`{"__proto__": 1, "__proto__": 2}`, twice("__proto__")],
  "33 arrays": [`${"[".repeat(33)}${"]".repeat(33)}`, deep],
  "33 objects": [`${'{"a":'.repeat(33)}1${"}".repeat(33)}`, deep],
  "10,000 arrays": [`${"[".repeat(10_000)}${"]".repeat(10_000)}`, deep],
  "10,000 objects": [`${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`, deep],
  "32,000 arrays in a field": [`{"name": ${"[".repeat(32_000)}${"]".repeat(32_000)}}`, deep],
  "60,000 arrays that never end": ["[".repeat(60_000), broken()],
  "60,000 arrays behind a quote": [`{"name": "${canary}\n${"[".repeat(60_000)}`, broken()],
  "60,000 arrays in a comment with a quote": [`{/* " */ "name": ${"[".repeat(60_000)}`, broken()],
  "bytes that are no UTF-8": [Buffer.from(`7b226e616d65223a22fffe227d`, "hex"), noUtf8],
  "a surrogate in UTF-8": [Buffer.from(`7b226e616d65223a22eda080227d`, "hex"), noUtf8],
  "an overlong slash": [Buffer.from(`7b226e616d65223a22c0af227d`, "hex"), noUtf8],
  "UTF-16": [Buffer.from(`{"name": "${canary}"}`, "utf16le"), broken(1)],
  "4,001 items": [`[${"0,".repeat(4000)}0]`, tooMany],
  "4,001 members": [`{${Array.from({ length: 4001 }, (_, n) => `"${n}":0`).join()}}`, tooMany],
  "3,999 items": [`[${"0,".repeat(3998)}0]`, noObject],
  "64 KiB + 1": [" ".repeat(64 * 1024 + 1), tooLarge],
  "64 KiB + 1 in chunks": [" ".repeat(64 * 1024 + 1), tooLarge, { chunked: true }],
  "5 MiB": ["x".repeat(5 * 1024 * 1024), tooLarge],
  "5 MiB in chunks": ["x".repeat(5 * 1024 * 1024), tooLarge, { chunked: true }],
  ...Object.fromEntries(
    ["gzip", "GZIP", "br", "deflate, gzip"].map((coding) => [
      `the coding '${coding}'`,
      [`{"name": "${canary}"}`, encoded, { headers: { "content-encoding": coding } }]
    ])
  ),
  "64 KiB exactly": [`"${"x".repeat(64 * 1024 - 2)}"`, noObject],
  ...Object.fromEntries(
    [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/vnd.api+json",
      "application/jsonx",
      "application/json, text/plain",
      "application/json; charset=utf-16",
      "application/json;charset=latin1",
      "*/*",
      ""
    ].map((type) => [`the type '${type}'`, [`{"name": "${canary}"}`, notJson, { headers: { "content-type": type } }]])
  )
}

const missing = (field: string) => issue("missing", "Field required", "body", field)
const text = issue("string_type", "Input should be a valid string")
const tierOf = issue("literal_error", "Input should be 'discovery', 'standard' or 'extension'")
const permission = issue("literal_error", "Input should be 0, 1 or 2")
const agentTier = issue("literal_error", "Input should be 0 or 1")
const week = issue("value_error", "Input should be a value between 1 and 7")
const kind = issue("literal_error", "Input should be 'api-key' or 'mcp'")
const number = issue("number_type", "Input should be a valid number")
const integer = issue("value_error", "Input should be an integer")
const positive = issue("value_error", "Input should be a value greater than or equal to 1")
const uploadSize = issue("value_error", "Input should be a value between 0 and 5368709120")
const uploadLife = issue("value_error", "Input should be a value between 30 and 300")
const corsOrigin = issue(
  "value_error",
  "Input should be an origin such as https://app.example with at most one *: 1 to 255 printable characters",
  0,
  "allowed_origins",
  0
)
const mediaType = issue("value_error", "Input should be a media type such as image/png")
const flag = issue("bool_type", "Input should be a valid boolean")
const invitedRole = issue(
  "literal_error",
  "Input should be 'customer', 'customer-viewer', 'customer-engineer', 'customer-admin', 'customer-owner' or 'admin'"
)
const named = issue("value_error", "Input should be a name that is not blank, without control characters")
const euro = issue("literal_error", "Input should be 'EUR'")
const monthly = issue("literal_error", "Input should be 'monthly'")
const list = issue("list_type", "Input should be a valid list")
const unitPath = issue(
  "value_error",
  "Input should be a dotted path of at most 8 labels, each of 1 to 63 characters a-z, 0-9 and hyphens"
)
const scope = issue(
  "value_error",
  "Input should be the dotted path of an organisation unit, or empty for the whole account"
)
const networks = issue(
  "value_error",
  "Input should be a list of 1 to 50 networks. Leave networks out to allow every address"
)
const overlap = issue("value_error", "Input should be a value between 0 and 86400")
const days = issue("value_error", "Input should be a value between 1 and 365")
const plain = issue("value_error", "Input should be a string without control characters")
const some = issue("value_error", "Input should be a value with a length of at least 1")
const most = (length: number) => issue("value_error", `Input should be a value with a length of at most ${length}`)

/** A value as it stands in the body, and what is wrong with it. */
type Values = Readonly<Record<string, ReadonlyArray<Issue>>>

const literal = (wrong: Issue): Values =>
  Object.fromEntries(
    ["null", "true", `"${canary}"`, `["${canary}"]`, `{"${canary}": 1}`, "3", "-1", "0.5", "1e400", '""'].map((_) => [
      _,
      [wrong]
    ])
  )

const shown = issue(
  "value_error",
  "Input should be text without invisible, unassigned and private-use characters and without characters that change " +
    "its direction, with the space (U+0020) as the only blank"
)

const line = (length: number): Values => ({
  null: [text],
  "7": [text],
  true: [text],
  [`["${canary}"]`]: [text],
  [`{"a": "${canary}"}`]: [text],
  '""': [some],
  [`"${canary}${"x".repeat(length)}"`]: [most(length)],
  [`"${canary}\\u0000"`]: [plain],
  [`"${canary}\\r\\nX-Injected: 1"`]: [plain],
  [`"${canary}\\u0085"`]: [plain],
  [`"${canary}\\ud800"`]: [plain],
  [`"\\udc00${canary}"`]: [plain],
  [`"${canary}\u00a0"`]: [shown],
  [`"${canary}\u2800"`]: [shown],
  [`"${canary}\ue000"`]: [shown],
  [`"${canary}\u0378"`]: [shown],
  [`"${canary}\u202e"`]: [shown]
})

/** Control characters are refused together with a blank name. */
const unnamed: Values = Object.fromEntries(
  Object.entries(line(100)).flatMap(([value, wrong]) => (wrong.includes(plain) ? [[value, [named]]] : []))
)

const bucket = {
  length: issue("value_error", "Input should be 3 to 63 characters"),
  letters: issue("value_error", "Input should be lower-case letters, digits, dots and hyphens"),
  parts: issue("value_error", "Input should be a name whose parts between dots begin and end with a letter or a digit"),
  address: issue("value_error", "Input should be a name that is not an IP address"),
  reserved: issue(
    "value_error",
    "Input should be a name without a reserved beginning (xn--, sthree-, amzn-s3-demo-, db-archive-) or end " +
      "(-s3alias, --ol-s3, .mrap, --x-s3, --table-s3)"
  )
}

const label = issue(
  "value_error",
  "Input should be a DNS label of RFC 1035: lower-case letters, digits and hyphens, a letter first, no hyphen last"
)
const gib = issue("value_error", "Input should be a whole number of GiB from 1 to 250 for each instance")
const instances = issue("value_error", "Input should be a whole number of instances from 1 to 3")

const database = {
  engine: issue("literal_error", "Input should be 'postgres' or 'kafka'"),
  object: issue("model_attributes_type", "Input should be a valid object"),
  moment: issue("value_error", "Input should be a moment of RFC 3339 with its zone, such as 2026-01-31T12:00:00Z"),
  name: {
    null: [text],
    "7": [text],
    '""': [label],
    '"Orders"': [label],
    '"1st"': [label],
    '"-a"': [label],
    '"a-"': [label],
    '"a.b"': [label],
    '"a_b"': [label],
    '"a b"': [label],
    '"a/../b"': [label],
    '"a\\n"': [label],
    [`"${"a".repeat(51)}"`]: [most(50)]
  },
  size: {
    null: [number],
    '"20"': [number],
    "[20]": [number],
    "0": [gib],
    "-1": [gib],
    "251": [gib],
    "1.5": [integer],
    "0.5": [integer, gib],
    "1e400": [integer, gib]
  },
  replicas: {
    null: [number],
    '"3"': [number],
    true: [number],
    "0": [instances],
    "-1": [instances],
    "4": [instances],
    "1.5": [integer]
  }
}

const blank = issue("value_error", "Input should be a name that is not blank")
const mail = issue("value_error", "Input should be an e-mail address")

const address: Values = {
  null: [text],
  "7": [text],
  [`["ann@acme.example"]`]: [text],
  '""': [mail],
  [`"${canary}"`]: [mail],
  [`"${canary}@localhost"`]: [mail],
  [`"Ann <${canary}@acme.example>"`]: [mail],
  [`"ann@acme.example, ${canary}@acme.example"`]: [mail],
  [`"ann@acme.example\\r\\nBcc: ${canary}@acme.example"`]: [mail],
  [`"ann@acme.example\\u0000"`]: [mail],
  [`"${canary}@${"a".repeat(300)}.example"`]: [mail]
}

const https = issue("value_error", "Input should be an https address without a query")
const endpoint = issue("value_error", "Input should be an http or https address without credentials")
const ownName = issue(
  "value_error",
  "Input should be a name of the cluster's own, and not the default that unconfigured clusters share"
)
const ascii = issue("value_error", "Input should be printable ASCII without spaces")
const lifetime = issue("value_error", "Input should be a value between 600 and 604800")

const exposureLabel = issue(
  "value_error",
  "Input should be a label of 1 to 63 characters a-z, 0-9 and hyphens that begins and ends with a letter or a digit"
)
const serviceName = issue(
  "value_error",
  "Input should be the name of a Service: 1 to 63 characters a-z, 0-9 and hyphens that begin with a letter"
)
const portNumber = issue("value_error", "Input should be a value between 1 and 65535")
const ipAddress = issue("value_error", "Input should be an IP address")
const oneTarget = issue("value_error", "Input should be a target with exactly one of service and address")
const noObjectHere = issue("model_attributes_type", "Input should be a valid object")
const domainName = issue(
  "value_error",
  "Input should be a domain name of at least two labels and at most 238 characters, without a wildcard, " +
    "internationalised names in their xn-- form"
)
/** Within the field. */
const at = (inner: string, wrong: Issue): Issue => ({ ...wrong, loc: [inner] })

const stringOrNull = issue("union", "Input should be one of the accepted forms")
const addressOf: Values = { [`"${canary}"`]: [endpoint], '"https://a b"': [ascii, endpoint] }

/** What a mapping has when it is registered, and may have otherwise later. */
const issuerFields: Readonly<Record<string, Values>> = {
  tier: literal(permission),
  audience: { null: [text], "7": [text], '"a b"': [ascii], '"https://kubernetes.default.svc"': [ownName] },
  discovery_url: { null: [text], "7": [text], ...addressOf },
  jwks_uri: { "7": [stringOrNull], ...addressOf },
  ca: { "7": [stringOrNull], [`"${canary}"`]: [issue("value_error", "Input should be certificates in PEM")] },
  subjects: {
    null: [list],
    '"system:serviceaccount:ci:*"': [list],
    '{"0": "system:serviceaccount:ci:*"}': [list],
    "[]": [some]
  },
  max_lifetime_seconds: {
    null: [number],
    '"600"': [number],
    "599": [lifetime],
    "604801": [lifetime],
    "600.5": [integer],
    "1e400": [integer, lifetime]
  },
  enabled: { null: [flag], "1": [flag], '"true"': [flag] }
}

/** One row a route with a body: what is fine, and what each field does not take. */
const requests: Readonly<Record<string, { readonly good: object; readonly fields: Readonly<Record<string, Values>> }>> =
  {
    "POST /v1/credentials": {
      good: { kind: "api-key", tier: 0, label: canary },
      fields: {
        kind: literal(kind),
        tier: literal(permission),
        label: line(100),
        expires_in_days: {
          null: [number],
          true: [number],
          '"7"': [number],
          '"Infinity"': [number],
          [`"${canary}"`]: [number],
          "[7]": [number],
          "{}": [number],
          "0": [days],
          "-1": [days],
          "366": [days],
          "1.5": [integer],
          "0.5": [integer, days],
          "1e400": [integer, days],
          "9007199254740993": [integer, days]
        },
        networks: { null: [list], "7": [list], '"10.0.0.0/8"': [list], '{"0": "10.0.0.0/8"}': [list], "[]": [networks] }
      }
    },
    "POST /v1/credentials/:credential_id/rotate": {
      good: { overlap_seconds: 60 },
      fields: {
        overlap_seconds: {
          null: [number],
          '"7"': [number],
          [`"${canary}"`]: [number],
          "-1": [overlap],
          "86401": [overlap],
          "0.5": [integer],
          "1e400": [integer, overlap]
        }
      }
    },
    ...dnsRequests,
    ...autoscalingRequests,
    ...monitoringRequests,
    ...targetRequests,
    "POST /v1/databases": {
      good: { engine: "postgres", name: "fine", version: "17", size_gb: 1 },
      fields: {
        engine: literal(database.engine),
        name: database.name,
        version: { null: [text], "17": [text], '""': [some], [`"${canary}${"x".repeat(32)}"`]: [most(32)] },
        size_gb: database.size,
        replicas: database.replicas,
        backup: {
          null: [database.object],
          true: [database.object],
          "[]": [database.object],
          '"daily"': [database.object]
        }
      }
    },
    "PATCH /v1/databases/:engine/:name": {
      good: { size_gb: 2 },
      fields: { size_gb: database.size, replicas: database.replicas }
    },
    "POST /v1/databases/:engine/:name/restore": {
      good: { name: "fine" },
      fields: {
        name: { ...database.name, [`"${"a".repeat(51)}"`]: [most(47)], [`"${"a".repeat(48)}"`]: [most(47)] },
        size_gb: database.size,
        replicas: database.replicas,
        to_point_in_time: {
          null: [text],
          "0": [text],
          '""': [database.moment],
          '"2026-01-31"': [database.moment],
          '"2026-01-31T12:00:00"': [database.moment],
          '"2026-02-30T12:00:00Z"': [database.moment],
          '"2026-01-31T25:00:00Z"': [database.moment],
          [`"${canary}"`]: [database.moment]
        }
      }
    },
    "POST /v1/edge/exposures": {
      good: { name: "web", target: { service: "web", port: 80 } },
      fields: {
        name: {
          null: [text],
          "7": [text],
          [`["${canary}"]`]: [text],
          ...Object.fromEntries(
            ['""', '"Web"', '"-web"', '"web-"', '"a.b"', '"a_b"', '"w\\u0000"', `"${"a".repeat(64)}"`].map((_) => [
              _,
              [exposureLabel]
            ])
          )
        },
        target: {
          null: [noObjectHere],
          [`"${canary}"`]: [noObjectHere],
          "[]": [noObjectHere],
          "{}": [at("port", issue("missing", "Field required"))],
          '{"port": 80}': [oneTarget],
          '{"service": "web", "address": "203.0.113.1", "port": 80}': [oneTarget],
          '{"service": "web", "port": 0}': [at("port", portNumber)],
          '{"service": "web", "port": 65536}': [at("port", portNumber)],
          '{"service": "web", "port": 80.5}': [at("port", integer)],
          '{"service": "web", "port": "80"}': [at("port", number)],
          '{"service": "0web", "port": 80}': [at("service", serviceName)],
          '{"service": "other/web", "port": 80}': [at("service", serviceName)],
          '{"service": "web.other", "port": 80}': [at("service", serviceName)],
          '{"service": null, "port": 80}': [at("service", text)],
          '{"address": "web.example", "port": 80}': [at("address", ipAddress)],
          '{"address": "203.0.113.1/32", "port": 80}': [at("address", ipAddress)],
          '{"address": "203.0.113.01", "port": 80}': [at("address", ipAddress)],
          '{"address": "0x7f000001", "port": 80}': [at("address", ipAddress)],
          '{"address": "fe80::1%eth0", "port": 80}': [at("address", ipAddress)],
          '{"service": "web", "port": 80, "namespace": "other"}': [
            at("namespace", issue("extra_forbidden", "Extra inputs are not permitted"))
          ]
        },
        domain: {
          null: [text],
          "7": [text],
          ...Object.fromEntries(
            [
              '""',
              '"example"',
              '"*.shop.example"',
              '"shop..example"',
              '".shop.example"',
              '"shop.example.."',
              '"-shop.example"',
              '"shop_.example"',
              '"m\u00fcnchen.example"',
              '"203.0.113.1"',
              '"shop.example/path"',
              '"shop.example:80"',
              '"shop.example\\u0000"',
              `"${"a".repeat(64)}.example"`,
              `"${"a.".repeat(116)}example"`
            ].map((_) => [_, [domainName]])
          )
        }
      }
    },
    "POST /v1/budgets": {
      good: { amount_cents: 100, currency: "EUR" },
      fields: {
        currency: { null: [euro], '"USD"': [euro], '"eur"': [euro], "7": [euro], [`"${canary}"`]: [euro] },
        amount_cents: {
          null: [number],
          true: [number],
          '"7"': [number],
          [`"${canary}"`]: [number],
          "[7]": [number],
          "0": [positive],
          "-1": [positive],
          "0.5": [integer, positive],
          "1.5": [integer],
          "1e400": [integer],
          "9007199254740993": [integer]
        },
        period: literal(monthly)
      }
    },
    "POST /v1/object-storage/buckets": {
      good: { name: "fine" },
      fields: {
        name: {
          null: [text],
          "7": [text],
          '["fine"]': [text],
          '""': [bucket.length, bucket.parts],
          '"ab"': [bucket.length],
          [`"${"a".repeat(64)}"`]: [bucket.length],
          '"Fine"': [bucket.letters],
          '"a_b"': [bucket.letters],
          '"a/b"': [bucket.letters],
          '"tenant:fine"': [bucket.letters],
          '"fin\\u00e9"': [bucket.letters],
          '"fine\\u0000"': [bucket.letters],
          '"-fine"': [bucket.parts],
          '"fine-"': [bucket.parts],
          '"a..b"': [bucket.parts],
          '"a.-b"': [bucket.parts],
          '"fine."': [bucket.parts],
          '"192.168.0.1"': [bucket.address],
          '"xn--fine"': [bucket.reserved],
          '"db-archive-fine"': [bucket.reserved],
          '"fine-s3alias"': [bucket.reserved],
          '"fine--x-s3"': [bucket.reserved]
        }
      }
    },
    "POST /v1/object-storage/buckets/:name/objects/:key/presigned": {
      good: { content_length: 7 },
      fields: {
        content_length: {
          null: [number],
          '"7"': [number],
          "-1": [uploadSize],
          "0.5": [integer],
          "5368709121": [uploadSize]
        },
        content_type: {
          null: [text],
          "7": [text],
          '""': [mediaType],
          [`"${canary}"`]: [mediaType],
          '"text/plain\\r\\nx-amz-acl: public-read"': [mediaType],
          '"text/plain;  charset=utf-8"': [mediaType],
          '" text/plain"': [mediaType],
          '"text/plain, text/html"': [mediaType]
        },
        overwrite: { null: [flag], "1": [flag], '"true"': [flag] },
        expires_in: { null: [number], '"60"': [number], "29": [uploadLife], "301": [uploadLife], "60.5": [integer] }
      }
    },
    "PUT /v1/object-storage/buckets/:name/cors": {
      good: { rules: [{ allowed_origins: ["*"], allowed_methods: ["GET"] }] },
      fields: {
        rules: {
          null: [list],
          "{}": [list],
          "[]": [issue("value_error", "Input should be a value with a length of at least 1")],
          [`[${Array.from({ length: 101 }, () => '{"allowed_origins":["*"],"allowed_methods":["GET"]}').join()}]`]: [
            issue("value_error", "Input should be a value with a length of at most 100")
          ],
          "[{}]": [
            issue("missing", "Field required", 0, "allowed_origins"),
            issue("missing", "Field required", 0, "allowed_methods")
          ],
          '[{"allowed_origins":["https://*.*"],"allowed_methods":["GET"]}]': [corsOrigin],
          '[{"allowed_origins":["https://a b"],"allowed_methods":["GET"]}]': [corsOrigin],
          '[{"allowed_origins":[""],"allowed_methods":["GET"]}]': [corsOrigin],
          '[{"allowed_origins":["*"],"allowed_methods":["OPTIONS"]}]': [
            issue("literal_error", "Input should be 'GET', 'PUT', 'POST', 'DELETE' or 'HEAD'", 0, "allowed_methods", 0)
          ],
          '[{"allowed_origins":["*"],"allowed_methods":["GET"],"max_age_seconds":-1}]': [
            issue("value_error", "Input should be a value between 0 and 2147483647", 0, "max_age_seconds")
          ],
          '[{"allowed_origins":["*"],"allowed_methods":["GET"],"expose_headers":["x-*"]}]': [
            issue("value_error", "Input should be the name of a header: 1 to 255 characters", 0, "expose_headers", 0)
          ]
        }
      }
    },
    "PUT /v1/object-storage/buckets/:name/versioning": {
      good: { versioning: "enabled" },
      fields: { versioning: literal(issue("literal_error", "Input should be 'enabled' or 'suspended'")) }
    },
    "POST /v1/org/ous": {
      good: { path: canary },
      fields: {
        path: { null: [text], "7": [text], '["a"]': [text], '""': [unitPath], '"A"': [unitPath], '"a."': [unitPath] }
      }
    },
    "POST /v1/org/users/invite": {
      good: { email: "ann@acme.example", role: "customer" },
      fields: {
        email: address,
        role: literal(invitedRole),
        project_id: { null: [text], "7": [text], [`["${canary}"]`]: [text] },
        display_name: { ...line(100), '""': [some, named], '"  "': [named], '" \u00a0"': [named, shown], ...unnamed }
      }
    },
    "PUT /v1/org/users/:user_id/billing": {
      good: { billing_access: true },
      fields: { billing_access: { null: [flag], "1": [flag], '"true"': [flag], [`["${canary}"]`]: [flag] } }
    },
    "PUT /v1/access/policy": {
      good: { ou: "" },
      fields: {
        ou: { null: [text], "7": [text], '"A"': [scope], '"."': [scope], '"a\\u0000"': [scope] },
        max_tier: literal(permission),
        denies: { null: [list], "7": [list], '"dns"': [list], '{"0": "dns"}': [list] }
      }
    },
    "POST /v1/agents": {
      good: { label: canary },
      fields: {
        label: line(100),
        tier: literal(agentTier),
        expires_in_days: { null: [number], '"7"': [number], "0": [week], "8": [week], "1.5": [integer] },
        networks: { null: [list], "7": [list], "[]": [networks] }
      }
    },
    "PUT /v1/agents/policy": {
      good: { enabled: true },
      fields: {
        enabled: { null: [flag], "1": [flag], '"true"': [flag] },
        confirm: { null: [list], "7": [list], '"writes"': [list], '{"0": "writes"}': [list] }
      }
    },
    "POST /v1/account/close": {
      good: { confirm: canary },
      fields: { confirm: { null: [text], "7": [text], [`["${canary}"]`]: [text] }, reason: line(1000) }
    },
    "POST /v1/tenants/accounts/:number/finalize": { good: { reason: canary }, fields: { reason: line(1000) } },
    "POST /v1/tenants": {
      good: { name: canary },
      fields: { name: line(200), tenant_name: line(200), tier: literal(tierOf) }
    },
    "POST /v1/signup": {
      good: { email: "ann@acme.example", org_name: canary },
      fields: { email: address, org_name: { ...line(200), '""': [some, blank], '" \\u00a0"': [shown, blank] } }
    },
    "POST /v1/signups/:signup_id/approve": {
      good: { tier: "standard" },
      fields: { tier: literal(tierOf), tenant_name: line(200) }
    },
    "POST /v1/workload-identity/token-exchange": {
      good: { subject_token: canary },
      fields: {
        subject_token: {
          null: [text],
          "7": [text],
          [`["${canary}"]`]: [text],
          '""': [some],
          [`"${canary}${"x".repeat(16_384)}"`]: [most(16_384)]
        },
        grant_type: literal(
          issue("literal_error", "Input should be 'urn:ietf:params:oauth:grant-type:token-exchange'")
        ),
        subject_token_type: literal(issue("literal_error", "Input should be 'urn:ietf:params:oauth:token-type:jwt'")),
        requested_token_type: literal(
          issue("literal_error", "Input should be 'urn:ietf:params:oauth:token-type:access_token'")
        )
      }
    },
    "POST /v1/workload-identity/issuers": {
      good: {
        issuer: "https://cluster.example",
        project_id: canary,
        tier: 0,
        audience: canary,
        subjects: ["system:serviceaccount:ci:x"]
      },
      fields: {
        ...issuerFields,
        issuer: { null: [text], "7": [text], [`"${canary}"`]: [https], '"https://kubernetes.default.svc"': [ownName] },
        project_id: { null: [text], "7": [text], '""': [some], [`"${canary}${"x".repeat(200)}"`]: [most(200)] }
      }
    },
    "PATCH /v1/workload-identity/issuers/:issuer_id": { good: { tier: 0 }, fields: issuerFields },
    "POST /v1/tenants/:project_id/tier": { good: { tier: "standard" }, fields: { tier: literal(tierOf) } }
  }

const required: Readonly<Record<string, ReadonlyArray<string>>> = {
  ...dnsRequired,
  ...autoscalingRequired,
  ...monitoringRequired,
  ...targetRequired,
  "POST /v1/databases": ["engine", "name", "version", "size_gb"],
  "PATCH /v1/databases/:engine/:name": [],
  "POST /v1/databases/:engine/:name/restore": ["name"],
  "POST /v1/credentials": ["kind", "tier", "label"],
  "POST /v1/credentials/:credential_id/rotate": [],
  "POST /v1/budgets": ["amount_cents"],
  "POST /v1/edge/exposures": ["name", "target"],
  "POST /v1/object-storage/buckets": ["name"],
  "POST /v1/object-storage/buckets/:name/objects/:key/presigned": ["content_length"],
  "PUT /v1/object-storage/buckets/:name/versioning": ["versioning"],
  "PUT /v1/object-storage/buckets/:name/cors": ["rules"],
  "POST /v1/org/ous": ["path"],
  "POST /v1/org/users/invite": ["email", "role"],
  "PUT /v1/org/users/:user_id/billing": ["billing_access"],
  "PUT /v1/access/policy": ["ou"],
  "POST /v1/agents": ["label"],
  "PUT /v1/agents/policy": [],
  "POST /v1/account/close": ["confirm"],
  "POST /v1/tenants/accounts/:number/finalize": [],
  "POST /v1/tenants": ["name"],
  "POST /v1/signup": ["email", "org_name"],
  "POST /v1/signups/:signup_id/approve": ["tier"],
  "POST /v1/workload-identity/token-exchange": ["subject_token"],
  "POST /v1/workload-identity/issuers": ["issuer", "project_id", "tier", "audience", "subjects"],
  "PATCH /v1/workload-identity/issuers/:issuer_id": [],
  "POST /v1/tenants/:project_id/tier": ["tier"]
}

const Everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

layer(Everything, { excludeTestServices: true })("bodies", (it) => {
  const taking = routes.filter((_) => _.takesBody)

  it.effect("every route with one has its rows", () =>
    Effect.sync(() => {
      assert.sameMembers(Object.keys(requests), taking.map(nameOf))
      assert.sameMembers(Object.keys(required), taking.map(nameOf))
    })
  )

  /** Which of them are read by the same code for every route: all on one route, elsewhere a few. */
  const alike = <A>(route: Route, of: string, count: number, cases: ReadonlyArray<A>): ReadonlyArray<A> =>
    nameOf(route) === "POST /v1/credentials" ? cases : sampled(`${nameOf(route)} ${of}`, count, cases)

  const strangers = ["x", "__proto__", "constructor", "toString", "Tier", "project_id", "tenant_id", "user_id"]

  for (const route of taking) {
    const name = nameOf(route)
    const isOptional = route.optionalBody
    const { fields, good } = requests[name]!

    it.effect(`${name}: bodies that every route refuses`, () =>
      everyRow(
        alike(route, "bodies", 4, Object.entries(bodies)).flatMap(([what, [body, refusal, asked]]) =>
          isOptional && (body === "" || body === "null")
            ? []
            : [
                [
                  what,
                  refuses(
                    route,
                    { headers: json, ...asked, body },
                    isOptional && refusal === noObject ? noForm : refusal
                  )
                ]
              ]
        )
      )
    )

    const values = Object.entries(fields).flatMap(([field, values]) =>
      sampled(`${name} ${field}`, 2, Object.entries(values)).map(([value, wrong]) => ({ field, value, wrong }))
    )
    if (values.length > 0) {
      it.effect(`${name}: fields with wrong values`, () =>
        everyRow(
          values.map(({ field, value, wrong }) => {
            const body = JSON.stringify({ ...good, [field]: "@" }).replace('"@"', () => value)
            const issues = wrong.map((_) => ({ ..._, loc: ["body", field, ..._.loc] }))
            return [`${field} is ${value.slice(0, 40)}`, refuses(route, { headers: json, body }, issues)]
          })
        )
      )
    }

    if (required[name]!.length > 0)
      it.effect(`${name}: missing fields`, () => refuses(route, { body: {} }, required[name]!.map(missing)))

    it.effect(`${name}: unknown fields`, () =>
      everyRow([
        ...alike(
          route,
          "strangers",
          2,
          strangers.filter((_) => !(_ in fields))
        ).map((stranger) => {
          const body = JSON.stringify(good).replace("{", () => `{"${stranger}": "${canary}", `)
          return [stranger, refuses(route, { headers: json, body }, [extra(stranger)])] as const
        }),
        [
          "several wrong fields are all named",
          refuses(route, { body: { one: canary, two: { three: canary } } }, [
            extra("one"),
            extra("two"),
            ...required[name]!.map(missing)
          ])
        ]
      ])
    )

    // Of a route for everybody nobody is asked.
    if (!route.authenticated) continue
    it.effect(`${name}: the caller is checked before the body`, () =>
      Effect.gen(function* () {
        for (const plane of route.planes) {
          for (const body of alike(route, "before", 1, ["{", "x".repeat(70_000)])) {
            const answer = yield* permitted(plane, route, {
              token: "garbage",
              body,
              headers: { "content-type": "text/plain" }
            })
            assert.strictEqual(answer.status, 401)
          }
        }
      })
    )
  }

  it.effect("an optional body may be missing", () =>
    everyRow(
      taking
        .filter((_) => _.optionalBody)
        .map((route) => {
          const take = Effect.gen(function* () {
            const { call } = yield* TestGateway
            const { acme } = yield* Cast
            const success = successes[nameOf(route)] ?? assert.fail("no success")
            const { path } = yield* success.prepare
            const [plane, token] = route.platformAdmin
              ? (["operator", operator] as const)
              : (["customer", acme.tokens[2]] as const)
            const { status, text } = yield* call(plane, route.method, path, { token })
            // Only within the window, a reason is asked for.
            const reasonless = route.path.endsWith("/finalize") && text.includes("account_in_window")
            if (!reasonless) assert.strictEqual(status, success.status, text)
          })
          return [nameOf(route), take] as const
        })
    )
  )

  it.effect("the limits themselves, other spellings of the type, and a byte order mark are accepted", () =>
    Effect.gen(function* () {
      const route = routes.find((_) => nameOf(_) === "POST /v1/credentials")!
      const fine = { kind: "api-key", tier: 0, label: "\u{1F511}".repeat(50) }
      const long = JSON.stringify({ ...fine, expires_in_days: 365 })
      const full = long + " ".repeat(64 * 1024 - Buffer.byteLength(long))
      const rows: ReadonlyArray<Asked> = [
        { body: fine },
        { body: { ...fine, expires_in_days: 1 } },
        { body: full, headers: json },
        { body: full, headers: json, chunked: true },
        { body: `\uFEFF${long}`, headers: json },
        { body: long },
        { body: long, headers: { "content-type": "APPLICATION/JSON" } },
        { body: long, headers: { "content-type": 'application/json; charset="UTF-8"' } }
      ]
      for (const asked of rows) {
        const answer = yield* permitted("customer", route, asked)
        assert.strictEqual(answer.status, 201, answer.text)
      }
    })
  )
})
