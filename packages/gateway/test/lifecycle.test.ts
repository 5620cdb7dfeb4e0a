import { Caller, CallerTenant } from "@portico/contract/Access"
import { LifecycleData, LifecycleKind } from "@portico/contract/Events"
import { concernsBilling, lifecycleChanges, lifecycleOf } from "@portico/gateway/proxy/lifecycle"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { repository } from "./processes/children.ts"

const id = "8c2f6b0e-8f5d-4f0b-9a39-2f1f0a6a7c55"
const project = "1b7e0c9a5d7b4b0f9e0d4a1c2b3f4e5d"

/** `METHOD service path`, `*` for the id; the JSON of request and answer; the kind, the type where the kind does not begin with it, and the detail. */
interface Door {
  readonly call: string
  readonly request?: unknown
  readonly answer?: unknown
  readonly kind: LifecycleKind
  readonly detail?: object
  readonly projectId?: string
  readonly type?: string
  readonly resource?: string
}

const server = { id, links: [], adminPass: "secret", security_groups: [] }
const created = { id, size: 10, volume_type: "ssd", status: "creating", "os-vol-tenant-attr:tenant_id": project }
const address = { id, floating_ip_address: "203.0.113.7", project_id: project, status: "DOWN" }
const act = "POST compute servers/*/action"
const actOnVolume = "POST volume volumes/*/action"

const doors: ReadonlyArray<Door> = [
  {
    call: "POST compute servers",
    request: { server: { name: "a", flavorRef: "small", imageRef: "i" } },
    answer: { server },
    kind: "server.create",
    detail: { flavor: "small" }
  },
  {
    call: "POST compute servers",
    request: { server: { name: "a", flavorRef: 7, min_count: "2", max_count: 5 }, "os:scheduler_hints": {} },
    answer: { server },
    kind: "server.create",
    detail: { flavor: "7", min_count: 2, max_count: 5 }
  },
  {
    call: "POST compute servers",
    request: { server: { flavorRef: "small", min_count: 3, max_count: 3, return_reservation_id: true } },
    answer: { reservation_id: "r-3fhpjulh" },
    kind: "server.create",
    type: "reservation",
    resource: "r-3fhpjulh",
    detail: { flavor: "small", min_count: 3, max_count: 3 }
  },
  {
    call: "POST compute servers",
    request: { server: { min_count: 1, max_count: 1 } },
    answer: { server },
    kind: "server.create"
  },
  { call: "POST compute servers", answer: { server }, kind: "server.create" },
  {
    call: "POST compute os-volumes_boot",
    request: { server: { flavorRef: "small" } },
    answer: { server },
    kind: "server.create",
    detail: { flavor: "small" }
  },
  { call: "DELETE compute servers/*", kind: "server.delete" },
  { call: act, request: { forceDelete: null }, kind: "server.delete" },
  { call: act, request: { restore: null }, kind: "server.restore" },
  { call: act, request: { "os-start": null }, kind: "server.start" },
  { call: act, request: { "os-stop": null }, kind: "server.stop" },
  { call: act, request: { reboot: { type: "Hard" } }, kind: "server.reboot", detail: { reboot: "HARD" } },
  { call: act, request: { pause: null }, kind: "server.pause" },
  { call: act, request: { unpause: null }, kind: "server.unpause" },
  { call: act, request: { suspend: null }, kind: "server.suspend" },
  { call: act, request: { resume: null }, kind: "server.resume" },
  { call: act, request: { shelve: null }, kind: "server.shelve" },
  { call: act, request: { shelveOffload: null }, kind: "server.shelve_offload" },
  { call: act, request: { unshelve: { availability_zone: "b" } }, kind: "server.unshelve" },
  { call: act, request: { rescue: { adminPass: "secret" } }, answer: { adminPass: "secret" }, kind: "server.rescue" },
  { call: act, request: { unrescue: null }, kind: "server.unrescue" },
  { call: act, request: { resize: { flavorRef: "big" } }, kind: "server.resize", detail: { flavor: "big" } },
  { call: act, request: { confirmResize: null }, kind: "server.confirm_resize" },
  { call: act, request: { revertResize: null }, kind: "server.revert_resize" },
  {
    call: "POST volume volumes",
    request: { volume: { size: 10 } },
    answer: { volume: created },
    kind: "volume.create",
    detail: { size_gb: 10, volume_type: "ssd" },
    projectId: project
  },
  { call: "POST volume volumes", answer: { volume: { id, size: null, volume_type: null } }, kind: "volume.create" },
  { call: "POST volume manageable_volumes", answer: { volume: { id } }, kind: "volume.create" },
  { call: "POST volume os-volume-manage", answer: { volume: { id } }, kind: "volume.create" },
  {
    call: "POST compute os-volumes",
    answer: { volume: { id, size: 10, volumeType: "ssd" } },
    kind: "volume.create",
    detail: { size_gb: 10, volume_type: "ssd" }
  },
  {
    call: "POST volume backups/*/restore",
    request: { restore: { name: "new", volume_id: null } },
    answer: { restore: { backup_id: "b", volume_id: id, volume_name: "new" } },
    kind: "volume.create"
  },
  { call: "DELETE volume volumes/*", kind: "volume.delete" },
  { call: "DELETE compute os-volumes/*", kind: "volume.delete" },
  { call: actOnVolume, request: { "os-force_delete": {} }, kind: "volume.delete" },
  { call: actOnVolume, request: { "os-unmanage": {} }, kind: "volume.delete" },
  { call: actOnVolume, request: { "os-extend": { new_size: "20" } }, kind: "volume.extend", detail: { size_gb: 20 } },
  {
    call: actOnVolume,
    request: { "os-retype": { new_type: "hdd", migration_policy: "never" } },
    kind: "volume.retype",
    detail: { volume_type: "hdd" }
  },
  {
    call: "POST volume volume-transfers/*/accept",
    request: { accept: { auth_key: "secret" } },
    answer: { transfer: { id: "t", name: "n", volume_id: id } },
    kind: "volume.transfer"
  },
  {
    call: "POST volume os-volume-transfer/*/accept",
    answer: { transfer: { id: "t", volume_id: id } },
    kind: "volume.transfer"
  },
  {
    call: "POST network floatingips",
    answer: { floatingip: address },
    kind: "floating_ip.create",
    detail: { address: "203.0.113.7" },
    projectId: project
  },
  {
    call: "POST compute os-floating-ips",
    answer: { floating_ip: { id, ip: "203.0.113.7", pool: "public", instance_id: null } },
    kind: "floating_ip.create",
    detail: { address: "203.0.113.7" }
  },
  { call: "DELETE network floatingips/*", kind: "floating_ip.delete" },
  { call: "DELETE compute os-floating-ips/*", kind: "floating_ip.delete" },
  {
    call: "POST load-balancer lbaas/loadbalancers",
    answer: { loadbalancer: { id, project_id: project, provisioning_status: "PENDING_CREATE" } },
    kind: "load_balancer.create",
    projectId: project
  },
  { call: "DELETE load-balancer lbaas/loadbalancers/*", kind: "load_balancer.delete" }
]

const callOf = (spelled: string, resource = id) => {
  const [method = "", service = "", path = ""] = spelled.split(" ")
  return { method, service, segments: path.replace("*", resource).split("/") }
}

const bodies = ({ answer, request }: Door) => ({ requestJson: request, answerJson: answer })

const expected = ({ detail = {}, kind, projectId, resource = id, type = kind.split(".")[0] }: Door) => [
  { kind, resource_type: type, resource_id: resource, detail, project_id: projectId ?? null }
]

const nameOf = ({ call, kind, request }: Door) => `${call} ${JSON.stringify(request) ?? ""} is ${kind}`

describe("a door to billable life", () => {
  for (const door of doors) {
    it(nameOf(door), () => {
      assert.deepStrictEqual<unknown>(lifecycleOf(callOf(door.call), { status: 202, ...bodies(door) }), expected(door))
    })
  }

  it("is there for every kind", () => {
    assert.deepStrictEqual(new Set(doors.map((_) => _.kind)), new Set(LifecycleKind.literals))
  })

  it("says what it needs to read, and no more", () => {
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

  it("gives nothing unless the platform said 2xx", () => {
    for (const door of doors) {
      for (const status of [100, 199, 300, 304, 400, 401, 403, 404, 409, 413, 429, 500, 502, 503]) {
        assert.deepStrictEqual(lifecycleOf(callOf(door.call), { status, ...bodies(door) }), [], `${status}`)
      }
      for (const status of [200, 201, 202, 204, 299]) {
        assert.lengthOf(lifecycleOf(callOf(door.call), { status, ...bodies(door) }), 1, `${status} ${nameOf(door)}`)
      }
    }
  })

  it("is the same with a slash or .json at its end, and with the id in capitals", () => {
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

  it("is the same by the ways that the network service has besides", () => {
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

  it("is no other method's, service's or path's", () => {
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

describe("what changes no billable life", () => {
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

  it("a backup that is restored into a volume that is there", () => {
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

  it("is one event an address, in its order", () => {
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

  it("give nothing and break nothing when they say nothing", () => {
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

  it("cost a detail and never the event when only the detail is odd", () => {
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

  it("make events that fit their schema, whatever they hold", () => {
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

const tenant = new Caller({
  userId: "user-1",
  userName: "",
  userEmail: "",
  roles: ["customer"],
  tier: 1,
  tenant: new CallerTenant({ projectId: "project-1", name: "acme", source: "credential_store" }),
  admin: false,
  human: false,
  credentialId: "cred-1",
  credentialLabel: "ci",
  role: null,
  billing: true
})

const administrator = new Caller({ ...tenant, tenant: null, admin: true, tier: 2, credentialId: null })

describe("the change that is recorded", () => {
  const call = callOf("POST volume volumes")
  const answered = { status: 202, answerJson: { volume: created } }

  it("is the caller's project's, whatever the answer says", () => {
    assert.deepStrictEqual(lifecycleChanges(call, answered, tenant, "request-1"), [
      {
        kind: "volume.create",
        projectId: "project-1",
        data: {
          resource_type: "volume",
          resource_id: id,
          detail: { size_gb: 10, volume_type: "ssd" },
          user_id: "user-1",
          credential_id: "cred-1",
          request_id: "request-1"
        }
      }
    ])
  })

  it("of an administrator is of the project that the answer names, or of an unknown one", () => {
    const projects = (call: string, answerJson: unknown) =>
      lifecycleChanges(callOf(call), { status: 202, answerJson }, administrator, "r").map((_) => _.projectId)
    assert.deepStrictEqual(projects("POST volume volumes", { volume: created }), [project])
    assert.deepStrictEqual(projects("POST network floatingips", { floatingip: address }), [project])
    assert.deepStrictEqual(projects("DELETE compute servers/*", undefined), [null])
  })

  it("holds nothing of bodies but what it is meant to", () => {
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
