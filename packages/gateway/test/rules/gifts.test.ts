import { assert, describe, it } from "@effect/vitest"
import type { CallerKind, PermissionTier } from "@portico/contract/Access"
import { acts } from "@portico/gateway/acts/acts"
import { Effect } from "effect"
import { type By, judge } from "./judge.ts"
import { anId } from "./Spelling.ts"

type Row = readonly [method: string, path: string, body?: unknown]

const globex = "5f0c2c6d8a1b4f0e9d7a3b2c1d0e4f5a"
const read = (more: object) => ({ read: more })
const patch = (op: string, path: string, value: unknown) => [{ op, path, value }]

const giving: ReadonlyArray<Row> = [
  ...["secrets", "containers"].flatMap((_): ReadonlyArray<Row> => {
    const list = `/key-manager/v1/${_}/*/acl`
    return [
      ["PUT", list, read({ users: [globex], "project-access": true })],
      ["PUT", list, read({ users: [globex], "project-access": false })],
      ["PATCH", list, read({ users: [globex] })],
      ["PUT", list, { read: { users: [] }, write: { users: [globex] } }],
      ["PUT", `${list}/index`, read({ users: [globex] })],
      ["PUT", list.replace("acl", "ACL"), read({ users: [globex] })],
      ["PUT", list, read({ users: globex })]
    ]
  }),
  ["POST", "/image/images/*/members", { member: globex }],
  ["POST", "/image/images", { name: "x", visibility: "community" }],
  ["POST", "/image/images", { name: "x", visibility: "public" }],
  ...["community", "public", "shared", "Private", null].flatMap((value): ReadonlyArray<Row> => [
    ["PATCH", "/image/images/*", patch("replace", "/visibility", value)],
    ["PATCH", "/image/images/*", patch("add", "/visibility", value)]
  ]),
  ["PATCH", "/image/images/*", patch("replace", "//visibility", "community")],
  // Python trims more than JavaScript does.
  ...[" ", "\u001c", "\u001d", "\u001e", "\u001f", "\u0085", "\u00a0", "\u2003"].flatMap(
    (blank): ReadonlyArray<Row> => [
      ["PATCH", "/image/images/*", patch("replace", `/${blank}visibility${blank}`, "community")],
      ["PATCH", "/image/images/*", [{ replace: `/${blank}visibility`, value: "community" }]]
    ]
  ),
  ["PATCH", "/image/images/*", patch("replace", "/visibility/0", "community")],
  ["PATCH", "/image/images/*", [{ op: "add", path: "/note", value: "x" }, ...patch("add", "/visibility", "shared")]],
  // The form of the media type openstack-images-v2.0-json-patch.
  ["PATCH", "/image/images/*", [{ replace: "/visibility", value: "community" }]],
  ["POST", "/volume/volumes/*/action", { "os-volume_upload_image": { image_name: "x", visibility: "community" } }],
  ["POST", "/volume/volumes/*/action", { "os-volume_upload_image": { image_name: "x", visibility: "shared" } }],
  ["POST", "/volume/volumes/*/action", { "os-set_image_metadata": { metadata: { visibility: "community" } } }],
  ["POST", "/compute/servers/*/action", { createImage: { name: "x", metadata: { visibility: "community" } } }],
  ["POST", "/compute/os-volumes_boot/*/action", { createImage: { name: "x", metadata: { visibility: "shared" } } }],
  ["PUT", "/compute/images/*/metadata", { meta: { visibility: "community" } }],
  ["POST", "/compute/images/*/metadata", { metadata: { visibility: "public" } }],
  ["POST", "/volume/volume-transfers", { transfer: { volume_id: anId } }],
  ["POST", "/volume/os-volume-transfer", { transfer: { volume_id: anId } }],
  ["POST", "/dns/zones/*/tasks/transfer_requests", { target_project_id: globex }],
  ["PATCH", "/dns/zones/tasks/transfer_requests/*", { target_project_id: globex }]
]

/** What stays with the project, and what takes back. */
/** What gives the keyboard of a server to whoever has its address. */
const consoles: ReadonlyArray<Row> = [
  ["POST", "/compute/servers/*/remote-consoles", { remote_console: { protocol: "vnc", type: "novnc" } }],
  ...["os-getVNCConsole", "os-getSPICEConsole", "os-getRDPConsole", "os-getSerialConsole", "OS-getvncconsole"].map(
    (name): Row => ["POST", "/compute/servers/*/action", { [name]: { type: "novnc" } }]
  )
]

const keeping: ReadonlyArray<Row> = [
  ["GET", "/key-manager/v1/secrets/*/acl"],
  ["PUT", "/key-manager/v1/secrets/*/acl", read({ users: [], "project-access": false })],
  ["PATCH", "/key-manager/v1/secrets/*/acl", read({ "project-access": true })],
  ["DELETE", "/key-manager/v1/secrets/*/acl"],
  ["POST", "/key-manager/v1/secrets", { name: "x", payload: "y", payload_content_type: "text/plain" }],
  ["GET", "/image/images/*/members"],
  // A member answers an offer of another project.
  ["PUT", "/image/images/*/members/*", { status: "accepted" }],
  ["DELETE", "/image/images/*/members/*"],
  ["POST", "/image/images", { name: "x" }],
  ["POST", "/image/images", { name: "x", visibility: "private" }],
  ["POST", "/image/images", { name: "x", visibility: "shared" }],
  ["PATCH", "/image/images/*", patch("replace", "/visibility", "private")],
  ["PATCH", "/image/images/*", patch("replace", "/name", "visibility")],
  ["PATCH", "/image/images/*", patch("add", "/visibility_note", "community")],
  ["POST", "/volume/volumes/*/action", { "os-volume_upload_image": { image_name: "x" } }],
  ["POST", "/volume/volumes/*/action", { "os-volume_upload_image": { image_name: "x", visibility: "private" } }],
  ["POST", "/volume/volumes/*/action", { "os-set_image_metadata": { metadata: { note: "visibility" } } }],
  ["POST", "/compute/servers/*/action", { createImage: { name: "x", metadata: { visibility: "private" } } }],
  ["POST", "/compute/servers/*/action", { createImage: { name: "visibility", metadata: { note: "public" } } }],
  ["POST", "/volume/volume-transfers/*/accept", { accept: { auth_key: "k" } }],
  ["POST", "/compute/servers/*/action", { createImage: { name: "copy" } }],
  ["POST", "/compute/servers/*/action", { "os-getConsoleOutput": {} }],
  ["POST", "/compute/servers/*/action", { reboot: { type: "SOFT" } }]
]

const by = (kind: CallerKind, tier: PermissionTier): By => ({
  who: kind === "member" ? "person" : "machine",
  tier,
  kind
})

/** The media type of a patch of images, in each of its two forms. */
const headersOf = (body: unknown) => {
  const version = JSON.stringify(body)?.includes('"op"') === true ? "v2.1" : "v2.0"
  return {
    "content-type": Array.isArray(body) ? `application/openstack-images-${version}-json-patch` : "application/json"
  }
}

const outcomes = Effect.fnUntraced(function* (rows: ReadonlyArray<Row>, who: By) {
  const found: Record<string, ReadonlyArray<string>> = {}
  for (const [method, path, body] of rows) {
    const code = yield* judge({ method, path: path.replaceAll("*", anId), body, headers: headersOf(body) }, who)
    found[code] = [...(found[code] ?? []), `${method} ${path} ${JSON.stringify(body)}`]
  }
  return found
})

describe("giving a resource to another project", () => {
  it.effect("is refused to an agent at any tier", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(Object.keys(yield* outcomes(giving, by("mcp", 2))), ["agent_gives_nothing"])
      const { agent_gives_nothing, tier_too_low, ...others } = yield* outcomes(giving, by("mcp", 1))
      assert.deepStrictEqual(others, {})
      // At tier 1 nobody offers a volume or a zone.
      assert.strictEqual(tier_too_low?.length, 4)
      assert.strictEqual(agent_gives_nothing?.length, giving.length - 4)
      assert.deepStrictEqual(Object.keys(yield* outcomes(consoles, by("mcp", 2))), ["agent_gives_nothing"])
    })
  )

  it.effect("is allowed for people, and for keys other than agents'", () =>
    Effect.gen(function* () {
      for (const kind of ["member", "api-key", "workload"] as const) {
        assert.deepStrictEqual(Object.keys(yield* outcomes([...giving, ...consoles], by(kind, 2))), ["allowed"])
      }
    })
  )

  it.effect("does not include an agent's acts that keep or take back resources", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(Object.keys(yield* outcomes(keeping, by("mcp", 2))), ["allowed"])
    })
  )

  it("is in the table for exactly these paths", () => {
    const rows = new Set(
      [...giving, ...consoles].map(
        ([method, path]) =>
          `${method} ${path
            .slice(1)
            .replace(/\/index$/, "")
            .toLowerCase()}`
      )
    )
    const written = acts
      .filter((_) => _.gives === true)
      .flatMap((act) => act.methods.map((_) => `${_} ${act.service}/${act.path.replace("/**", "")}`))
    for (const row of rows) assert.include(written, row)
    // Some services take more methods for the same.
    for (const act of written)
      assert.isTrue(
        [act, act.replace(/^P\w+/, "PUT")].some((_) => rows.has(_) || rows.has(_.replace("PUT", "PATCH"))),
        act
      )
  })
})
