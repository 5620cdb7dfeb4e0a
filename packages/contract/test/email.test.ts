import { assert, describe, it } from "@effect/vitest"
import { EmailAddress, tidied } from "@portico/contract/EmailAddress"
import { Schema } from "effect"

const is = Schema.is(EmailAddress)

describe("an e-mail address", () => {
  for (const fine of [
    "ann@acme.example",
    "ANN@ACME.EXAMPLE",
    "ann.lee+signup@mail.acme.example",
    "o'hara@acme.example",
    "a@b.co",
    "ann@xn--mnchen-3ya.example",
    "ann@1.example",
    "  ann@acme.example\r\n",
    `${"a".repeat(64)}@acme.example`
  ]) {
    it(`is ${JSON.stringify(fine.slice(0, 40))}`, () => assert.isTrue(is(fine)))
  }

  for (const wrong of [
    "",
    " ",
    "ann",
    "@acme.example",
    "ann@",
    "ann@acme",
    "ann@localhost",
    "ann@192.0.2.1",
    "ann@[192.0.2.1]",
    "ann@acme..example",
    "ann@.acme.example",
    "ann@acme.example.",
    "ann@-acme.example",
    "ann@acme-.example",
    "ann@acme.e",
    "ann@münchen.example",
    ".ann@acme.example",
    "ann.@acme.example",
    "an..n@acme.example",
    "ann lee@acme.example",
    '"ann lee"@acme.example',
    "ann@acme.example, bob@acme.example",
    "ann@acme.example;bob@acme.example",
    "Ann <ann@acme.example>",
    "<ann@acme.example>",
    "ann@bob@acme.example",
    "ann@acme.example\r\nBcc: bob@acme.example",
    "ann\r\n@acme.example",
    "ann\0@acme.example",
    "ann\u00a0lee@acme.example",
    "änn@acme.example",
    "ann%0a@acme.example\n.x",
    `${"a".repeat(65)}@acme.example`,
    `ann@${"a".repeat(64)}.example`,
    `ann@${"acme.".repeat(38)}example`,
    `${"a".repeat(60_000)}@acme.example`,
    `ann@${"a-".repeat(30_000)}`,
    `${"a.".repeat(30_000)}@`
  ]) {
    it(`is not ${JSON.stringify(wrong.slice(0, 40))}`, () => assert.isFalse(is(wrong)))
  }

  it("is kept without the space around it, and with its domain in lower case", () => {
    assert.strictEqual(tidied("\t Ann.Lee@ACME.Example\r\n"), "Ann.Lee@acme.example")
  })
})
