import { type KindOf, asked, get, post, put, remove } from "./Kind.ts"

const at = (version: string) => ({ headers: { "openstack-api-version": `compute ${version}` } })

const servers: KindOf = (a, b) => {
  const one = `/compute/servers/${a.server}`
  // An action on what never was is told from another's in a word or two.
  const action = (body: object) => post(`${one}/action`, 404, body, { tells: true })
  const wanted = (more: object) => ({
    server: { name: b.name, flavorRef: "1", imageRef: a.image, networks: [{ uuid: b.network }], ...more }
  })
  return {
    one,
    owned: [one, `${one}/os-interface`, `${one}/metadata`, "/compute/servers"],
    lists: [
      ...asked("/compute/servers", a),
      ...asked(
        "/compute/servers/detail",
        a,
        `uuid=${a.server}`,
        `user_id=${a.user}`,
        "host=compute-1",
        "deleted=true",
        "changes-since=2020-01-01T00:00:00Z",
        "ip=10.0.0",
        `instance_name=${a.name}`
      )
    ],
    tries: [
      get(one, 404),
      ...["ips", "metadata", "os-interface", "os-volume_attachments", "os-instance-actions", "os-security-groups"].map(
        (_) => get(`${one}/${_}`, 404)
      ),
      get(`${one}/os-volume_attachments/${a.attached}`, 404),
      get(`${one}/os-server-password`, 404),
      get(`${one}/tags`, 404, at("2.26")),
      get(`${one}/topology`, 404, at("2.78")),
      post(`${one}/remote-consoles`, 404, { remote_console: { protocol: "vnc", type: "novnc" } }, at("2.8")),
      put(one, 404, { server: { name: "taken" } }),
      put(`${one}/metadata/note`, 404, { meta: { note: "taken" } }),
      put(`${one}/tags/taken`, 404, undefined, at("2.26")),
      ...[
        { "os-stop": null },
        { reboot: { type: "HARD" } },
        { forceDelete: null },
        { createImage: { name: "taken" } },
        { "os-getConsoleOutput": {} },
        { changePassword: { adminPass: "taken" } },
        { rebuild: { imageRef: a.image } },
        { addSecurityGroup: { name: "default" } },
        { lock: null },
        { resize: { flavorRef: "2" } }
      ].map(action),
      post(`${one}/os-volume_attachments`, 404, { volumeAttachment: { volumeId: b.volume } }),
      post(`${one}/os-interface`, 404, { interfaceAttachment: { net_id: b.network } }),
      remove(`${one}/os-volume_attachments/${a.attached}`, 404),
      remove(`${one}/os-interface/${a.port}`, 404),
      remove(`${one}/metadata/note`, 404),
      remove(one, 404),
      // A server of B's own that takes something of A's.
      post("/compute/servers", 400, wanted({})),
      post("/compute/servers", 400, wanted({ networks: [{ port: a.port }] })),
      post("/compute/servers", 400, wanted({ networks: [{ uuid: a.network }] })),
      post("/compute/servers", 400, wanted({ security_groups: [{ name: a.securityGroup }] })),
      post("/compute/servers", 400, wanted({ key_name: a.keypair })),
      post("/compute/servers", 400, wanted({ project_id: a.projectId })),
      post("/compute/servers", 400, { ...wanted({}), "os:scheduler_hints": { group: a.serverGroup } }),
      ...(["volume", "snapshot", "image"] as const).map((kind) =>
        post(
          "/compute/servers",
          400,
          wanted({
            imageRef: undefined,
            block_device_mapping_v2: [
              { boot_index: 0, uuid: a[kind], source_type: kind, destination_type: "volume", volume_size: 1 }
            ]
          })
        )
      ),
      post(`/compute/servers/${b.server}/os-volume_attachments`, 404, { volumeAttachment: { volumeId: a.volume } }),
      post(`/compute/servers/${b.server}/os-interface`, 404, { interfaceAttachment: { port_id: a.port } }),
      // Of a network that never was it makes a 500.
      post(
        `/compute/servers/${b.server}/os-interface`,
        404,
        { interfaceAttachment: { net_id: a.network } },
        { tells: true }
      ),
      post(`/compute/servers/${b.server}/action`, 404, { addSecurityGroup: { name: a.securityGroup } }),
      post(`/compute/servers/${b.server}/action`, 400, { rebuild: { imageRef: a.image } })
    ]
  }
}

const keypairs: KindOf = (a) => {
  const one = `/compute/os-keypairs/${a.keypair}`
  return {
    one,
    owned: [one, "/compute/os-keypairs"],
    lists: asked("/compute/os-keypairs", a, `user_id=${a.user}`),
    tries: [
      get(one, 404),
      remove(one, 404),
      get(`/compute/os-keypairs?user_id=${a.user}`, 403, at("2.10")),
      get(`${one}?user_id=${a.user}`, 403, at("2.10")),
      remove(`${one}?user_id=${a.user}`, 403, at("2.10")),
      post("/compute/os-keypairs", 403, { keypair: { name: "planted", type: "ssh", user_id: a.user } }, at("2.10"))
    ]
  }
}

const serverGroups: KindOf = (a) => {
  const one = `/compute/os-server-groups/${a.serverGroup}`
  return {
    one,
    owned: [one, "/compute/os-server-groups"],
    lists: asked("/compute/os-server-groups", a),
    tries: [get(one, 404), remove(one, 404)]
  }
}

const quotas: KindOf = (a) => {
  const one = `/compute/os-quota-sets/${a.projectId}`
  return {
    owned: [one, "/compute/limits"],
    lists: ["/compute/limits"],
    tries: [
      get("/compute/os-simple-tenant-usage", 403),
      get(one, 403),
      get(`${one}/detail`, 403),
      get(`${one}?user_id=${a.user}`, 403),
      put(one, 403, { quota_set: { cores: 0 } }),
      remove(one, 403),
      get(`/compute/limits?tenant_id=${a.projectId}`, 403),
      get(`/compute/os-simple-tenant-usage/${a.projectId}`, 403),
      get(`/compute/${a.projectId}/servers`, 404)
    ]
  }
}

/** Nova's old ways to what is Neutron's. */
const oldDoors: KindOf = (a) => ({
  owned: ["/compute/os-security-groups", "/compute/os-floating-ips"],
  lists: ["/compute/os-security-groups", "/compute/os-security-groups?all_tenants=1", "/compute/os-floating-ips"],
  tries: [
    get(`/compute/os-security-groups/${a.securityGroup}`, 404),
    remove(`/compute/os-security-groups/${a.securityGroup}`, 404),
    put(`/compute/os-security-groups/${a.securityGroup}`, 404, { security_group: { name: "taken", description: "" } }),
    remove(`/compute/os-security-group-rules/${a.rule}`, 404, { tells: true }),
    get(`/compute/os-floating-ips/${a.floatingIp}`, 404),
    remove(`/compute/os-floating-ips/${a.floatingIp}`, 404),
    get(`/compute/os-tenant-networks/${a.network}`, 404),
    get(`/compute/os-networks/${a.network}`, 404)
  ]
})

export const compute = {
  servers,
  keypairs,
  "server groups": serverGroups,
  "quotas and usage": quotas,
  "old doors": oldDoors
}
