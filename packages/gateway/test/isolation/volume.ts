import { type KindOf, asked, get, post, put, remove } from "./Kind.ts"

const at = (version: string) => ({ headers: { "openstack-api-version": `volume ${version}` } })

const volumes: KindOf = (a, b) => {
  const one = `/volume/volumes/${a.volume}`
  const action = (body: object, status: number) => post(`${one}/action`, status, body)
  return {
    one,
    owned: [one, `/volume/volumes/${a.attached}`, "/volume/volumes/detail"],
    lists: [
      ...asked("/volume/volumes", a),
      ...asked("/volume/volumes/detail", a, `id=${a.volume}`, "status=available")
    ],
    tries: [
      get(one, 404),
      get(`${one}/metadata`, 404),
      get(`${one}/encryption`, 404),
      put(one, 404, { volume: { name: "taken" } }),
      put(`${one}/metadata`, 404, { metadata: { taken: "yes" } }),
      action({ "os-extend": { new_size: 2 } }, 404),
      // What no tenant has is refused whatever it is about.
      action({ "os-reserve": null }, 403),
      action({ "os-initialize_connection": { connector: { host: "taken", initiator: "taken" } } }, 403),
      action({ "os-attach": { instance_uuid: b.server, mountpoint: "/dev/vdz" } }, 403),
      action({ "os-set_bootable": { bootable: true } }, 404),
      action({ "os-update_readonly_flag": { readonly: true } }, 404),
      action({ "os-volume_upload_image": { image_name: "taken" } }, 404),
      action({ "os-reset_status": { status: "error" } }, 403),
      action({ "os-force_delete": null }, 404),
      action({ "os-unmanage": null }, 403),
      remove(one, 404),
      remove(`${one}?cascade=true`, 404),
      post("/volume/volumes", 404, { volume: { size: 1, source_volid: a.volume } }),
      post("/volume/volumes", 404, { volume: { size: 1, snapshot_id: a.snapshot } }),
      post("/volume/volumes", 400, { volume: { size: 1, imageRef: a.image } }),
      post("/volume/snapshots", 404, { snapshot: { volume_id: a.volume, force: true } }),
      post("/volume/backups", 404, { backup: { volume_id: a.volume, name: "taken", force: true } }),
      post("/volume/os-volume-transfer", 404, { transfer: { volume_id: a.volume, name: "taken" } }),
      get(`/volume/${a.projectId}/volumes`, 404)
    ]
  }
}

const snapshots: KindOf = (a) => {
  const one = `/volume/snapshots/${a.snapshot}`
  return {
    one,
    owned: [one, "/volume/snapshots/detail"],
    lists: [
      ...asked("/volume/snapshots", a),
      ...asked("/volume/snapshots/detail", a, `volume_id=${a.volume}`, "status=available")
    ],
    tries: [
      get(one, 404),
      get(`${one}/metadata`, 404),
      put(one, 404, { snapshot: { name: "taken" } }),
      post(`${one}/action`, 403, { "os-reset_status": { status: "error" } }),
      remove(one, 404)
    ]
  }
}

const attachments: KindOf = (a, b) => {
  const one = `/volume/attachments/${a.attachment}`
  return {
    owned: [`/volume/volumes/${a.attached}`],
    lists: ["/volume/volumes/detail"],
    tries: [
      get("/volume/attachments?all_tenants=1", 200, at("3.27")),
      get(`/volume/attachments?volume_id=${a.attached}`, 200, at("3.27")),
      get("/volume/attachments/detail?all_tenants=1", 200, at("3.27")),
      get(one, 404, at("3.27")),
      put(one, 404, { attachment: { connector: { host: "taken", initiator: "taken" } } }, at("3.27")),
      remove(one, 404, at("3.27")),
      post(`${one}/action`, 404, { "os-complete": null }, at("3.44")),
      post("/volume/attachments", 403, { attachment: { volume_uuid: a.volume, instance_uuid: b.server } }, at("3.27"))
    ]
  }
}

const transfers: KindOf = (a) => {
  const one = `/volume/os-volume-transfer/${a.transfer}`
  const newer = `/volume/volume-transfers/${a.transfer}`
  return {
    one,
    owned: [one, "/volume/os-volume-transfer/detail"],
    lists: [...asked("/volume/os-volume-transfer", a), ...asked("/volume/os-volume-transfer/detail", a)],
    tries: [
      get(one, 404),
      remove(one, 404),
      // Whoever has the key may have the volume, so that it has to be looked for.
      post(`${one}/accept`, 400, { accept: { auth_key: "guessed" } }, { tells: true }),
      get("/volume/volume-transfers/detail?all_tenants=1", 200, at("3.55")),
      get(newer, 404, at("3.55")),
      remove(newer, 404, at("3.55"))
    ]
  }
}

const quotas: KindOf = (a) => {
  const one = `/volume/os-quota-sets/${a.projectId}`
  return {
    owned: [one, `${one}?usage=true`, "/volume/limits"],
    lists: ["/volume/limits"],
    tries: [
      get(one, 403),
      get(`${one}?usage=true`, 403),
      get(`${one}/defaults`, 403),
      put(one, 403, { quota_set: { volumes: 0 } }),
      remove(one, 403),
      get(`/volume/limits?project_id=${a.projectId}`, 403)
    ]
  }
}

export const volume = { volumes, snapshots, attachments, transfers, quotas }
