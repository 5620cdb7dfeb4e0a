import { assert, describe, it } from "@effect/vitest"
import { freshSecret, headersOf } from "@portico/contract/webhookDelivery"
import { Clock, Effect } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import { createHash, createHmac } from "node:crypto"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Webhook } from "standardwebhooks"

const document = readFileSync(fileURLToPath(new URL("../../../../docs/tenants/webhooks.md", import.meta.url)), "utf8")

/** A cell of the published vector. */
const published = (name: string): string => {
  const [, value] = new RegExp(`^\\| ${name} +\\| \`(.*)\` +\\|$`, "m").exec(document) ?? []
  return value ?? assert.fail(`the document has no ${name}`)
}

const code = (language: string): string => {
  const [, text] = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(document) ?? []
  return text ?? assert.fail(`the document has no code in ${language}`)
}

const secret = published("secret")
const body = published("body")
const id = published("webhook-id")
const timestamp = Number(published("webhook-timestamp"))
const signature = published("webhook-signature")
const headers = { "webhook-id": id, "webhook-timestamp": String(timestamp), "webhook-signature": signature }

describe("the published vector", () => {
  it("is the sent signature", async () => {
    assert.strictEqual(createHash("sha256").update(secret).digest("hex"), published("key"))
    assert.deepStrictEqual(await headersOf({ id, timestamp, body }, [secret]), {
      "content-type": "application/json",
      "user-agent": "Portico-Webhooks",
      ...headers
    })
    assert.include(document, `webhook-signature: ${signature}`)
  })

  it("is accepted by a Standard Webhooks library with the shown secret", async () => {
    const [ours, both, another] = [await of(secret), await of(freshSecret(), secret), await of(freshSecret())]
    const library = new Webhook(secret)
    assert.deepInclude(library.verify(body, ours), { id })
    assert.deepInclude(library.verify(body, both), { id }, "one of those that fit is enough")
    assert.throws(() => library.verify(body, another))
    assert.throws(() => library.verify(`${body} `, ours))
  })

  it("is accepted by such a library with the derived key", async () => {
    const [ours, both, another] = [await of(secret), await of(freshSecret(), secret), await of(freshSecret())]
    const library = new Webhook(`whsec_${Buffer.from(published("key"), "ascii").toString("base64")}`)
    assert.deepInclude(library.verify(body, ours), { id })
    assert.deepInclude(library.verify(body, both), { id })
    assert.throws(() => library.verify(body, another))
  })
})

// The library looks at the clock, and the vector is of another day.
const now = Math.floor(Effect.runSync(Clock.currentTimeMillis) / 1000)
const of = (...secrets: ReadonlyArray<string>) => headersOf({ id, timestamp: now, body }, secrets)

/** The signature of the vector by a key, written out. */
const signatureBy = (key: string | Buffer) =>
  `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`

const derived = (_: string) => signatureBy(createHash("sha256").update(_).digest("hex"))
const library = (_: string) => signatureBy(Buffer.from(_.slice("whsec_".length), "base64"))

describe("the signatures of a delivery", () => {
  const signatures = async (...secrets: ReadonlyArray<string>) =>
    (await headersOf({ id, timestamp, body }, secrets))["webhook-signature"].split(" ")

  it("use the derived key first, newest secret first, then the libraries' keys", async () => {
    const next = freshSecret()
    assert.deepStrictEqual(await signatures(secret), [derived(secret), library(secret)])
    assert.deepStrictEqual(await signatures(next, secret), [
      derived(next),
      derived(secret),
      library(next),
      library(secret)
    ])
  })

  it("use the derived key alone when no library accepts the secret", async () => {
    for (const own of ["own", "whsec_own", "whsec_", "whsec_not base64", "xwhsec_AAAA"]) {
      assert.deepStrictEqual(await signatures(own), [derived(own)], own)
    }
  })
})

/** Each with what is to be said of it. */
const cases = [
  { name: "the vector", headers, body, secret, now: timestamp + 300, expected: true },
  {
    name: "two signatures",
    headers: { ...headers, "webhook-signature": `v1,AAAA ${signature}` },
    body,
    secret,
    now: timestamp,
    expected: true
  },
  { name: "another body", headers, body: `${body} `, secret, now: timestamp, expected: false },
  { name: "another id", headers: { ...headers, "webhook-id": "x" }, body, secret, now: timestamp, expected: false },
  { name: "another secret", headers, body, secret: `${secret}x`, now: timestamp, expected: false },
  {
    name: "another version",
    headers: { ...headers, "webhook-signature": signature.replace("v1,", "v2,") },
    body,
    secret,
    now: timestamp,
    expected: false
  },
  { name: "too old", headers, body, secret, now: timestamp + 301, expected: false },
  { name: "from the future", headers, body, secret, now: timestamp - 301, expected: false }
]

const expected = cases.map((_) => _.expected)

describe("the code in the document", () => {
  it("accepts valid deliveries alone in Node.js", () => {
    const program = `${code("js")}
      const cases = ${JSON.stringify(cases)}
      console.log(JSON.stringify(cases.map((_) => verify(_.secret, _.headers, Buffer.from(_.body), _.now))))`
    const said = execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" })
    assert.deepStrictEqual(JSON.parse(said), expected)
  })

  const python = spawnSync("python3", ["--version"]).status === 0
  it.skipIf(!python)(`accepts valid deliveries alone in Python${python ? "" : ": SKIPPED, python3 is missing"}`, () => {
    const program = `${code("python")}
import json, sys
cases = json.load(sys.stdin)
print(json.dumps([verify(_["secret"], _["headers"], _["body"].encode(), _["now"]) for _ in cases]))`
    const said = execFileSync("python3", ["-c", program], { input: JSON.stringify(cases), encoding: "utf8" })
    assert.deepStrictEqual(JSON.parse(said), expected)
  })
})
