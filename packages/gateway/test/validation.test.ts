import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Cast } from "./Cast.ts"
import type { Asked } from "./http.ts"
import { canary, type Issue, issue, notJson, permitted, type Refusal, refuses, tooLarge } from "./refusals.ts"
import { nameOf, routes } from "./routes.ts"
import { TestGateway } from "./TestGateway.ts"

const json = { "content-type": "application/json" }

const noObject: Refusal = [issue("model_attributes_type", "Input should be a valid object", "body")]
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
  "64 KiB + 1": [" ".repeat(64 * 1024 + 1), tooLarge],
  "64 KiB + 1 in chunks": [" ".repeat(64 * 1024 + 1), tooLarge, { chunked: true }],
  "5 MiB": ["x".repeat(5 * 1024 * 1024), tooLarge],
  "5 MiB in chunks": ["x".repeat(5 * 1024 * 1024), tooLarge, { chunked: true }],
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
const kind = issue("literal_error", "Input should be 'api-key' or 'mcp'")
const number = issue("number_type", "Input should be a valid number")
const integer = issue("value_error", "Input should be an integer")
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
  [`"\\udc00${canary}"`]: [plain]
})

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
        }
      }
    },
    "POST /v1/tenants": {
      good: { name: canary },
      fields: { name: line(200), tenant_name: line(200), tier: literal(tierOf) }
    },
    "POST /v1/tenants/:project_id/tier": { good: { tier: "standard" }, fields: { tier: literal(tierOf) } }
  }

const required: Readonly<Record<string, ReadonlyArray<string>>> = {
  "POST /v1/credentials": ["kind", "tier", "label"],
  "POST /v1/tenants": ["name"],
  "POST /v1/tenants/:project_id/tier": ["tier"]
}

const Everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

layer(Everything, { excludeTestServices: true })("bodies", (it) => {
  const taking = routes.filter((_) => _.takesBody)

  it.effect("every route that takes one has its rows", () =>
    Effect.sync(() => {
      assert.sameMembers(Object.keys(requests), taking.map(nameOf))
      assert.sameMembers(Object.keys(required), taking.map(nameOf))
    })
  )

  for (const route of taking) {
    const name = nameOf(route)
    for (const [what, [body, refusal, asked]] of Object.entries(bodies)) {
      it.effect(`${name}: ${what}`, () => refuses(route, { headers: json, ...asked, body }, refusal))
    }

    const { fields, good } = requests[name]!
    for (const [field, values] of Object.entries(fields)) {
      for (const [value, wrong] of Object.entries(values)) {
        it.effect(`${name}: ${field} is ${value.slice(0, 40)}`, () => {
          const body = JSON.stringify({ ...good, [field]: "@" }).replace('"@"', () => value)
          const issues = wrong.map((_) => ({ ..._, loc: ["body", field] }))
          return refuses(route, { headers: json, body }, issues)
        })
      }
    }

    it.effect(`${name}: fields that are not there`, () => refuses(route, { body: {} }, required[name]!.map(missing)))

    for (const stranger of [
      "x",
      "__proto__",
      "constructor",
      "toString",
      "Tier",
      "project_id",
      "tenant_id",
      "user_id"
    ]) {
      it.effect(`${name}: the unknown field ${stranger}`, () => {
        const body = JSON.stringify(good).replace("{", () => `{"${stranger}": "${canary}", `)
        return refuses(route, { headers: json, body }, [extra(stranger)])
      })
    }

    it.effect(`${name}: several wrong fields are all named`, () =>
      refuses(route, { body: { one: canary, two: { three: canary } } }, [
        extra("one"),
        extra("two"),
        ...required[name]!.map(missing)
      ])
    )

    it.effect(`${name}: who calls is asked before what is sent`, () =>
      Effect.gen(function* () {
        for (const plane of route.planes) {
          for (const body of ["{", "x".repeat(70_000)]) {
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

  it.effect("the limits themselves, other spellings of the type, and a byte order mark are taken", () =>
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
