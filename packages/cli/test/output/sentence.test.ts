import { assert, describe, it } from "@effect/vitest"
import { sentence } from "../../src/output/sentence.ts"

describe("a sentence", () => {
  it.each([
    ["There is no zone", "There is no zone."],
    ["Is it there?", "Is it there?"],
    ["Try: aws --profile portico s3 ls", "Try: aws --profile portico s3 ls"],
    ["Look: portico databases show postgres orders", "Look: portico databases show postgres orders"],
    ["Run: portico dns import acme.example. acme.zone", "Run: portico dns import acme.example. acme.zone"],
    [
      "Log in with 'portico login <address>', or set PORTICO_URL",
      "Log in with 'portico login <address>', or set PORTICO_URL."
    ],
    [
      "Try: docker pull host/name. 'docker login' is not needed",
      "Try: docker pull host/name. 'docker login' is not needed."
    ]
  ])("%j ends with a full stop unless it ends with a command", (text, expected) => {
    assert.strictEqual(sentence(text), expected)
  })
})
