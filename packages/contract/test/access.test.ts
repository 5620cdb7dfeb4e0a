import { assert, describe, it } from "@effect/vitest"
import { documents } from "@portico/contract/openapi/documents"
import { Predicate } from "effect"

const document: unknown = JSON.parse(JSON.stringify(documents.operator))
const customers: unknown = JSON.parse(JSON.stringify(documents.customer))

const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((_, key) => (Predicate.isObject(_) ? _[key] : undefined), value)

const entries = (value: unknown): ReadonlyArray<readonly [string, unknown]> =>
  Predicate.isObject(value) ? Object.entries(value) : []

const operations = entries(at(document, "paths")).flatMap(([path, item]) =>
  entries(item)
    .filter(([, operation]) => at(operation, "operationId") !== undefined)
    .map(([method, operation]) => ({ path, method, operation, id: String(at(operation, "operationId")) }))
)

const operationOf = (id: string): unknown =>
  (operations.find((_) => _.id === id) ?? assert.fail(`no operation ${id}`)).operation

/** The bullets that an operation's description ends with. */
const bullets = (id: string): ReadonlyArray<string> =>
  String(at(operationOf(id), "description"))
    .split("**Access**\n\n")[1]
    ?.split("\n") ?? []

const extensions = (id: string): Readonly<Record<string, unknown>> =>
  Object.fromEntries(entries(operationOf(id)).filter(([key]) => key.startsWith("x-portico-")))

describe("the access note derived from an operation's declaration", () => {
  it("is at the end of every description, once", () => {
    const wrong = operations.filter((_) => String(at(_.operation, "description")).split("**Access**").length !== 2)
    assert.deepStrictEqual(
      wrong.map((_) => _.id),
      []
    )
  })

  const rows: Readonly<Record<string, readonly [ReadonlyArray<string>, Readonly<Record<string, unknown>>]>> = {
    "health.health": [
      ["- Plane: customer and operator.", "- Authentication: no Bearer credential."],
      { "x-portico-planes": ["customer", "operator"] }
    ],
    "tenants.list": [
      ["- Plane: operator.", "- Role: platform administrator of any tier."],
      { "x-portico-planes": ["operator"], "x-portico-role": "platform-administrator" }
    ],
    "nat-gateways.create": [
      [
        "- Plane: customer and operator.",
        "- Tier: 1 (operate).",
        "- Tenant: the caller's own. A platform administrator has none and gets 409 `tenant_required`.",
        "- Repetition: takes an `Idempotency-Key`.",
        "- While the project or account is closing: refused with 409.",
        "- While the tenant is suspended: refused with 403.",
        "- Policy: an access policy can deny it as `nat-gateways:operate` or `network:operate`."
      ],
      {
        "x-portico-planes": ["customer", "operator"],
        "x-portico-tier": 1,
        "x-portico-idempotency-key": true,
        "x-portico-while-closing": "refused",
        "x-portico-while-suspended": "refused",
        "x-portico-policy": ["nat-gateways:operate", "network:operate"]
      }
    ]
  }
  for (const [id, [lines, values]] of Object.entries(rows)) {
    it(`${id} by hand`, () => {
      assert.deepStrictEqual(bullets(id), lines)
      assert.deepStrictEqual(extensions(id), values)
    })
  }

  it("single lines by hand", () => {
    assert.include(bullets("money.budgets"), "- Role: billing access. The account's owner always has it.")
    assert.include(bullets("credentials.mint"), "- Secret: the response shows a new secret, this once.")
    assert.include(bullets("credentials.revoke"), "- While the project or account is closing: works.")
    assert.include(
      bullets("policy.putPolicy"),
      "- Policy: an access policy can deny it as `access:destroy`, except to the account's owner."
    )
    assert.include(bullets("iaas.delete"), "- Tier: 2 (destructive), by the method; some calls need another.")
    assert.include(
      bullets("databases.create"),
      "- Completion: the work continues after the response. Call `GET /v1/databases/{engine}/{name}` until " +
        "`status` is `ready`; with `failing` it has stopped."
    )
  })

  it("x-portico-long-running names a read of the same plane, with its field and values", () => {
    const waiting = operations.flatMap(({ id, operation, path }) => {
      const found = at(operation, "x-portico-long-running")
      return found === undefined ? [] : [{ id, path, found }]
    })
    for (const { found, id, path } of waiting) {
      const read = operations.find((_) => _.id === at(found, "read")) ?? assert.fail(`${id}: no such operation`)
      assert.isTrue(at(customers, "paths", path) === undefined || at(customers, "paths", read.path) !== undefined, id)
      const response = JSON.stringify(reachable(at(read.operation, "responses", "200")))
      assert.include(response, `"${String(at(found, "field"))}":`, id)
      // A value of the enum, or of a platform's own states, which the description names.
      for (const value of [at(found, "done"), at(found, "failed")].flat()) {
        assert.isTrue(
          [`"${String(value)}"`, `\`${String(value)}\``].some((_) => response.includes(_)),
          `${id} ${value}`
        )
      }
    }
  })
})

/** A schema with the components that it refers to. */
const reachable = (schema: unknown, within: ReadonlyArray<string> = []): unknown =>
  JSON.parse(JSON.stringify(schema), (_, value: unknown) => {
    const ref = at(value, "$ref")
    if (typeof ref !== "string" || within.includes(ref)) return value
    return reachable(at(document, ...ref.replace("#/", "").split("/")), [...within, ref])
  })

describe("responses", () => {
  const responses = operations.flatMap(({ id, operation }) =>
    entries(at(operation, "responses")).map(([status, response]) => ({ name: `${id} ${status}`, status, response }))
  )

  it("each is described by a sentence", () => {
    const wrong = responses.filter(({ response }) => !/^[A-Z].* .*\.$/s.test(String(at(response, "description"))))
    assert.deepStrictEqual(
      wrong.map((_) => _.name),
      []
    )
  })

  it("each failure has an example with its code", () => {
    const ofGateway = responses.filter((_) => /^[45]/.test(_.status))
    const refs = ofGateway.flatMap(({ response }) => {
      const text = JSON.stringify(at(response, "content", "application/json") ?? {})
      return [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name ?? "")
    })
    assert.isAbove(new Set(refs).size, 100)
    const wrong = [...new Set(refs)].filter((name) => {
      const schema = at(document, "components", "schemas", name)
      const examples = at(schema, "examples")
      const [first] = Array.isArray(examples) ? examples : []
      const code = at(schema, "properties", "code", "enum")
      // The code of a cluster's `Status` is the reason of its cause.
      const causes = at(first, "details", "causes")
      const reason = Array.isArray(causes) ? at(causes[0], "reason") : undefined
      return !(Array.isArray(code) && code.includes(at(first, "code"))) || (name.startsWith("Cluster") && !reason)
    })
    assert.deepStrictEqual(wrong, [])
  })
})

describe("sections", () => {
  it("have every group once, in the order of the tags", () => {
    for (const plane of [document, customers]) {
      const groups = at(plane, "x-tagGroups")
      const tags = at(plane, "tags")
      const named = (Array.isArray(groups) ? groups : []).flatMap((_: unknown) => at(_, "tags"))
      assert.isNotEmpty(named)
      assert.deepStrictEqual(
        named,
        (Array.isArray(tags) ? tags : []).map((_: unknown) => at(_, "name"))
      )
    }
  })
})
