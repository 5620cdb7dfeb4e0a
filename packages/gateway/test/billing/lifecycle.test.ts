import { Caller } from "@portico/contract/Access"
import { LifecycleData, LifecycleKind } from "@portico/contract/Events"
import { administrator, callerOf } from "@portico/testing/tenants/caller"
import { concernsBilling, lifecycleChanges, lifecycleOf } from "@portico/gateway/proxy/lifecycle"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { repository } from "../processes/children.ts"
import { act, actOnVolume, address, bodies, callOf, created, type Door, doors, id, project, server } from "./doors.ts"

const expected = ({ detail = {}, kind, projectId, resource = id, type = kind.split(".")[0] }: Door) => [
  { kind, resource_type: type, resource_id: resource, detail, project_id: projectId ?? null }
]

const nameOf = ({ call, kind, request }: Door) => `${call} ${JSON.stringify(request) ?? ""} is ${kind}`

describe("a call with a billing event", () => {
  for (const door of doors) {
    it(nameOf(door), () => {
      assert.deepStrictEqual<unknown>(lifecycleOf(callOf(door.call), { status: 202, ...bodies(door) }), expected(door))
    })
  }

  it("exists for every kind", () => {
    assert.deepStrictEqual(new Set(doors.map((_) => _.kind)), new Set(LifecycleKind.literals))
  })

  it("reads what it needs, and no more", () => {
    for (const door of doors) {
      const call = callOf(door.call)
      const reads = concernsBilling(call)
      assert.isDefined(reads, nameOf(door))
      const read = {
        status: 200,
        ...(reads?.request === true ? { requestJson: door.request } : {}),
        ...(reads?.answer === true ? { answerJson: door.answer } : {})
      }
      assert.deepStrictEqual<unknown>(lifecycleOf(call, read), expected(door), nameOf(door))
    }
    const readings = Object.fromEntries(doors.map(({ call }) => [call, concernsBilling(callOf(call))]))
    assert.deepInclude(readings, {
      "DELETE compute servers/*": { request: false, answer: false },
      [act]: { request: true, answer: false },
      "POST volume volumes": { request: false, answer: true },
      "POST compute servers": { request: true, answer: true }
    })
  })

  it("has no event unless the platform answered 2xx", () => {
    for (const door of doors) {
      for (const status of [100, 199, 300, 304, 400, 401, 403, 404, 409, 413, 429, 500, 502, 503]) {
        assert.deepStrictEqual(lifecycleOf(callOf(door.call), { status, ...bodies(door) }), [], `${status}`)
      }
      for (const status of [200, 201, 202, 204, 299]) {
        assert.lengthOf(lifecycleOf(callOf(door.call), { status, ...bodies(door) }), 1, `${status} ${nameOf(door)}`)
      }
    }
  })

  it("is the same with a final slash or .json, and with the id in capitals", () => {
    for (const door of doors) {
      for (const ending of ["/", ".json"]) {
        const call = callOf(door.call + ending)
        assert.deepStrictEqual<unknown>(lifecycleOf(call, { status: 202, ...bodies(door) }), expected(door), ending)
        assert.isDefined(concernsBilling(call))
      }
      const loud = callOf(door.call, id.toUpperCase())
      assert.deepStrictEqual<unknown>(lifecycleOf(loud, { status: 202, ...bodies(door) }), expected(door))
    }
  })

  it("is the same in the network service's other spellings", () => {
    const network = doors.filter((_) => callOf(_.call).service === "network")
    assert.isAbove(network.length, 1)
    for (const door of network) {
      const { method, segments, service } = callOf(door.call)
      for (const spelled of [
        [...segments, "index"],
        ["qos", ...segments],
        ["qos", ...segments, "index", ""]
      ]) {
        const call = { method, service, segments: spelled }
        assert.deepStrictEqual<unknown>(lifecycleOf(call, { status: 201, ...bodies(door) }), expected(door))
        assert.isDefined(concernsBilling(call))
      }
    }
  })

  it("is bound to its method, service and path", () => {
    for (const { call } of doors) {
      const { method, segments, service } = callOf(call)
      const others = [
        ...["GET", "HEAD", "PUT", "PATCH", "OPTIONS", "post"].map((_) => ({ method: _, service, segments })),
        ...["identity", "image", "dns", "key-manager", "Compute"].map((_) => ({ method, service: _, segments })),
        { method, service, segments: [...segments, "more"] },
        { method, service, segments: ["v2", "x", ...segments] },
        { method, service, segments: segments.map((_) => _.toUpperCase()) },
        { method: method === "POST" ? "DELETE" : "POST", service, segments }
      ]
      for (const other of others) {
        assert.isUndefined(concernsBilling(other), JSON.stringify(other))
        assert.deepStrictEqual(lifecycleOf(other, { status: 200, requestJson: {}, answerJson: {} }), [])
      }
    }
  })
})

describe("calls without a billing event", () => {
  const calls = [
    "GET compute servers/detail",
    "PUT compute servers/*",
    "POST compute servers/*/os-volume_attachments",
    `DELETE compute servers/*/os-volume_attachments/${id}`,
    "POST compute os-keypairs",
    "DELETE compute os-keypairs/*",
    "POST compute servers/*/metadata",
    "POST volume snapshots",
    "DELETE volume snapshots/*",
    "POST volume backups",
    "POST volume volume-transfers",
    "POST volume volumes/*/metadata",
    "POST image images",
    "DELETE image images/*",
    "PUT network floatingips/*",
    "POST network networks",
    "DELETE network ports/*",
    "POST load-balancer lbaas/listeners",
    "DELETE load-balancer lbaas/pools/*",
    "DELETE load-balancer loadbalancers/*",
    "POST compute",
    "DELETE compute "
  ]
  for (const call of calls) {
    it(call, () => {
      assert.isUndefined(concernsBilling(callOf(call)))
      const answered = {
        status: 200,
        requestJson: { "os-start": null },
        answerJson: { volume: { id }, server: { id } }
      }
      assert.deepStrictEqual(lifecycleOf(callOf(call), answered), [])
    })
  }

  const actions = ["rebuild", "lock", "unlock", "createImage", "createBackup", "changePassword", "os-getConsoleOutput"]
  for (const key of [...actions, "os-resetState", "migrate", "os-extend", "constructor", "__proto__", ""]) {
    it(`the server action '${key}'`, () => {
      const requestJson: unknown = JSON.parse(`{${JSON.stringify(key)}: null}`)
      assert.deepStrictEqual(lifecycleOf(callOf(act), { status: 202, requestJson }), [])
    })
  }

  it("a backup that is restored into an existing volume", () => {
    const answered = {
      status: 202,
      requestJson: { restore: { volume_id: id } },
      answerJson: { restore: { volume_id: id } }
    }
    assert.deepStrictEqual(lifecycleOf(callOf("POST volume backups/*/restore"), answered), [])
  })
})

describe("a list of floating IPs", () => {
  const call = callOf("POST network floatingips")

  it("is one event per address, in order", () => {
    const answerJson = { floatingips: [address, { ...address, id: "second" }, { no: "id" }] }
    assert.deepStrictEqual(
      lifecycleOf(call, { status: 201, answerJson }).map((_) => [_.kind, _.resource_id]),
      [
        ["floating_ip.create", id],
        ["floating_ip.create", "second"]
      ]
    )
  })
})

describe("bodies of any shape", () => {
  const odd = [undefined, null, 0, "", "text", true, [], {}, [{ server: { id } }], { server: null }, { volume: [] }]
  const oddIds = [undefined, null, 7, "", {}, [id], "x".repeat(300)]

  it("have no effect when they lack the fields", () => {
    for (const { call } of doors.filter((_) => concernsBilling(callOf(_.call))?.answer === true)) {
      for (const answerJson of odd) {
        assert.deepStrictEqual(
          lifecycleOf(callOf(call), { status: 202, requestJson: answerJson, answerJson }),
          [],
          call
        )
      }
      for (const name of ["server", "volume", "floatingip", "floating_ip", "loadbalancer", "transfer", "restore"]) {
        for (const wrong of oddIds) {
          const answerJson = { [name]: { id: wrong, volume_id: wrong } }
          assert.deepStrictEqual(lifecycleOf(callOf(call), { status: 202, answerJson }), [], call)
        }
      }
    }
    for (const requestJson of [...odd, { "os-start": null, "os-stop": null }]) {
      assert.deepStrictEqual(lifecycleOf(callOf(act), { status: 202, requestJson }), [])
      assert.deepStrictEqual(lifecycleOf(callOf(actOnVolume), { status: 202, requestJson }), [])
    }
  })

  it("lose a detail, never the event, when only the detail is malformed", () => {
    for (const wrong of odd) {
      const details = [
        [act, { requestJson: { resize: { flavorRef: wrong } } }],
        [act, { requestJson: { reboot: wrong } }],
        [actOnVolume, { requestJson: { "os-extend": { new_size: wrong } } }],
        [actOnVolume, { requestJson: { "os-retype": wrong } }],
        ["POST volume volumes", { answerJson: { volume: { id, size: wrong, volume_type: wrong } } }],
        [
          "POST compute servers",
          { requestJson: { server: { flavorRef: wrong, min_count: wrong } }, answerJson: { server } }
        ]
      ] as const
      for (const [call, read] of details) assert.lengthOf(lifecycleOf(callOf(call), { status: 202, ...read }), 1, call)
    }
  })

  it("make events that match their schema, with any content", () => {
    const check = Schema.is(LifecycleData)
    fc.assert(
      fc.property(fc.constantFrom(...doors), fc.jsonValue(), fc.jsonValue(), (door, some, other) => {
        const mixed = Object.fromEntries(Object.keys(Object(door.answer)).map((_) => [_, { id, size: some }]))
        for (const answerJson of [some, other, mixed, door.answer]) {
          for (const requestJson of [some, other, door.request]) {
            const call = callOf(door.call)
            for (const { data } of lifecycleChanges(call, { status: 200, requestJson, answerJson }, tenant, "r")) {
              assert.isTrue(check(data), JSON.stringify(data))
            }
          }
        }
      })
    )
  })
})

const tenant = new Caller({ ...callerOf("project-1"), tier: 1, credentialId: "cred-1", credentialLabel: "ci" })

describe("the recorded change", () => {
  const call = callOf("POST volume volumes")
  const answered = { status: 202, answerJson: { volume: created } }

  it("belongs to the caller's project, despite the answer's", () => {
    assert.deepStrictEqual(lifecycleChanges(call, answered, tenant, "request-1"), [
      {
        kind: "volume.create",
        projectId: "project-1",
        data: {
          resource_type: "volume",
          resource_id: id,
          detail: { size_gb: 10, volume_type: "ssd" },
          user_id: tenant.userId,
          credential_id: "cred-1",
          request_id: "request-1"
        }
      }
    ])
  })

  it("of an administrator belongs to the answer's project, or to an unknown one", () => {
    const projects = (call: string, answerJson: unknown) =>
      lifecycleChanges(callOf(call), { status: 202, answerJson }, administrator, "r").map((_) => _.projectId)
    assert.deepStrictEqual(projects("POST volume volumes", { volume: created }), [project])
    assert.deepStrictEqual(projects("POST network floatingips", { floatingip: address }), [project])
    assert.deepStrictEqual(projects("DELETE compute servers/*", undefined), [null])
  })

  it("has only the intended fields of bodies", () => {
    for (const door of doors) {
      const changes = lifecycleChanges(callOf(door.call), { status: 202, ...bodies(door) }, tenant, "r")
      assert.notInclude(JSON.stringify(changes), "secret", nameOf(door))
    }
  })
})

describe("docs/tenants/events.md", () => {
  const [, text = ""] =
    /^## Kinds$(.*?)^## /ms.exec(readFileSync(join(repository, "docs/tenants/events.md"), "utf8")) ?? []
  const rows = new Map(
    [...text.matchAll(/^\| `(\w+\.\w+)` +\| (.*) \|$/gm)].map(([, kind = "", calls = ""]) => [kind, calls])
  )

  it("lists every kind with its calls", () => {
    assert.deepStrictEqual(new Set(rows.keys()), new Set(LifecycleKind.literals))
    for (const { call, kind, request } of doors) {
      const [method = "", , path = ""] = call.split(" ")
      const spelled = path.endsWith("/action")
        ? `\`${Object.keys(Object(request))[0]}\``
        : `\`${method} ${path.replace("*", "{id}")}\``
      assert.include(rows.get(kind), spelled, kind)
    }
  })
})
