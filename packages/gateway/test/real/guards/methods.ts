import { anId } from "../../rules/Spelling.ts"
import { type Attempt, attempt } from "./Attempt.ts"
import type { Family } from "./examined.ts"

/** A request that reads, says the service, or that removes nothing, and that removes all the same. */
const queries = [
  "_method=DELETE",
  "_method=delete",
  "x=_method&%5Fmethod=DELETE",
  "a=1;_method=DELETE",
  "_method=GET&_method=DELETE"
]

const gets = (path: string): ReadonlyArray<Attempt> =>
  queries.map((query) => attempt("a read that removes", "GET", path, { query }))

const form = "_method=DELETE"
const parts = '--b\r\nContent-Disposition: form-data; name="_method"\r\n\r\ndelete\r\n--b--\r\n'

const forms = (path: string): ReadonlyArray<Attempt> => [
  ...["POST", "PUT", "PATCH"].flatMap((method) => [
    attempt("a form", method, path, { body: form, headers: { "content-type": "application/x-www-form-urlencoded" } }),
    attempt("a form in parts", method, path, {
      body: parts,
      headers: { "content-type": "multipart/form-data; boundary=b" }
    })
  ]),
  attempt("a form with a parameter", "POST", path, {
    body: form,
    headers: { "content-type": "application/x-www-form-urlencoded;charset=utf-8" }
  }),
  attempt("a form without a type", "POST", path, { body: form, headers: {} }),
  attempt("a form with an empty type", "POST", path, { body: form, headers: { "content-type": "" } }),
  attempt("a form by a low line", "POST", path, {
    body: form,
    headers: { content_type: "application/x-www-form-urlencoded" }
  }),
  attempt("a form whose type the connection keeps", "POST", path, {
    body: form,
    headers: { "content-type": "application/json", connection: "close, content-type" }
  })
]

/** What takes long to make is removed once. */
const removingOnce = (path: string): Family => ({
  attempts: [attempt("a read that removes", "GET", path, { query: "_method=DELETE" })],
  comeOff: 1
})

const removing = (path: string, comeOff: number, more: ReadonlyArray<Attempt> = []): Family => ({
  attempts: [...gets(path), attempt("a HEAD that removes", "HEAD", path, { query: "_method=DELETE" }), ...more],
  comeOff
})

const offer = `/dns/zones/tasks/transfer_requests/${anId}`

export const removals = {
  server: removingOnce(`/compute/servers/${anId}`),
  volume: removingOnce(`/volume/volumes/${anId}`),
  image: removing(`/image/images/${anId}`, 3, [
    attempt("a POST that removes", "POST", `/image/images/${anId}`, { query: "_method=DELETE" })
  ]),
  group: removing(`/network/security-groups/${anId}`, 3, forms(`/network/security-groups/${anId}`)),
  address: removingOnce(`/network/floatingips/${anId}`),
  zone: {
    attempts: [attempt("a read that removes", "GET", `/dns/zones/${anId}`, { query: "_method=delete_one" })],
    comeOff: 1
  },
  offer: {
    attempts: [
      ...["_method=delete", "_method=Delete", "%5Fmethod=delete", "a;_method=delete"].map((query) =>
        attempt("a HEAD that removes", "HEAD", offer, { query })
      ),
      ...gets(offer),
      ...forms(offer)
    ],
    comeOff: 8
  }
} satisfies Readonly<Record<string, Family>>
