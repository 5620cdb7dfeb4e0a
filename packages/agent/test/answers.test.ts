import { assert, describe, it, vi } from "@effect/vitest"
import { failureTable } from "@portico/contract/Failures"
import { adviceOf, codes } from "../src/answers/advice.ts"
import { answerOf } from "../src/answers/answerOf.ts"
import { askedOf, inputOf } from "../src/answers/arguments.ts"
import { bounded } from "../src/answers/bounded.ts"
import { failureOf } from "../src/answers/failure.ts"
import { fieldsOf, selected } from "../src/answers/fields.ts"
import { declaredFields, knownOperations } from "../src/answers/operations.ts"
import { presented } from "../src/answers/presented.ts"
import { resultOf, untrustedText } from "../src/answers/result.ts"
import { longestText, sizeOf } from "../src/answers/size.ts"
import { toolsByOperation } from "../src/answers/toolsByOperation.ts"
import { spelledOut } from "@portico/contract/spelledOut"
import { visible } from "../src/answers/visible.ts"
import { workOf } from "../src/answers/work.ts"
import { operationTools } from "../src/tools/operations.ts"
import { proxyAnswerOf } from "../src/tools/answers.ts"
import type { Tool } from "../src/tools/Tool.ts"

const tools = operationTools(() => true)
const toolOf = toolsByOperation(tools)
const requestId = "0123456789abcdef0123456789abcdef"

const toolNamed = (operation: string): Tool => {
  const found = tools.find((_) => _.operation === operation)
  return found ?? assert.fail(`no tool for ${operation}`)
}

const call = (operation: string, fields?: string) => ({
  tool: toolNamed(operation),
  given: {},
  fields: fieldsOf(fields),
  requestId,
  toolOf
})

const response = (status: number | null, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  answerOf({ status, headers, body: typeof body === "string" ? body : JSON.stringify(body), cut: false })

describe("invisible characters", () => {
  it.each([
    ["a\u202Eb", String.raw`a\u{202e}b`],
    ["a\u2066b\u2069", String.raw`a\u{2066}b\u{2069}`],
    ["zero\u200Bwidth\uFEFF", String.raw`zero\u{200b}width\u{feff}`],
    ["\u0000\u001B[2J\u009B", String.raw`\u{0000}\u{001b}[2J\u{009b}`],
    ["tag\u{E0041}\u{E007F}", String.raw`tag\u{e0041}\u{e007f}`],
    ["vs\u{E0100}", String.raw`vs\u{e0100}`],
    ["line\u2028\u2029", String.raw`line\u{2028}\u{2029}`],
    ["half\uD800", String.raw`half\u{d800}`]
  ])("%j is escaped", (text, shown) => assert.strictEqual(spelledOut(text), shown))

  it("ordinary text stays: lines, tabs, other scripts, emoji", () => {
    const text = "Zürich\n\tданные 数据 🚀"
    assert.strictEqual(spelledOut(text), text)
  })

  it("are escaped in field names too, at every level", () =>
    assert.deepStrictEqual(visible({ a: [{ "k\u202E": "v\u200B" }], n: 1, z: null }), {
      a: [{ [String.raw`k\u{202e}`]: String.raw`v\u{200b}` }],
      n: 1,
      z: null
    }))
})

describe("fields", () => {
  const page = {
    count: 2,
    next_cursor: "c",
    rows: [
      { id: "1", label: "one", owner: { name: "a", mail: "b" } },
      { id: "2", label: "two", owner: { name: "c", mail: "d" } }
    ]
  }

  it("selects columns of rows, and keeps what paging needs", () =>
    assert.deepStrictEqual(selected(page, ["id", "owner.name"], undefined), {
      selected: {
        count: 2,
        next_cursor: "c",
        rows: [
          { id: "1", owner: { name: "a" } },
          { id: "2", owner: { name: "c" } }
        ]
      }
    }))

  it("selects members of an object", () =>
    assert.deepStrictEqual(selected({ a: 1, b: { c: 2, d: 3 } }, ["b.d"], undefined), { selected: { b: { d: 3 } } }))

  it("an unknown name is an error with the names that there are", () =>
    assert.deepStrictEqual(selected(page, ["id", "lable"], undefined), {
      unknown: ["lable"],
      known: ["id", "label", "owner", "owner.mail", "owner.name"]
    }))

  it("a field of the schema that these rows lack is known", () =>
    assert.deepStrictEqual(
      selected({ rows: [{ id: "1" }] }, ["id", "ends"], new Set(["rows", "rows.id", "rows.ends"])),
      {
        selected: { rows: [{ id: "1" }] }
      }
    ))

  it("selecting fields of an empty list answers the empty list", () =>
    assert.deepStrictEqual(selected({ rows: [] }, ["id"], undefined), { selected: { rows: [] } }))

  it("of an operation come from the contract", () => {
    assert.include([...(declaredFields("credentials.list") ?? [])], "credentials.label")
    assert.isUndefined(declaredFields("iaas.get"))
  })

  it("come as text or as a list", () => {
    assert.deepStrictEqual(fieldsOf(" a, b.c ,"), ["a", "b.c"])
    assert.deepStrictEqual(fieldsOf(["a", "b.c"]), ["a", "b.c"])
    assert.isUndefined(fieldsOf(""))
  })

  it("are looked for once each, however often they are named", () => {
    assert.deepStrictEqual(fieldsOf("id,label,id, id"), ["id", "label"])
    assert.deepStrictEqual(selected(page, ["owner", "owner.name"], undefined), {
      selected: { ...page, rows: page.rows.map(({ owner }) => ({ owner })) }
    })
  })

  it("of an answer of many lists are compared with each of its paths once, and not with all lists", () => {
    const lists = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`list${n}`, [{ id: n, [`own${n}`]: n }]]))
    const startsWith = vi.spyOn(String.prototype, "startsWith")
    const has = vi.spyOn(Set.prototype, "has")
    const unknown = Array.from({ length: 100 }, (_, n) => `nothing${n}`)
    const found = selected(lists, unknown, undefined)
    const steps = startsWith.mock.calls.length + has.mock.calls.length
    vi.restoreAllMocks()
    assert.isBelow(steps, 20_000)
    assert.deepStrictEqual("unknown" in found ? found.unknown : [], unknown)
    assert.deepStrictEqual(selected(lists, ["own7"], undefined), { selected: { list7: [{ own7: 7 }] } })
  })

  it("are an argument of reading tools alone, and no argument of the operation", () => {
    assert.property(inputOf(toolNamed("credentials.list")).properties, "fields")
    assert.notProperty(inputOf(toolNamed("credentials.mint")).properties, "fields")
    const asked = askedOf(toolNamed("credentials.list"), { fields: "label", limit: 3 })
    assert.deepStrictEqual(asked, { given: { limit: 3 }, fields: ["label"], wait: false })
  })
})

describe("a response that is too long", () => {
  const rows = Array.from({ length: 2_000 }, (_, n) => ({ id: n, text: "x".repeat(100) }))

  it("is cut at a row, without the cursor that would skip what is left out", () => {
    const found = bounded({ count: 5_000, next_cursor: "later", rows })
    if (!("body" in found)) return assert.fail("not cut")
    assert.isBelow(sizeOf(found.body), longestText)
    const shown = found.cut?.shown ?? 0
    assert.deepStrictEqual(found.cut, { field: "rows", shown, of: 2_000 })
    assert.isAbove(shown, 300)
    assert.deepStrictEqual(found.body, { count: 5_000, rows: rows.slice(0, shown) })
  })

  it("is cut in a list that lies deeper", () => {
    const found = bounded({ kind: "List", data: { items: rows } })
    assert.strictEqual("cut" in found ? found.cut?.field : undefined, "data.items")
  })

  it("of many lists is written a few times, and not once for each of them", () => {
    let written = 0
    const item = { toJSON: () => ((written += 1), "x".repeat(100)) }
    const lists = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`list${n}`, n === 0 ? [item] : [n]]))
    const found = bounded({ ...lists, text: "x".repeat(60_000) })
    assert.property(found, "sizes")
    assert.isAtMost(written, 4)
  })

  it("is written once when it is cut", () => {
    let written = 0
    const items = rows.map((row) => ({ toJSON: () => ((written += 1), row) }))
    assert.property(bounded({ count: 2_000, rows: items }), "cut")
    assert.strictEqual(written, items.length)
  })

  it("of lines is cut at a line", () => {
    const found = bounded({ text: "0123456789\n".repeat(20_000) })
    if (!("body" in found)) return assert.fail("not cut")
    assert.match(String(found.body["text"]), /^(0123456789\n?)+$/)
    assert.isBelow(sizeOf(found.body), longestText)
  })

  it("of a line that is too long by itself is not cut", () => {
    const found = bounded({ text: `${"x".repeat(200_000)}\nshort` })
    assert.deepStrictEqual(found, { sizes: { text: sizeOf(`${"x".repeat(200_000)}\nshort`) } })
  })

  it("names what was cut without characters that cannot be seen, and counts all rows", () => {
    const many = Array.from({ length: 2_000 }, () => "\u202Eab".repeat(20))
    const { body } = presented(response(200, { "ro\u202Ews": many }), call("status.show"))
    const { cut } = Object(body["about"])
    assert.deepInclude(cut, { field: String.raw`ro\u{202e}ws`, of: 2_000 })
    assert.strictEqual(cut.shown, Object(body)[String.raw`ro\u{202e}ws`].length)
    assert.isBelow(sizeOf(body), longestText)
  })

  it("of one piece says what is large in it", () => {
    const { body, failed } = presented(response(200, { small: 1, huge: "y".repeat(100_000) }), call("status.show"))
    assert.isTrue(failed)
    assert.deepInclude(body, { code: "answer_too_large", status: 200 })
    assert.deepStrictEqual(body["field_bytes"], { small: 1, huge: 100_002 })
  })

  it("says what to do", () => {
    const { body } = presented(response(200, { credentials: rows, next_cursor: null }), call("credentials.list"))
    assert.match(
      JSON.stringify(body["about"]),
      /"of":2000,"next":"\d+ of 2000 are shown.*fields, or page with limit \d+/
    )
  })
})

describe("an answer", () => {
  it("is content once as structure, once as text of one line, and marked as data", () => {
    const result = resultOf(presented(response(200, { name: "n" }), call("identity.whoami")))
    assert.deepStrictEqual(result.structuredContent, { name: "n" })
    assert.deepStrictEqual(
      result.content.map((_) => ("text" in _ ? _.text : undefined)),
      ['{"name":"n"}', untrustedText]
    )
    assert.deepStrictEqual(result._meta, { "portico/untrusted": true })
  })

  it("without a body, or of another type, is an object too", () => {
    assert.deepStrictEqual(presented(response(204, ""), call("credentials.mint")).body, { result: null })
    assert.deepStrictEqual(presented(response(200, "plain"), call("status.show")).body, { text: "plain" })
    assert.deepStrictEqual(presented(response(200, [1, 2]), call("status.show")).body, { result: [1, 2] })
    const lines = response(200, '{"a":1}\n{"a":2}\n', { "content-type": "application/x-ndjson" })
    assert.deepStrictEqual(presented(lines, call("status.show")).body, { result: [{ a: 1 }, { a: 2 }] })
  })

  it("says what stands in headers", () => {
    const headers = {
      location: "/v1/x/1",
      "idempotent-replayed": "true",
      "idempotency-redacted": "pat",
      "ratelimit-limit": "300",
      "ratelimit-remaining": "3",
      "ratelimit-reset": "20"
    }
    const { about } = presented(response(201, { id: "1" }, headers), call("credentials.mint")).body
    assert.deepStrictEqual(about, {
      location: "/v1/x/1",
      replayed:
        "The answer of the earlier call with this key; nothing was done now. Null, because they are shown once: pat.",
      rate_limit: { remaining: 3, resets_in_seconds: 20, of: "the whole tenant" }
    })
    const ample = { "ratelimit-limit": "300", "ratelimit-remaining": "299", "ratelimit-reset": "20" }
    assert.deepStrictEqual(presented(response(200, { id: "1" }, ample), call("status.show")).body, { id: "1" })
  })

  it("with more pages says how to fetch the next one", () => {
    const { about } = presented(response(200, { rows: [], next_cursor: "c" }), call("credentials.list")).body
    assert.deepStrictEqual(about, {
      next: `There are more rows: call ${toolOf("credentials.list")} again with the same arguments and cursor set to next_cursor.`
    })
  })
})

describe("a failure", () => {
  const failed = { requestId, writes: true, toolOf }

  it("has the API's detail, cause, fix and numbers", () => {
    const detail = "Rate \u00fc detail"
    const body = failureOf(response(429, { detail, code: "rate_limited" }, { "retry-after": "7" }), failed)
    const { cause, fix } = failureTable.find((_) => _.code === "rate_limited") ?? assert.fail()
    assert.deepStrictEqual(body, {
      status: 429,
      detail,
      code: "rate_limited",
      cause,
      fix,
      request_id: requestId,
      retry_after: 7
    })
    const more = failureOf(response(409, { detail: "d", code: "ceiling_reached", ceiling: { used: 1 } }), failed)
    assert.deepStrictEqual(more["ceiling"], { used: 1 })
  })

  it("names tools in place of their routes", () => {
    assert.strictEqual(
      adviceOf("credential_not_found", toolOf)?.fix,
      `List the credentials that you can see with the tool \`${toolOf("credentials.list")}\`.`
    )
    const reads = toolsByOperation([
      { ...toolNamed("status.show"), name: "compute_read", area: "compute", operation: undefined }
    ])
    assert.strictEqual(
      adviceOf("instance_not_found", reads)?.fix,
      "List them with the tool `compute_read` with path servers."
    )
    assert.match(adviceOf("policy_denied", toolOf)?.fix ?? "", /^The tool `\w+` shows which unit/)
    assert.strictEqual(adviceOf("credential_not_found", () => undefined)?.fix.includes("GET /v1/credentials"), true)
  })

  it.each(codes)("%s: no commands, and no route that is a tool", (code) => {
    const { cause, fix } = adviceOf(code, toolOf) ?? assert.fail()
    assert.notMatch(`${cause} ${fix}`, /'portico |`portico /)
    const routes = [...`${cause} ${fix}`.matchAll(/GET \/v1\/[\w/{}-]+/g)].map(([_]) => _)
    assert.deepStrictEqual(
      routes.filter((route) => tools.some(({ operation }) => operation !== undefined && routeOf(operation) === route)),
      []
    )
  })

  it("of a platform service keeps the service's own body", () => {
    const upstream = { forbidden: { code: 403, message: "Quota exceeded for cores" } }
    assert.deepInclude(failureOf(response(403, upstream), failed), {
      status: 403,
      detail: "Quota exceeded for cores",
      code: null,
      upstream
    })
    const status = { kind: "Status", status: "Failure", message: "pods is forbidden", reason: "Forbidden", code: 403 }
    assert.deepInclude(failureOf(response(403, status), failed), { detail: "pods is forbidden", upstream: status })
    assert.deepInclude(failureOf(response(502, "<html>"), failed), { upstream: "<html>" })
  })

  it("without an answer says whether the call may have happened, and how to find out", () => {
    const lost = { status: null, headers: {}, body: {}, failed: true }
    const written = failureOf(lost, failed)
    assert.deepInclude(written, { status: null, code: "answer_lost", may_have_happened: true })
    assert.include(String(written["fix"]), `\`${toolOf("audit.list")}\` with request_id ${requestId}`)
    const keyed = failureOf({ ...lost, body: { idempotency_key: "k" } }, failed)
    assert.strictEqual(keyed["idempotency_key"], "k")
    assert.include(String(keyed["fix"]), "idempotency_key: it is done once")
    assert.deepInclude(failureOf(lost, { ...failed, writes: false }), { may_have_happened: false, fix: "Call again." })
  })

  it("of a tool itself stays as it is", () =>
    assert.deepInclude(failureOf({ status: null, failed: true, body: { code: "plan_expired", fix: "f" } }, failed), {
      code: "plan_expired",
      fix: "f"
    }))
})

const routeOf = (operation: string): string => {
  const { method, path } = knownOperations.get(operation) ?? assert.fail(operation)
  return `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`
}

describe("work that a call starts", () => {
  it("comes with the operation that reads its state", () => {
    const body = { engine: "postgres", name: "orders", status: "creating" }
    assert.deepStrictEqual(workOf("databases.create", {}, body, toolOf)?.ask, {
      tool: toolNamed("databases.show").name,
      arguments: { engine: "postgres", name: "orders" },
      field: "status",
      done: ["ready"],
      failed: ["failing"]
    })
  })

  it("is absent when the answer shows it done, or the operation starts none", () => {
    assert.isUndefined(workOf("databases.create", {}, { engine: "p", name: "o", status: "ready" }, toolOf))
    assert.isUndefined(workOf("credentials.mint", {}, {}, toolOf))
  })

  it("can be waited for by an argument of its tools", () => {
    assert.property(inputOf(toolNamed("databases.create")).properties, "wait")
    assert.notProperty(inputOf(toolNamed("credentials.mint")).properties, "wait")
  })
})

it.each([
  [null, true],
  [200, false],
  [302, false],
  [399, false],
  [400, true],
  [503, true]
])("an answer of a proxy with the status %s has failed: %s", (status, failed) => {
  for (const [type, body] of [
    ["text/plain", "words"],
    ["application/octet-stream", "words"],
    ["text/plain", ""]
  ] as const) {
    const answer = proxyAnswerOf({ status, headers: { "content-type": type }, body, cut: false })
    assert.strictEqual(answer.failed, failed, `${type} ${body}`)
  }
})
