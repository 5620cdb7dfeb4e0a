import { type KindOf, get, patch, post, put, remove } from "./Kind.ts"

const projects: KindOf = (a) => {
  const one = `/identity/projects/${a.projectId}`
  return {
    one,
    owned: [one, `${one}/tags`],
    lists: [],
    tries: [
      get(one, 403),
      get(`${one}/tags`, 403),
      get("/identity/projects", 403),
      get(`/identity/projects?name=${a.tenant.name}`, 403),
      get("/identity/auth/projects", 403),
      get(`${one}/users/${a.user}/roles`, 403),
      patch(one, 403, { project: { enabled: false } }),
      put(`${one}/tags`, 403, { tags: ["tier:discovery"] }),
      put(`${one}/tags/suspended`, 403),
      put(`${one}/users/${a.user}/roles/0`, 403),
      remove(`${one}/tags`, 403),
      remove(one, 403)
    ]
  }
}

const users: KindOf = (a, b) => {
  const one = `/identity/users/${a.user}`
  return {
    owned: [],
    lists: [],
    tries: [
      get(one, 403),
      get("/identity/users", 403),
      get(`/identity/users?name=gw-${a.projectId}`, 403),
      get(`${one}/projects`, 403),
      get(`${one}/application_credentials`, 403),
      get("/identity/role_assignments", 403),
      get("/identity/credentials", 403),
      post(`${one}/application_credentials`, 403, { application_credential: { name: "taken" } }),
      post(`/identity/users/${b.user}/application_credentials`, 403, { application_credential: { name: "taken" } }),
      post(`${one}/password`, 403, { user: { password: "taken", original_password: "guessed" } }),
      post("/identity/auth/tokens", 403, { auth: { identity: { methods: ["token"] }, scope: "unscoped" } }),
      post("/identity/OS-TRUST/trusts", 403, { trust: { trustor_user_id: a.user, trustee_user_id: b.user } }),
      patch(one, 403, { user: { password: "taken" } }),
      remove(one, 403)
    ]
  }
}

export const identity = { projects, users }
