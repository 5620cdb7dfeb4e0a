import { type KindOf, asked, get, post, put, remove } from "./Kind.ts"

const root = "/key-manager/v1"
const text = { headers: { accept: "text/plain" } }

const secrets: KindOf = (a, b) => {
  const one = `${root}/secrets/${a.secret}`
  return {
    one,
    owned: [one, `${one}/acl`, `${root}/secrets`],
    lists: asked(`${root}/secrets`, a, "limit=100", "acl_only=true"),
    tries: [
      get(one, 404),
      get(`${one}/payload`, 403, text),
      get(one, 403, text),
      get(`${one}/acl`, 404),
      get(`${one}/metadata`, 404),
      put(`${one}/acl`, 404, { read: { users: [b.user], "project-access": true } }),
      put(`${one}/metadata`, 404, { metadata: { taken: "yes" } }),
      put(one, 404, "taken", { headers: { "content-type": "text/plain" } }),
      remove(`${one}/acl`, 404),
      remove(one, 404)
    ]
  }
}

const containers: KindOf = (a) => {
  const one = `${root}/containers/${a.container}`
  const secret_ref = a.secretRef
  return {
    one,
    owned: [one, `${root}/containers`],
    lists: asked(`${root}/containers`, a, "limit=100"),
    tries: [
      get(one, 404),
      get(`${one}/acl`, 404),
      remove(one, 404),
      post(`${root}/containers`, 404, { name: "taken", type: "generic", secret_refs: [{ name: "taken", secret_ref }] }),
      post(`${one}/secrets`, 404, { name: "taken", secret_ref }),
      post(`${one}/consumers`, 404, { name: "taken", URL: "http://people.example" })
    ]
  }
}

const orders: KindOf = (a) => {
  const one = `${root}/orders/${a.order}`
  return {
    one,
    owned: [one, `${root}/orders`],
    lists: asked(`${root}/orders`, a, "limit=100"),
    tries: [get(one, 404), remove(one, 404)]
  }
}

const quotas: KindOf = (a) => {
  const one = `${root}/project-quotas/${a.projectId}`
  return {
    owned: [`${root}/quotas`],
    lists: [`${root}/quotas`],
    tries: [
      get(one, 403),
      get(`${root}/project-quotas`, 403),
      put(one, 403, { project_quotas: { secrets: 0 } }),
      remove(one, 403)
    ]
  }
}

export const secretStore = { secrets, containers, orders, quotas }
