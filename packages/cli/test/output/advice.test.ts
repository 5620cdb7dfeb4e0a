import { assert, describe, expect, it } from "@effect/vitest"
import { commandOf } from "@portico/client/catalogue/names"
import { customerOperations } from "@portico/client/operations/customer"
import { operatorOperations } from "@portico/client/operations/operator"
import { failureTable } from "@portico/contract/Failures"
import { PorticoError } from "@portico/client/PorticoError"
import { advice } from "../../src/advice/advice.ts"
import { exitOf } from "../../src/refusals.ts"

/** The commands by method and path, as the documents write it: `GET /v1/databases/{engine}/{name}`. */
const commands = Object.entries({ ...customerOperations, ...operatorOperations })
  .map(([operation, route]) => {
    const [method = "", target = ""] = route.split(" ")
    const [path = ""] = target.split("?")
    const ids = [...path.matchAll(/:(\w+)/g)].map(([, key]) => `<${key}>`)
    return {
      route: `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`,
      command: ["portico", commandOf(operation), ...ids].join(" ")
    }
  })
  .toSorted((one, other) => other.route.length - one.route.length)

/** What to do, with the commands in place of their routes. */
const advised = (fix: string): string =>
  commands
    .reduce((text, { command, route }) => {
      const whole = new RegExp(`\`?${route.replaceAll(/[/{}*.]/g, "\\$&")}(?![\\w/{?])\`?`, "g")
      return text.replaceAll(whole, `'${command}'`)
    }, fix)
    .replaceAll(/\b((?:GET|POST|PUT|PATCH|DELETE) \/v1\/[\w/-]+)(?![\w/{?-])/g, "'portico api $1'")
    .replaceAll(/\bunder (?='portico )/g, "with ")
    .replaceAll("`", "'")

const written = Object.fromEntries(failureTable.map(({ code, fix }) => [code, advised(fix)]))

describe("the advice for failures", () => {
  it("is that of the catalogue, with commands in place of routes; a new failure is added with -u", async () => {
    await expect(`${JSON.stringify(written, null, 2)}\n`).toMatchFileSnapshot("../../generated/advice.json")
  })

  it("names the command of a route", () => {
    assert.strictEqual(advice["database_not_found"], "Look the databases up with 'portico databases list'.")
    assert.include(
      advice["database_exists"],
      "Look at it with 'portico databases show <engine> <name>', or choose another name."
    )
  })
})

describe("exit codes", () => {
  /** What a script may rely on, for each status of the contract. */
  const exits: Readonly<Record<number, string>> = {
    400: "refused",
    401: "notSignedIn",
    403: "refused",
    404: "notFound",
    405: "refused",
    406: "refused",
    408: "refused",
    409: "refused",
    413: "refused",
    415: "refused",
    422: "refused",
    429: "refused",
    500: "platform",
    501: "platform",
    502: "platform",
    503: "platform"
  }

  it.each(failureTable.map(({ code, status }) => ({ code, status })))("of $code", ({ code, status }) => {
    assert.isDefined(exits[status], `status ${status}`)
    assert.strictEqual(exitOf(new PorticoError(code, { detail: "", status })), exits[status])
    assert.isNotEmpty(advice[code])
  })

  it.each([
    ["unreachable", 0, "platform"],
    ["unexpected_response", 404, "platform"],
    ["login_failed", 0, "notSignedIn"],
    ["gave_up", 0, "timedOut"],
    ["work_failed", 0, "platform"]
  ] as const)("of the client's own %s", (code, status, exit) => {
    assert.strictEqual(exitOf(new PorticoError(code, { detail: "", status })), exit)
  })
})
