import { assert, describe, it } from "@effect/vitest"
import { publicImageId } from "@portico/simulator/glance/state"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ask, tenantToken } from "./ask.ts"

/** The action, the microversion, its value, and what a real Nova of release 26 says of the field. */
const recorded: ReadonlyArray<readonly [action: string, minor: number, value: unknown, misfit: string]> = [
  ["reboot", 1, null, "reboot. Value: None. None is not of type 'object'"],
  ["reboot", 1, {}, "reboot. Value: {}. 'type' is a required property"],
  [
    "reboot",
    1,
    { type: "MEDIUM" },
    "type. Value: MEDIUM. 'MEDIUM' is not one of ['HARD', 'Hard', 'hard', 'SOFT', 'Soft', 'soft']"
  ],
  [
    "reboot",
    1,
    { type: "HARD", x: 1 },
    "reboot. Value: {'type': 'HARD', 'x': 1}. Additional properties are not allowed ('x' was unexpected)"
  ],
  ["rescue", 1, "x", "rescue. Value: x. 'x' is not of type 'object', 'null'"],
  ["rescue", 1, { rescue_image_ref: "x" }, "rescue_image_ref. Value: x. 'x' is not a 'uuid'"],
  ["rescue", 1, { adminPass: 1 }, "adminPass. Value: 1. 1 is not of type 'string'"],
  ["lock", 73, "x", "lock. Value: x. 'x' is not of type 'object', 'null'"],
  ["lock", 73, { locked_reason: "" }, "locked_reason. Value: . '' is too short"],
  ["changePassword", 1, null, "changePassword. Value: None. None is not of type 'object'"],
  ["changePassword", 1, {}, "changePassword. Value: {}. 'adminPass' is a required property"],
  ["changePassword", 1, { adminPass: 1 }, "adminPass. Value: 1. 1 is not of type 'string'"],
  ["os-getConsoleOutput", 1, { length: "x" }, "length. Value: x. 'x' does not match '^-?[0-9]+$'"],
  ["os-getConsoleOutput", 1, { length: -2 }, "length. Value: -2. -2 is less than the minimum of -1"],
  ["os-getConsoleOutput", 1, null, "os-getConsoleOutput. Value: None. None is not of type 'object'"],
  [
    "os-getConsoleOutput",
    1,
    { x: 1 },
    "os-getConsoleOutput. Value: {'x': 1}. Additional properties are not allowed ('x' was unexpected)"
  ],
  ["os-getVNCConsole", 1, { type: "foo" }, "type. Value: foo. 'foo' is not one of ['novnc', 'xvpvnc']"],
  ["os-getVNCConsole", 1, {}, "os-getVNCConsole. Value: {}. 'type' is a required property"],
  ["os-getSPICEConsole", 1, { type: "novnc" }, "type. Value: novnc. 'novnc' is not one of ['spice-html5']"],
  ["addFloatingIp", 1, { address: "x" }, "address. Value: x. 'x' is not valid under any of the given schemas"],
  ["addFloatingIp", 1, {}, "addFloatingIp. Value: {}. 'address' is a required property"],
  ["removeFloatingIp", 1, {}, "removeFloatingIp. Value: {}. 'address' is a required property"],
  ["addFixedIp", 1, {}, "addFixedIp. Value: {}. 'networkId' is a required property"],
  ["addFixedIp", 1, { networkId: "" }, "networkId. Value: . '' is too short"],
  ["removeFixedIp", 1, { address: "x" }, "address. Value: x. 'x' is not valid under any of the given schemas"],
  ["removeFixedIp", 1, {}, "removeFixedIp. Value: {}. 'address' is a required property"],
  [
    "createBackup",
    1,
    { name: "b", backup_type: "daily" },
    "createBackup. Value: {'name': 'b', 'backup_type': 'daily'}. 'rotation' is a required property"
  ],
  [
    "createBackup",
    1,
    { name: "b", backup_type: "daily", rotation: -1 },
    "rotation. Value: -1. -1 is less than the minimum of 0"
  ],
  ["createBackup", 1, { name: "", backup_type: "d", rotation: 1 }, "name. Value: . '' is too short"],
  [
    "createBackup",
    1,
    { name: "b", backup_type: "daily", rotation: "x" },
    "rotation. Value: x. 'x' does not match '^[0-9]*$'"
  ],
  ["unshelve", 77, {}, "unshelve. Value: {}. 'availability_zone' is a required property"],
  ["unshelve", 77, { availability_zone: "" }, "availability_zone. Value: . '' is too short"],
  ["unshelve", 91, { x: 1 }, "unshelve. Value: {'x': 1}. {'x': 1} is not valid under any of the given schemas"],
  ["unshelve", 91, "x", "unshelve. Value: x. 'x' is not valid under any of the given schemas"],
  ["trigger_crash_dump", 17, { x: 1 }, "trigger_crash_dump. Value: {'x': 1}. {'x': 1} is not of type 'null'"],
  ["resize", 1, {}, "resize. Value: {}. 'flavorRef' is a required property"],
  ["createImage", 1, {}, "createImage. Value: {}. 'name' is a required property"],
  ["createImage", 1, { name: "" }, "name. Value: . '' is too short"],
  ["createImage", 1, { name: "i", metadata: { a: 1 } }, "a. Value: 1. 1 is not of type 'string'"],
  ["rebuild", 1, {}, "rebuild. Value: {}. 'imageRef' is a required property"],
  ["rebuild", 1, { imageRef: "x" }, "imageRef. Value: x. 'x' is not a 'uuid'"]
]

/** What it takes without looking at the value. */
const taken: ReadonlyArray<readonly [action: string, minor: number, value: unknown]> = [
  ["lock", 1, "anything"],
  ["lock", 73, { locked_reason: "maintenance" }],
  ["unlock", 1, null],
  ["pause", 1, { x: 1 }]
]

describe("the body of a server's action, judged as Nova judges it", () => {
  it.effect("each value that does not fit its schema is a 400 that names the field", () =>
    Effect.gen(function* () {
      const { act } = yield* server
      for (const [action, minor, value, misfit] of recorded) {
        const { json, status } = yield* act(action, minor, value)
        const said = [status, json.badRequest?.message]
        assert.deepStrictEqual(said, [400, `Invalid input for field/attribute ${misfit}`], `${action} 2.${minor}`)
      }
      for (const [action, minor, value] of taken) {
        assert.strictEqual((yield* act(action, minor, value)).status, 202, action)
      }
    }).pipe(Effect.provide(SimulatedCloud.layerMemory))
  )
})

const server = Effect.gen(function* () {
  const { token } = yield* tenantToken("acme")
  const headers = { "openstack-api-version": "compute 2.37" }
  const json = { server: { name: "web", flavorRef: "2", imageRef: publicImageId, networks: "none" } }
  const made = yield* ask("POST", "/compute/v2.1/servers", { token, json, headers })
  assert.strictEqual(made.status, 202, made.body)
  yield* TestClock.adjust("1 minute")
  const path = `/compute/v2.1/servers/${made.json.server.id}/action`
  const act = (action: string, minor: number, value: unknown) =>
    ask("POST", path, { token, json: { [action]: value }, headers: { "openstack-api-version": `compute 2.${minor}` } })
  return { act }
})
