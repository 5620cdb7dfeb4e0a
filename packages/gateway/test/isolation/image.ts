import { type KindOf, type Try, asked, get, patch, post, put, remove } from "./Kind.ts"

const patching = { headers: { "content-type": "application/openstack-images-v2.1-json-patch" } }
const octets = { headers: { "content-type": "application/octet-stream" } }

/** Whatever changes an image or its sharing. */
const writes = (one: string, status: 403 | 404, project: string): ReadonlyArray<Try> => [
  patch(one, status, JSON.stringify([{ op: "replace", path: "/name", value: "taken" }]), patching),
  patch(one, status, JSON.stringify([{ op: "replace", path: "/visibility", value: "public" }]), patching),
  patch(one, status, JSON.stringify([{ op: "add", path: "/owner", value: project }]), patching),
  put(`${one}/file`, status, "taken", octets),
  put(`${one}/stage`, status, "taken", octets),
  post(`${one}/import`, status === 403 ? 409 : status, { method: { name: "glance-direct" } }),
  post(`${one}/members`, status, { member: project }),
  put(`${one}/tags/taken`, status),
  post(`${one}/actions/deactivate`, status),
  remove(`${one}/tags/taken`, status),
  remove(one, status)
]

const lists = (a: Parameters<KindOf>[0]) =>
  asked(
    "/image/images",
    a,
    `id=${a.image}`,
    `owner=${a.projectId}`,
    "visibility=private",
    "visibility=shared&member_status=all",
    "visibility=all",
    `tag=${a.name}`,
    "os_hidden=true"
  )

/** Of one that is shared with somebody else no more is seen than of a private one. */
const unseen =
  (key: "image" | "sharedImage"): KindOf =>
  (a, b) => {
    const one = `/image/images/${a[key]}`
    // A private one has none, and does not say so.
    const members = key === "sharedImage" ? [`${one}/members`] : []
    return {
      one,
      owned: [one, `/image/images?owner=${a.projectId}`, ...members],
      // The one for everybody is found by whoever looks for such.
      lists: lists(a).filter((_) => !_.endsWith("visibility=all")),
      tries: [
        get(one, 404),
        get(`${one}/file`, 404),
        ...members.map((_) => get(_, 404)),
        put(`${one}/members/${b.projectId}`, 404, { status: "accepted" }),
        remove(`${one}/members/${b.projectId}`, 404),
        ...writes(one, 404, b.projectId)
      ]
    }
  }

/** What an owner has opened to everybody is theirs to read, and nobody's to change. */
const opened: KindOf = (a, b) => {
  const one = `/image/images/${a.communityImage}`
  return {
    one,
    owned: [one],
    lists: [],
    // It is there for everybody to read.
    tries: writes(one, 403, b.projectId).map((_) => ({ ..._, tells: true }))
  }
}

const ownership: KindOf = (a, b) => ({
  owned: [`/image/images?owner=${a.projectId}`],
  lists: [],
  tries: [
    post("/image/images", 403, { name: "planted", owner: a.projectId }),
    post("/image/images", 403, { name: "planted", visibility: "public" }),
    // Ids may be chosen, and are taken once in the whole cloud.
    post("/image/images", 409, { name: "planted", id: a.image }, { tells: true }),
    get("/image/tasks", 403),
    post("/image/tasks", 403, { type: "import", input: {} }),
    get("/image/cache", 403),
    patch(
      `/image/images/${b.image}`,
      403,
      JSON.stringify([{ op: "replace", path: "/owner", value: a.projectId }]),
      patching
    )
  ]
})

export const image = {
  "private images": unseen("image"),
  "images shared with others": unseen("sharedImage"),
  "images open to every tenant": opened,
  ownership
}
