import { assert, describe, it } from "@effect/vitest"
import { freshSecret, headersOf, verify, WebhookError, type WebhookHeaders } from "@portico/client/webhooks"
import { createHash, createHmac } from "node:crypto"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const document = readFileSync(fileURLToPath(new URL("../../../docs/tenants/webhooks.md", import.meta.url)), "utf8")

/** A cell of the published vector. */
const published = (name: string): string => {
  const [, value] = new RegExp(`^\\| ${name} +\\| \`(.*)\` +\\|$`, "m").exec(document) ?? []
  return value ?? assert.fail(`the document has no ${name}`)
}

const secret = published("secret")
const body = published("body")
const id = published("webhook-id")
const timestamp = Number(published("webhook-timestamp"))
const headers = {
  "webhook-id": id,
  "webhook-timestamp": String(timestamp),
  "webhook-signature": published("webhook-signature")
}
const at = (seconds: number) => ({ now: () => (timestamp + seconds) * 1000 })

const refusalOf = async (
  payload: string | Uint8Array,
  given: WebhookHeaders,
  secrets: string | ReadonlyArray<string> = secret,
  seconds = 0
): Promise<unknown> =>
  verify(payload, given, secrets, at(seconds)).then(
    (event) => event.id,
    (error: unknown) => (error instanceof WebhookError ? error.code : error)
  )

const signed = (...secrets: ReadonlyArray<string>) => headersOf({ id, timestamp, body }, secrets)

describe("a delivery", () => {
  it("is verified from text and bytes, with any form of headers: the published vector", async () => {
    assert.deepStrictEqual(await verify(body, headers, secret, at(0)), JSON.parse(body))
    assert.strictEqual(await refusalOf(new TextEncoder().encode(body), new Headers(headers)), id)
    const shouted = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
    assert.strictEqual(await refusalOf(body, shouted), id)
  })

  it("is accepted while one of its signatures matches one of the secrets", async () => {
    const [older, newer] = [freshSecret(), freshSecret()]
    assert.strictEqual(await refusalOf(body, await signed(newer, older), older), id)
    assert.strictEqual(await refusalOf(body, await signed(older), [newer, older]), id)
    assert.strictEqual(await refusalOf(body, await signed(newer, older), [freshSecret()]), "signature_wrong")
    assert.strictEqual(await refusalOf(body, await signed(newer), []), "signature_wrong")
  })

  it("is refused when any signed part differs", async () => {
    assert.strictEqual(await refusalOf(`${body} `, headers), "signature_wrong")
    assert.strictEqual(await refusalOf(body, { ...headers, "webhook-id": "another" }), "signature_wrong")
    assert.strictEqual(
      await refusalOf(body, { ...headers, "webhook-timestamp": `${timestamp + 1}` }),
      "signature_wrong"
    )
    for (const signature of ["v1,AAAA", "v2,x", "v1a,", "garbage", `v1,${"!".repeat(43)}=`]) {
      assert.strictEqual(await refusalOf(body, { ...headers, "webhook-signature": signature }), "signature_wrong")
    }
  })

  it("is refused when its timestamp is out of range", async () => {
    assert.strictEqual(await refusalOf(body, headers, secret, 300), id)
    assert.strictEqual(await refusalOf(body, headers, secret, 301), "too_old_or_new")
    assert.strictEqual(await refusalOf(body, headers, secret, -301), "too_old_or_new")
    assert.strictEqual(await refusalOf(body, { ...headers, "webhook-timestamp": "soon" }), "too_old_or_new")
  })

  it("is refused with a TypeError when a secret is missing", async () => {
    // The HMAC under the SHA-256 of an empty secret, which everybody can make.
    const key = createHash("sha256").update("").digest("hex")
    const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")
    const forged = { ...headers, "webhook-signature": `v1,${signature}` }
    assert.instanceOf(await refusalOf(body, forged, ""), TypeError)
    assert.instanceOf(await refusalOf(body, forged, [secret, ""]), TypeError)
    // As from a variable of the environment that is not set.
    const unset: { readonly secrets: ReadonlyArray<string> } = JSON.parse('{"secrets":[null]}')
    assert.instanceOf(await refusalOf(body, forged, unset.secrets), TypeError)
  })

  it("is refused without its headers, and when it holds no event", async () => {
    for (const name of Object.keys(headers)) {
      const rest = Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name))
      assert.strictEqual(await refusalOf(body, rest), "header_missing")
    }
    const text = await headersOf({ id, timestamp, body: "[]" }, [secret])
    assert.strictEqual(await refusalOf("[]", text), "not_an_event")
  })
})
