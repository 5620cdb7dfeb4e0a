import { Effect } from "effect"
import { type Answer, at, seen } from "../Answer.ts"
import type { Cases } from "../Case.ts"
import { absent, answers } from "../outcome.ts"
import { Systems } from "../Systems.ts"

const image = Effect.fnUntraced(function* (word: string, more: object = {}) {
  const { ask, named } = yield* Systems
  return yield* ask("tenant", "POST image/images", {
    json: { name: named(word), disk_format: "raw", container_format: "bare", ...more }
  })
})

const idIn = ({ json }: Answer) => String(at(json, "id"))

const patch = { type: "application/openstack-images-v2.1-json-patch" }

const names = (answer: Answer): unknown => {
  const images = at(answer.json, "images")
  return Array.isArray(images)
    ? { status: answer.status, names: images.map((_) => at(_, "name")), next: at(answer.json, "next") ?? null }
    : seen(answer)
}

export const glance: Cases = {
  "the life of an image: created, uploaded once, shown, changed, protected, removed twice": Effect.gen(function* () {
    const { ask } = yield* Systems
    const created = yield* image("life")
    const own = `image/images/${idIn(created)}`
    const change = (...operations: ReadonlyArray<object>) =>
      ask("tenant", `PATCH ${own}`, { json: operations, ...patch })
    const fill = ask("tenant", `PUT ${own}/file`, { text: "data", type: "application/octet-stream" })
    return yield* answers({
      created: Effect.succeed(created),
      dataBefore: ask("tenant", `GET ${own}/file`),
      filledAsJson: ask("tenant", `PUT ${own}/file`, { json: {} }),
      filled: fill,
      filledAgain: fill,
      shown: ask("tenant", `GET ${own}`),
      data: ask("tenant", `GET ${own}/file`),
      byAnother: ask("other", `GET ${own}`),
      removedByAnother: ask("other", `DELETE ${own}`),
      renamed: change({ op: "replace", path: "/name", value: "renamed" }),
      published: change({ op: "replace", path: "/visibility", value: "public" }),
      readOnly: change({ op: "replace", path: "/status", value: "queued" }),
      noPath: change({ op: "remove", path: "/nothing" }),
      locations: change({ op: "add", path: "/locations/-", value: { url: "http://192.0.2.1/x", metadata: {} } }),
      asJson: ask("tenant", `PATCH ${own}`, { json: [] }),
      noList: ask("tenant", `PATCH ${own}`, { json: {}, ...patch }),
      longName: change({ op: "replace", path: "/name", value: "x".repeat(256) }),
      tagged: ask("tenant", `PUT ${own}/tags/blue`),
      taggedAgain: ask("tenant", `PUT ${own}/tags/blue`),
      untagged: ask("tenant", `DELETE ${own}/tags/blue`),
      untaggedAgain: ask("tenant", `DELETE ${own}/tags/blue`),
      protected: change({ op: "replace", path: "/protected", value: true }),
      removedProtected: ask("tenant", `DELETE ${own}`),
      unprotected: change({ op: "replace", path: "/protected", value: false }),
      removed: ask("tenant", `DELETE ${own}`),
      removedAgain: ask("tenant", `DELETE ${own}`),
      shownAfter: ask("tenant", `GET ${own}`)
    })
  }),

  "images come in pages": Effect.gen(function* () {
    const { ask } = yield* Systems
    const created = [yield* image("page-one"), yield* image("page-two")]
    const [one = "", two = ""] = created.map(idIn)
    const list = (query: string, who: "tenant" | "other" = "tenant") =>
      ask(who, `GET image/images?sort=name:asc&visibility=shared${query}`)
    const pages = yield* answers(
      {
        all: list(""),
        first: list("&limit=1"),
        second: list(`&limit=1&marker=${one}`),
        third: list(`&limit=1&marker=${two}`),
        noMarker: list(`&marker=${absent.uuid}`),
        badLimit: list("&limit=many"),
        negative: list("&limit=-1"),
        badSort: ask("tenant", "GET image/images?sort_key=colour"),
        badVisibility: ask("tenant", "GET image/images?visibility=hidden"),
        ofOthers: list("", "other")
      },
      names
    )
    for (const id of [one, two]) yield* ask("tenant", `DELETE image/images/${id}`)
    return pages
  }),

  "invalid requests for images": Effect.gen(function* () {
    const { ask, other } = yield* Systems
    return yield* answers({
      longName: image("wrong", { name: "x".repeat(256) }),
      nameNumber: image("wrong", { name: 7 }),
      oddFormat: image("wrong", { disk_format: "nonsense" }),
      oddVisibility: image("wrong", { visibility: "hidden" }),
      public: image("wrong", { visibility: "public" }),
      ofAnother: image("wrong", { owner: other }),
      readOnly: image("wrong", { status: "active" }),
      locations: image("wrong", { locations: [] }),
      oddId: image("wrong", { id: "nonsense" }),
      numberProperty: image("wrong", { colour: 7 }),
      noJson: ask("tenant", "POST image/images", { text: "{" }),
      noBody: ask("tenant", "POST image/images")
    })
  }),

  "missing resources, and requests that tenants may not make": Effect.gen(function* () {
    const { ask } = yield* Systems
    return yield* answers({
      image: ask("tenant", `GET image/images/${absent.uuid}`),
      removed: ask("tenant", `DELETE image/images/${absent.uuid}`),
      data: ask("tenant", `GET image/images/${absent.uuid}/file`),
      filled: ask("tenant", `PUT image/images/${absent.uuid}/file`, { text: "x", type: "application/octet-stream" }),
      members: ask("tenant", `GET image/images/${absent.uuid}/members`),
      path: ask("tenant", "GET image/nothing-here"),
      nobody: ask("nobody", "GET image/images"),
      nonsense: ask({ token: "nonsense" }, "GET image/images")
    })
  }),

  "an image is shared with another project": Effect.gen(function* () {
    const { ask, other } = yield* Systems
    const created = yield* image("shared", { visibility: "shared" })
    const own = `image/images/${idIn(created)}`
    const add = ask("tenant", `POST ${own}/members`, { json: { member: other } })
    const shared = yield* answers({
      added: add,
      addedAgain: add,
      shown: Effect.map(ask("other", `GET ${own}`), (_) => ({ ..._, json: at(_.json, "status") })),
      accepted: ask("other", `PUT ${own}/members/${other}`, { json: { status: "accepted" } }),
      acceptedByOwner: ask("tenant", `PUT ${own}/members/${other}`, { json: { status: "accepted" } }),
      oddStatus: ask("other", `PUT ${own}/members/${other}`, { json: { status: "nonsense" } }),
      listed: ask("tenant", `GET ${own}/members`),
      taken: ask("tenant", `DELETE ${own}/members/${other}`),
      takenAgain: ask("tenant", `DELETE ${own}/members/${other}`)
    })
    yield* ask("tenant", `DELETE ${own}`)
    return shared
  })
}
