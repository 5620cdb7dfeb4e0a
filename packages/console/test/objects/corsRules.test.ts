import { assert, test } from "vitest"
import { allowsUploads, type CorsRule, withUploads } from "../../src/objects/corsRules.ts"
import { crumbsOf, folderOf, lastPiece } from "../../src/objects/places.ts"

const origin = "https://console.example"

const rule: CorsRule = {
  allowed_origins: [origin],
  allowed_methods: ["PUT"],
  allowed_headers: ["*"],
  expose_headers: [],
  max_age_seconds: null
}

test("one rule has to allow the origin, the method and every header of an upload", () => {
  assert.isTrue(allowsUploads([rule], origin))
  assert.isTrue(allowsUploads([{ ...rule, allowed_origins: ["https://*.example"] }], origin))
  assert.isFalse(allowsUploads([{ ...rule, allowed_origins: ["https://*.example.org"] }], origin))
  assert.isFalse(allowsUploads([{ ...rule, allowed_headers: ["Content-Type"] }], origin))
  assert.isFalse(allowsUploads([{ ...rule, allowed_methods: ["GET"] }], origin))
  assert.isFalse(allowsUploads([], origin))
})

test("the added rule allows uploads, and the others stay", () => {
  const other = { ...rule, allowed_origins: ["https://other.example"] }
  const rules = withUploads([other], origin)
  assert.isTrue(allowsUploads(rules, origin))
  assert.deepStrictEqual(rules[0], other)
})

test("folders are what stands before slashes", () => {
  assert.deepStrictEqual(
    crumbsOf("a/b/c").map((_) => _.prefix),
    ["a/", "a/b/"]
  )
  assert.strictEqual(folderOf("a/b.txt"), "a/")
  assert.strictEqual(folderOf("a/b/"), "a/")
  assert.strictEqual(folderOf("b.txt"), "")
  assert.strictEqual(lastPiece("a/b/"), "b/")
})
