import { type KindOf, asked, get, patch, post, put, remove } from "./Kind.ts"

const zones: KindOf = (a, b) => {
  const one = `/dns/zones/${a.zone}`
  return {
    one,
    owned: [one, "/dns/zones"],
    active: [one, `${one}/recordsets/${a.recordset}`],
    lists: asked("/dns/zones", a, `name=${a.zoneName}`, "status=ACTIVE", "name=*"),
    tries: [
      get(one, 404),
      get(`${one}/nameservers`, 404),
      patch(one, 404, { email: "taken@people.example" }),
      remove(one, 404),
      post(`${one}/tasks/xfr`, 404),
      post(`${one}/tasks/abandon`, 403),
      post(`${one}/tasks/export`, 404),
      post(`${one}/tasks/transfer_requests`, 404, {}),
      // A name is there once in the world, so that it has to be refused.
      post("/dns/zones", 409, { name: a.zoneName, email: "taken@people.example" }, { tells: true }),
      post("/dns/zones", 403, { name: `sub.${a.zoneName}`, email: "taken@people.example" }, { tells: true }),
      post("/dns/zones", 400, {
        name: `planted.${b.zoneName}`,
        email: "taken@people.example",
        project_id: a.projectId
      })
    ]
  }
}

const recordsets: KindOf = (a) => {
  const list = `/dns/zones/${a.zone}/recordsets`
  const one = `${list}/${a.recordset}`
  return {
    one,
    owned: [one, list],
    active: [`/dns/zones/${a.zone}`, one],
    lists: asked("/dns/recordsets", a, `name=www.${a.zoneName}`, "type=A", "data=192.0.2.9"),
    tries: [
      get(list, 404),
      get(one, 404),
      put(one, 404, { records: ["192.0.2.66"] }),
      remove(one, 404),
      post(list, 404, { name: `taken.${a.zoneName}`, type: "A", records: ["192.0.2.66"] })
    ]
  }
}

const tasks: KindOf = (a, b) => {
  const transfer = `/dns/zones/tasks/transfer_requests/${a.zoneTransfer}`
  const exported = `/dns/zones/tasks/exports/${a.zoneExport}`
  return {
    owned: [transfer, exported],
    lists: [
      ...asked("/dns/zones/tasks/transfer_requests", a),
      ...asked("/dns/zones/tasks/exports", a),
      ...asked("/dns/zones/tasks/imports", a)
    ].filter((_) => !_.includes("?name=")),
    tries: [
      get("/dns/zones/tasks/transfer_accepts", 403),
      get(transfer, 404),
      patch(transfer, 404, { target_project_id: b.projectId }),
      remove(transfer, 404),
      // Whoever has the key may have the zone, so that it has to be looked for.
      post(
        "/dns/zones/tasks/transfer_accepts",
        403,
        { key: "GUESSED0", zone_transfer_request_id: a.zoneTransfer },
        { tells: true }
      ),
      get(exported, 404),
      get(`${exported}/export`, 404, { headers: { accept: "text/dns" }, unready: true }),
      remove(exported, 404)
    ]
  }
}

const quotas: KindOf = (a) => {
  const one = `/dns/quotas/${a.projectId}`
  return {
    owned: [one],
    lists: ["/dns/quotas"],
    tries: [get(one, 403), patch(one, 403, { zones: 0 }), remove(one, 403), get("/dns/tsigkeys", 403)]
  }
}

export const dns = { zones, recordsets, "zone tasks": tasks, quotas }
