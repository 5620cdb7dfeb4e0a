import { assert, describe, it } from "@effect/vitest"
import { AnswersSecret, DestroysWith, tierNeeded } from "@portico/contract/Access"
import { CustomerApi } from "@portico/contract/Api"
import { documents } from "@portico/contract/openapi/documents"
import { Context, Predicate } from "effect"
import { HttpApi } from "effect/http-api"
import { allTools } from "../src/tools/all.ts"
import { argumentsOf } from "../src/tools/arguments.ts"
import { readDocument } from "../src/document.ts"
import { type Operation, operations, reasonAgainst, routeOf } from "../src/tools/operation.ts"
import { nameOf, operationTools } from "../src/tools/operations.ts"
import { isOpenWorld } from "../src/tools/openWorld.ts"
import { requestOf } from "../src/tools/requests.ts"
import { decisions } from "./decisions.ts"

const every = operations(readDocument())
const permitted = { permits: () => true, permitsArea: () => true }
const tools = allTools(permitted)
const derived = operationTools(() => true)
const found = (id: string): Operation => {
  const operation = every.find((_) => _.id === id)
  assert.isDefined(operation)
  return operation
}
const asked = (id: string, given: Readonly<Record<string, unknown>>) =>
  requestOf(found(id), argumentsOf(found(id)), given, undefined)

describe("the tools of operations", () => {
  it("every route of the customer plane is an operation of the committed document", () => {
    const routes: Array<string> = []
    HttpApi.reflect(CustomerApi, {
      onGroup: () => {},
      onEndpoint: ({ endpoint }) => void routes.push(routeOf(endpoint))
    })
    assert.deepStrictEqual(
      every.map((_) => routeOf(_.endpoint)),
      routes
    )
  })

  it("every operation has a tool, or a reason for having none", () => {
    const are = every.map((_) => [
      _.id,
      ((without) => (without === undefined ? nameOf(_.id) : { without }))(reasonAgainst(_))
    ])
    assert.deepStrictEqual<unknown>(Object.fromEntries(are), decisions)
    assert.sameMembers(
      derived.map((_) => _.name),
      Object.values(decisions).filter((_) => typeof _ === "string")
    )
  })

  it("no tool needs tier 2, answers a stored secret or deletes", () => {
    const names = new Set(derived.map((_) => _.name))
    for (const { endpoint, id } of every) {
      if (!names.has(nameOf(id))) continue
      assert.isBelow(tierNeeded(endpoint), 2, id)
      assert.notStrictEqual(Context.get(endpoint.annotations, AnswersSecret), "stored", id)
      assert.notStrictEqual(endpoint.method, "DELETE", id)
    }
  })

  it("a tool is read-only exactly when it changes nothing", () => {
    for (const operation of every) {
      const tool = derived.find((_) => _.name === nameOf(operation.id))
      if (tool !== undefined) assert.strictEqual(tool.writes, operation.endpoint.method !== "GET", tool.name)
    }
  })
})

describe("hints to clients about a tool", () => {
  const openWorld = tools.filter(isOpenWorld).map((_) => _.name)

  it("tools that connect to outside addresses are open-world, and no others", () => {
    assert.sameMembers(openWorld, [
      "webhooks_create",
      "webhooks_update",
      "webhooks_test",
      "webhooks_redeliver",
      "integrations_create",
      "integrations_update",
      "integrations_test",
      "integrations_confirm",
      "integrations_rotate_secret",
      "integrations_redeliver",
      "edge_create",
      "edge_verify",
      "edge_resync",
      "dns_create_zone",
      "dns_change_zone",
      "dns_create_recordset",
      "dns_change_recordset",
      "dns_import_zone",
      "dns_delegation",
      "dns_write",
      "load_balancer_write",
      "kubernetes_write",
      "plan_apply"
    ])
  })

  it("tools that may refuse a target's address are open-world", () => {
    const refusing: Array<string> = []
    for (const { endpoint, id } of every) {
      const [, path = ""] = routeOf(endpoint).split(" ")
      const documented = Object.entries(documents.customer.paths[path] ?? {})
      const text = JSON.stringify(documented.find(([method]) => method === endpoint.method.toLowerCase()))
      if (text.includes("target_address_refused") && reasonAgainst(found(id)) === undefined) refusing.push(nameOf(id))
    }
    assert.isNotEmpty(refusing)
    assert.includeMembers(openWorld, refusing)
  })

  it("the tool that stores switches of areas writes", () => {
    assert.isTrue(tools.find((_) => _.name === "areas")?.writes)
  })
})

describe("names and schemas", () => {
  it("a name is short, in snake case, and of one tool", () => {
    assert.lengthOf(new Set(tools.map((_) => _.name)), tools.length)
    for (const { name } of tools) assert.match(name, /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/)
    assert.deepStrictEqual(
      tools.filter((_) => _.name.length > 64).map((_) => _.name),
      []
    )
  })

  it("an input is a closed object without references, whose required arguments exist", () => {
    for (const { input, name } of tools) {
      const text = JSON.stringify(input)
      assert.strictEqual(input["additionalProperties"], false, name)
      assert.notInclude(text, "$ref", name)
      assert.notInclude(text, '"pattern"', name)
      // Below the outermost object the API refuses unknown fields in any case.
      assert.lengthOf(text.match(/"additionalProperties":false/g) ?? [], 1, name)
      for (const required of input.required ?? []) assert.property(input.properties, required, name)
    }
  })

  it("a schema of further fields has one type, because some models refuse a union of types there", () => {
    const furtherIn = (schema: unknown): ReadonlyArray<unknown> =>
      Predicate.isObject(schema)
        ? Object.entries(schema).flatMap(([key, _]) => [
            ...(key === "additionalProperties" && _ !== false ? [_] : []),
            ...furtherIn(_)
          ])
        : []
    const wrong = tools.filter((_) =>
      furtherIn(_.input).some((one) => !/^\{"type":"\w+"[^[]*\}$/.test(JSON.stringify(one)))
    )
    assert.deepStrictEqual(
      wrong.map((_) => _.name),
      []
    )
  })

  it("credentials_mint offers only what an agent may mint, and requires a label alone", () => {
    const { input } = tools.find((_) => _.name === "credentials_mint") ?? assert.fail("no tool")
    assert.deepStrictEqual(input.required, ["label"])
    assert.deepInclude(input.properties["kind"], { enum: ["mcp"], default: "mcp" })
    assert.deepInclude(input.properties["tier"], { enum: [0, 1], default: 0 })
    assert.deepInclude(input.properties["expires_in_days"], { minimum: 1, maximum: 7, default: 7 })
    // A value that is given is sent as it is, for the API to judge.
    const mint = found("credentials.mint")
    const bodyOf = (given: Record<string, unknown>) => {
      const request = requestOf(mint, argumentsOf(mint), given, undefined)
      return request._tag === "Success" ? JSON.parse(request.success.body ?? "") : assert.fail("refused")
    }
    assert.deepStrictEqual(bodyOf({ label: "a" }), { kind: "mcp", tier: 0, label: "a" })
    const given = { kind: "api-key", tier: 2, label: null, expires_in_days: 9 }
    assert.deepStrictEqual(bodyOf(given), given)
  })

  it("a flag that needs tier 2 is not offered to agents, but sent when given", () => {
    const flagged = every.flatMap((operation) => {
      const destroying = Context.get(operation.endpoint.annotations, DestroysWith)
      return destroying === undefined ? [] : [{ operation, destroying }]
    })
    assert.deepStrictEqual(
      flagged.map(({ destroying, operation }) => [operation.id, destroying.flag]),
      [
        ["object-storage.presignUpload", "overwrite"],
        ["dns.importZone", "prune"]
      ]
    )
    for (const { destroying, operation } of flagged) {
      const { description, input } = derived.find((_) => _.operation === operation.id) ?? assert.fail("no tool")
      assert.notInclude(`${description} ${JSON.stringify(input)}`, destroying.flag, operation.id)
      const fields = Object(operation.body?.schema["properties"])
      for (const flag of Object.values(destroying)) assert.deepInclude(fields[flag], { type: "boolean" }, operation.id)
      const ids = Object.fromEntries(operation.parameters.map((_) => [_.name, "a"]))
      const request = asked(operation.id, { ...ids, [destroying.flag]: true })
      assert.deepInclude(request, { _tag: "Success" })
      assert.include(JSON.stringify(request), destroying.flag, operation.id)
      const refused = asked(operation.id, { ...ids, another: true })
      assert.notInclude(JSON.stringify(refused), destroying.flag, operation.id)
    }
  })

  it("every boolean that tools offer is listed here: none of them raises the needed tier", () => {
    const flagsIn = (schema: unknown, at: string): ReadonlyArray<string> =>
      Predicate.isObject(schema)
        ? schema["type"] === "boolean"
          ? [at]
          : Object.entries(schema["type"] === "object" ? Object(schema["properties"]) : {}).flatMap(([key, _]) =>
              flagsIn(_, `${at}.${key}`)
            )
        : []
    assert.sameMembers(
      derived.flatMap((_) => flagsIn(_.input, _.name)),
      [
        "credentials_list.include_revoked",
        "credentials_usage.include_revoked",
        "agents_list.include_revoked",
        // It needs a role, which hides the tool from agents.
        "org_users_set_billing.billing_access",
        "databases_create.backup.enabled",
        "dns_import_zone.dry_run",
        "alarms_create.enabled",
        "alarms_update.enabled",
        "webhooks_create.enabled",
        "webhooks_update.enabled",
        "integrations_create.enabled",
        "integrations_update.enabled"
      ]
    )
  })

  it("every argument has the type of the contract's field", () => {
    const untyped = derived.flatMap(({ input, name }) =>
      Object.entries(input.properties).flatMap(([argument, schema]) =>
        /"(type|anyOf|enum)":/.test(JSON.stringify(schema)) ? [] : [`${name}.${argument}`]
      )
    )
    assert.deepStrictEqual(untyped, [])
  })

  it("a write behind a catch-all is billed where a service has something that costs money", () => {
    const billed = tools.filter((_) => _.name.endsWith("_write") && _.weight.includes("billed")).map((_) => _.area)
    assert.sameMembers(billed, ["compute", "network", "volume", "load-balancer", "kubernetes"])
  })

  it("a description starts with the summary, in plain text without routes of tools", () => {
    for (const { description, name, title } of derived) {
      assert.isTrue(description.startsWith(`${title}.`), name)
      assert.notMatch(description, /`|\*\*|\n|undefined/, name)
    }
  })

  it("an operation with two arguments of one name is a defect", () => {
    const restore = found("databases.restore")
    assert.throws(() => argumentsOf({ ...restore, id: "databases.another" }), "two arguments of one name")
  })

  it("every list that has pages asks for 20 rows", () => {
    for (const operation of every) {
      if (reasonAgainst(operation) !== undefined || !operation.parameters.some((_) => _.name === "limit")) continue
      const path = Object.fromEntries(operation.parameters.filter((_) => _.place === "path").map((_) => [_.name, "x"]))
      const request = requestOf(operation, argumentsOf(operation), path, undefined)
      assert.strictEqual(request._tag, "Success")
      if (request._tag === "Success") assert.match(request.success.path, /[?&]limit=20(&|$)/)
      const few = requestOf(operation, argumentsOf(operation), { ...path, limit: 3 }, undefined)
      if (few._tag === "Success") assert.match(few.success.path, /[?&]limit=3(&|$)/)
    }
  })
})

describe("the request of arguments", () => {
  const refusals: ReadonlyArray<
    readonly [id: string, given: Readonly<Record<string, unknown>>, argument: string, type: string]
  > = [
    ["credentials.list", { labels: "x" }, "labels", "extra_forbidden"],
    ["credentials.list", { label: null }, "label", "value_error"],
    ["credentials.list", { label: { a: 1 } }, "label", "value_error"],
    ["credentials.list", { label: "\uD800" }, "label", "value_error"],
    ["databases.show", { engine: "postgres" }, "name", "missing"],
    ["databases.show", { engine: "postgres", name: "" }, "name", "value_error"],
    ["databases.show", { engine: "postgres", name: 7 }, "name", "string_type"],
    ["databases.show", { engine: "postgres", name: ["a"] }, "name", "string_type"],
    ["databases.show", { engine: "postgres", name: "\uD800" }, "name", "value_error"],
    ["databases.create", { idempotency_key: "a b" }, "idempotency_key", "value_error"],
    ["databases.create", { idempotency_key: "a\r\nb: c" }, "idempotency_key", "value_error"],
    // Only administrators send it.
    ["quotas.show", { project: "x" }, "project", "extra_forbidden"]
  ]
  for (const [id, given, argument, type] of refusals) {
    it(`${id} ${JSON.stringify(given)} is refused`, () => {
      const request = asked(id, given)
      assert.strictEqual(request._tag, "Failure")
      if (request._tag !== "Failure") return
      assert.strictEqual(request.failure.code, "validation_error")
      assert.deepInclude(request.failure.detail[0], { loc: ["arguments", argument], type })
      if (type === "extra_forbidden" && id === "credentials.list") {
        assert.include(request.failure.detail[0]?.msg, "include_revoked, label, limit, cursor")
      }
    })
  }

  const hostile = [
    "/",
    "..",
    ".",
    "%2f",
    "%2e%2e",
    "../../v1/whoami",
    "a/b",
    "a?b=c",
    "a#b",
    ";x",
    "$&",
    "ä ",
    "\0",
    "//"
  ]
  for (const operation of every.filter((_) => reasonAgainst(_) === undefined)) {
    const inPath = operation.parameters.filter((_) => _.place === "path")
    if (inPath.length === 0) continue
    it(`${operation.id} requests its own route with any id`, () => {
      const template = operation.endpoint.path.split("/")
      for (const id of hostile) {
        const request = requestOf(
          operation,
          argumentsOf(operation),
          Object.fromEntries(inPath.map((_) => [_.name, id])),
          undefined
        )
        assert.strictEqual(request._tag, "Success", id)
        if (request._tag !== "Success") continue
        const [path = ""] = request.success.path.split("?")
        const segments = path.split("/")
        assert.lengthOf(segments, template.length, id)
        for (const [index, segment] of segments.entries()) {
          if (template[index]?.startsWith(":") !== true) assert.strictEqual(segment, template[index])
          else {
            assert.strictEqual(decodeURIComponent(segment), id)
            assert.match(segment, /^[A-Za-z0-9\-._~!'()*%]+$/)
            assert.notMatch(segment, /^\.+$/)
          }
        }
      }
    })
  }

  it("fields go where the API expects them, renamed ones under their own name", () => {
    const request = asked("databases.restore", { engine: "postgres", name: "orders", new_name: "copy" })
    assert.deepStrictEqual(request._tag === "Success" && request.success, {
      method: "POST",
      path: "/v1/databases/postgres/orders/restore",
      headers: { "content-type": "application/json" },
      body: '{"name":"copy"}'
    })
    const list = asked("credentials.list", { include_revoked: true, label: "a&b=c", limit: 5 })
    assert.strictEqual(
      list._tag === "Success" && list.success.path,
      "/v1/credentials?include_revoked=true&label=a%26b%3Dc&limit=5"
    )
    const events = asked("events.list", { topic: ["alarms", "webhooks"] })
    assert.strictEqual(
      events._tag === "Success" && events.success.path,
      "/v1/events?topic=alarms&topic=webhooks&limit=20"
    )
  })
})
