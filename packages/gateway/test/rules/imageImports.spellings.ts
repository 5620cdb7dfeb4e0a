import { anId, everybody, type Spelling, tenants } from "./Spelling.ts"

const path = `/image/images/${anId}/import`
const refusal = "image_import_refused"
const uri = "http://169.254.169.254/latest/meta-data"

const method = (what: string, given: unknown, expect: Spelling["expect"], who = tenants): Spelling => ({
  what,
  who,
  method: "POST",
  path,
  body: { method: given },
  expect
})

/** Ways to import an image, of which some make Glance fetch an address. */
export const imageImportSpellings: ReadonlyArray<Spelling> = [
  method("web-download", { name: "web-download", uri }, refusal),
  // Where its name leads is looked up again by Glance, so that a good one is refused as well.
  method("web-download of the internet", { name: "web-download", uri: "https://images.example.org/x" }, refusal),
  method("glance-download", { name: "glance-download", glance_region: "RegionOne", glance_image_id: anId }, refusal),
  method("a way that is not known", { name: "torrent", uri }, refusal),
  method("capitals", { name: "Web-Download", uri }, refusal),
  method("blanks", { name: "glance-direct ", uri }, refusal),
  method("a list", { name: ["web-download"], uri }, refusal),
  method("null", { name: null, uri }, refusal),
  { ...method("capitals in the path", { name: "web-download", uri }, refusal), path: `/image/Images/${anId}/IMPORT` },
  { ...method("a slash at the end", { name: "web-download", uri }, refusal), path: `${path}/` },
  method("staged data", { name: "glance-direct" }, "allowed", everybody),
  method("another store", { name: "copy-image" }, "allowed", everybody),
  method("an address that is not meant", { name: "glance-direct", uri }, "allowed"),
  method("no name", { uri }, "allowed"),
  method("no object", "web-download", "allowed"),
  { ...method("no method", undefined, "allowed"), body: { import_from: uri } },
  { ...method("no body", undefined, "allowed"), body: undefined },
  method("web-download", { name: "web-download", uri: "https://images.example.org/x" }, "allowed", ["operator"])
]
