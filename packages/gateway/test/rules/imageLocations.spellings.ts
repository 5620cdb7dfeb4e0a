import { anId, everybody, type Spelling } from "./Spelling.ts"

const image = `/image/images/${anId}`
const refusal = "image_locations_refused"
const type21 = "application/openstack-images-v2.1-json-patch"
const type20 = "application/openstack-images-v2.0-json-patch"

const patch = (what: string, type: string | undefined, body: unknown, expect: Spelling["expect"]): Spelling => ({
  what,
  who: everybody,
  method: "PATCH",
  path: image,
  headers: type === undefined ? {} : { "content-type": type },
  body,
  expect
})

/** Pointers whose first part Glance takes for `locations`, or might. */
const hidden: ReadonlyArray<string> = [
  "/locations",
  "/locations/-",
  "/locations/0",
  "/locations/0/url",
  "/locations/00",
  "/locations/\u0660",
  "/\u0085locations/-",
  "//locations",
  "///locations/-",
  "/ locations /-",
  "/locations ",
  "/\tlocations",
  "/\u00a0locations\u2003/0",
  "/\u001clocations",
  "/direct_url",
  "// direct_url ",
  // To Glance these are names of properties, but nobody needs them.
  "/Locations",
  "/LOCATIONS/-",
  "/Direct_URL"
]

const shown: ReadonlyArray<string> = [
  "/name",
  "/location",
  "/locations~1-",
  "/\ufefflocations/-",
  "/mylocations",
  "/locations2",
  "/my/locations",
  "/~1locations",
  "/loc~1ations",
  "/tags",
  "/"
]

const url = "http://images.example/x"

const patches: ReadonlyArray<Spelling> = [
  ...hidden.flatMap((path) => [
    ...["add", "replace", "remove", "copy", "move", "test"].map((op) =>
      patch(`${op} ${JSON.stringify(path)}`, type21, [{ op, path, value: [{ url, metadata: {} }] }], refusal)
    ),
    ...["add", "replace", "remove"].map((op) =>
      patch(`${op} ${JSON.stringify(path)}`, type20, [{ [op]: path, value: [{ url, metadata: {} }] }], refusal)
    )
  ]),
  ...shown.flatMap((path) => [
    patch(`of ${JSON.stringify(path)}`, type21, [{ op: "add", path, value: "/locations" }], "allowed"),
    patch(`of ${JSON.stringify(path)}`, type20, [{ add: path, value: "/locations" }], "allowed")
  ]),
  patch(
    "the last of many",
    type21,
    [
      { op: "add", path: "/a", value: "b" },
      { op: "remove", path: "/locations/0" }
    ],
    refusal
  ),
  patch("from", type21, [{ op: "copy", from: "/locations", path: "/x" }], refusal),
  patch("from, to no purpose", type21, [{ op: "add", from: "/locations", path: "/x", value: "y" }], "allowed"),
  // Glance looks for the pointer of the form that the type names, and refuses the other.
  patch("one form in the type of the other", type20, [{ op: "add", path: "/locations/-", value: {} }], "allowed"),
  patch("the other way round", type21, [{ add: "/locations/-", value: {} }], "allowed"),
  patch("both forms", type20, [{ op: "add", path: "/x", add: "/locations/-", value: {} }], refusal),
  patch("both forms, of the other type", type21, [{ op: "add", path: "/locations/-", add: "/x", value: {} }], refusal),
  patch("a parameter behind the type", `${type21}; charset=utf-8`, [{ op: "add", path: "/locations/-" }], refusal),
  patch("a parameter, harmless", `${type21};charset=utf-8`, [{ op: "add", path: "/a", value: "b" }], "allowed"),
  patch("no operations", type21, [], "allowed"),
  // Glance refuses these two.
  patch("no list", type21, { op: "add", path: "/locations/-" }, "allowed"),
  patch("a text among the operations", type21, ["/locations"], "allowed"),
  ...[
    undefined,
    "application/json",
    "application/json-patch+json",
    "application/openstack-images-v2.2-json-patch",
    type21.toUpperCase(),
    `${type21} ; charset=utf-8`,
    `text/plain, ${type21}`
  ].map((type) => patch(`as ${type}`, type, [{ op: "add", path: "/a", value: "b" }], "image_patch_media_type"))
]

type Row = readonly [what: string, method: string, path: string, body: unknown, expect: Spelling["expect"]]

const others: ReadonlyArray<Row> = [
  ["add a location", "POST", `${image}/locations`, { url }, refusal],
  ["trailing slash", "POST", `${image}/locations/`, { url }, refusal],
  ["read", "GET", `${image}/locations`, undefined, refusal],
  ["capitals", "GET", `${image}/Locations`, undefined, refusal],
  ["capitals in front", "POST", `/image/Images/${anId}/LOCATIONS`, { url }, refusal],
  ["create, capitals", "POST", "/image/images", { Locations: [] }, refusal],
  ["PUT", "PUT", `${image}/locations`, { url }, refusal],
  ["DELETE", "DELETE", `${image}/locations`, undefined, refusal],
  ["PATCH", "PATCH", `${image}/locations`, [], refusal],
  ["create", "POST", "/image/images", { name: "x", locations: [{ url, metadata: {} }] }, refusal],
  ["create, none", "POST", "/image/images", { name: "x", locations: [] }, refusal],
  ["create, null", "POST", "/image/images", { locations: null }, refusal],
  ["create, direct_url", "POST", "/image/images", { direct_url: url }, refusal],
  ["create, trailing slash", "POST", "/image/images/", { locations: [] }, refusal],
  ["create without", "POST", "/image/images", { name: "locations", disk_format: "raw" }, "allowed"],
  ["a property of its own", "POST", "/image/images", { properties: { locations: "x" } }, "allowed"],
  ["create, no body", "POST", "/image/images", undefined, "allowed"],
  ["list", "GET", "/image/images", undefined, "allowed"],
  ["one", "GET", image, undefined, "allowed"],
  ["remove", "DELETE", image, undefined, "allowed"]
]

export const imageLocationSpellings: ReadonlyArray<Spelling> = [
  ...patches,
  ...others.map(([what, method, path, body, expect]) => ({
    what,
    who: everybody,
    method,
    path,
    ...(body === undefined ? {} : { body }),
    expect
  }))
]
