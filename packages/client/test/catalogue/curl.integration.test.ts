import { assert, describe, it } from "@effect/vitest"
import type { Call } from "@portico/client/catalogue/Call"
import { asClientCode, asCommand, asCurl } from "@portico/client/catalogue/copyAs"
import { withStandIns } from "@portico/client/catalogue/standIns"
import { base, callOf, queryOf, recorded, recordedBody, recordedPath, recordedQuery } from "./recorded.ts"
import { startedBy, token } from "./shells.ts"

/** The values of an option, in the order in which they were given. */
const valuesOf = (args: ReadonlyArray<string>, option: string): ReadonlyArray<string> =>
  args.flatMap((_, i) => (args[i - 1] === option ? [_] : []))

const requestOf = (call: Call) => {
  const { args, stdin } = startedBy("/bin/sh", asCurl(call))
  const [address = ""] = args
  const data = [...valuesOf(args, "--data-raw"), ...(args.includes("@-") ? [stdin] : [])]
  const pairs = valuesOf(args, "--data-urlencode").map((_): [string, string] => [
    _.slice(0, _.indexOf("=")),
    _.slice(_.indexOf("=") + 1)
  ])
  const body: unknown = pairs.length > 0 ? Object.fromEntries(pairs) : data.map((_): unknown => JSON.parse(_))[0]
  return {
    args,
    url: new URL(address),
    method: args.includes("--head") ? "HEAD" : (valuesOf(args, "--request")[0] ?? "GET"),
    headers: valuesOf(args, "--header"),
    body
  }
}

describe("as curl", () => {
  for (const { call, operation } of recorded) {
    it(`${operation.id} is the recorded request`, () => {
      const { body, headers, method, url } = requestOf(call)
      assert.strictEqual(method, operation.method)
      assert.strictEqual(url.origin, base)
      assert.strictEqual(url.pathname, recordedPath(operation))
      assert.deepStrictEqual(queryOf(url), recordedQuery(operation))
      const shown = withStandIns(operation.body, recordedBody(operation), ({ name }) =>
        operation.takes === "form" ? "a password" : `<${name}>`
      )
      assert.deepStrictEqual(body, shown)
      assert.strictEqual(headers.includes(`authorization: Bearer ${token}`), operation.open !== true)
      assert.strictEqual(
        headers.includes("content-type: application/json"),
        body !== undefined && operation.takes !== "form"
      )
    })
  }

  it("has no secret of the caller, neither in its text nor among its arguments", () => {
    const call = { ...callOf("integrations.create") }
    const input = { ...call.input, url: "https://hooks.example/secret", headers: { authorization: "also secret" } }
    const text = asCurl({ ...call, input })
    assert.notInclude(text, "secret")
    assert.notInclude(startedBy("/bin/sh", text).args.join(), "<url>")
  })

  it("calls a path as it is, with a body in another form", () => {
    const { args, body, headers, method, url } = requestOf({
      base: `${base}/`,
      plane: "customer",
      method: "PATCH",
      path: "/v1/kubernetes/api/v1/ä b?watch=1&x=[1]",
      body: { it: 'it\'s $(touch /tmp/x) `id` "x" \\ \n!' },
      contentType: "application/merge-patch+json"
    })
    assert.strictEqual(method, "PATCH")
    assert.strictEqual(url.href, `${base}/v1/kubernetes/api/v1/%C3%A4%20b?watch=1&x=[1]`)
    assert.deepStrictEqual(body, { it: 'it\'s $(touch /tmp/x) `id` "x" \\ \n!' })
    assert.include(headers, "content-type: application/merge-patch+json")
    assert.include(args, "--globoff")
  })

  const name = "end of paste \u009B201~\u007F\u001B[201~\r rm \u202Etxt.exe\u2066\u200B"
  const created: Call = { base, plane: "customer", method: "POST", path: "/v1/iaas/x", body: { name, [name]: 1 } }

  it("writes nothing that a terminal acts on, or shows in another order", () => {
    const acted = /[^\P{Cc}\n]|[\u200B\u200E\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/u
    for (const text of [asCurl(created), asCommand(created) ?? "", asClientCode(created)]) {
      assert.include(text, "end of paste")
      assert.notMatch(text, acted)
    }
    assert.deepStrictEqual(requestOf(created).body, { name, [name]: 1 })
    const call = callOf("credentials.mint")
    const mint = (label: string) => asCommand({ ...call, input: { ...call.input, label } })
    assert.isUndefined(mint("x\u0003\u001B[201~"))
    assert.include(mint("two\nlines"), "two\nlines")
  })

  it("keeps an identifier one segment of the path", () => {
    const call = callOf("credentials.revoke")
    const { url } = requestOf({ ...call, input: { credential_id: "a/../b?c#d'e\n\ud800" } })
    assert.strictEqual(url.pathname, "/v1/credentials/a%2F..%2Fb%3Fc%23d'e%0A%EF%BF%BD")
    assert.include(requestOf({ ...call, input: { credential_id: ".." } }).args, "--path-as-is")
  })
})
