import { Effect } from "effect"
import { type Answer, at, seen } from "../Answer.ts"
import type { Cases } from "../Case.ts"
import { absent, answers } from "../outcome.ts"
import { Systems } from "../Systems.ts"

const keys = "key-manager/v1"

const secret = Effect.fnUntraced(function* (word: string, more: object = {}) {
  const { ask, named } = yield* Systems
  return yield* ask("tenant", `POST ${keys}/secrets`, {
    json: { name: named(word), payload: "hidden", payload_content_type: "text/plain", ...more }
  })
})

/** A reference is an address; its last part is the id. */
const idIn = ({ json }: Answer, key = "secret_ref") => String(at(json, key)).split("/").at(-1) ?? ""

const names = (answer: Answer): unknown => {
  const secrets = at(answer.json, "secrets")
  return Array.isArray(secrets)
    ? {
        status: answer.status,
        names: secrets.map((_) => at(_, "name")),
        total: at(answer.json, "total"),
        next: at(answer.json, "next") ?? null,
        previous: at(answer.json, "previous") ?? null
      }
    : seen(answer)
}

export const barbican: Cases = {
  "the life of a secret: stored, shown, its payload, removed twice": Effect.gen(function* () {
    const { ask } = yield* Systems
    const created = yield* secret("life")
    const own = `${keys}/secrets/${idIn(created)}`
    const accept = (type: string) => ask("tenant", `GET ${own}`, { headers: { accept: type } })
    return yield* answers({
      created: Effect.succeed(created),
      again: Effect.map(secret("life"), (_) => ({ ..._, headers: {}, json: "names are not unique" })),
      shown: ask("tenant", `GET ${own}`),
      asText: accept("text/plain"),
      asAnything: accept("*/*"),
      asMany: accept("application/json, text/plain"),
      asNonsense: accept("image/png"),
      payload: ask("tenant", `GET ${own}/payload`, { headers: { accept: "text/plain" } }),
      payloadAsOther: ask("tenant", `GET ${own}/payload`, { headers: { accept: "application/octet-stream" } }),
      byAnother: ask("other", `GET ${own}`),
      payloadByAnother: ask("other", `GET ${own}/payload`, { headers: { accept: "text/plain" } }),
      removedByAnother: ask("other", `DELETE ${own}`),
      storedAgain: ask("tenant", `PUT ${own}`, { text: "other", type: "text/plain" }),
      acl: ask("tenant", `GET ${own}/acl`),
      metadata: ask("tenant", `GET ${own}/metadata`),
      consumers: ask("tenant", `GET ${own}/consumers`),
      removed: ask("tenant", `DELETE ${own}`),
      removedAgain: ask("tenant", `DELETE ${own}`),
      shownAfter: ask("tenant", `GET ${own}`)
    })
  }),

  "secrets come in pages": Effect.gen(function* () {
    const { ask, named } = yield* Systems
    const created = [yield* secret("page"), yield* secret("page")]
    const list = (query: string, who: "tenant" | "other" = "tenant") =>
      ask(who, `GET ${keys}/secrets?name=${named("page")}${query}`)
    const pages = yield* answers(
      {
        all: list(""),
        first: list("&limit=1"),
        second: list("&limit=1&offset=1"),
        third: list("&limit=1&offset=2"),
        badLimit: list("&limit=many"),
        negative: list("&limit=-1"),
        zero: list("&limit=0"),
        badSort: list("&sort=colour"),
        ofOthers: list("", "other")
      },
      names
    )
    for (const _ of created) yield* ask("tenant", `DELETE ${keys}/secrets/${idIn(_)}`)
    return pages
  }),

  "invalid requests for secrets": Effect.gen(function* () {
    const { ask } = yield* Systems
    return yield* answers({
      longName: secret("wrong", { name: "x".repeat(256) }),
      noType: secret("wrong", { payload_content_type: undefined }),
      oddType: secret("wrong", { payload_content_type: "image/png" }),
      emptyPayload: secret("wrong", { payload: "" }),
      payloadNumber: secret("wrong", { payload: 7 }),
      unknownField: secret("wrong", { colour: "green" }),
      expired: secret("wrong", { expiration: "2020-01-01T00:00:00" }),
      badExpiration: secret("wrong", { expiration: "soon" }),
      negativeLength: secret("wrong", { bit_length: -1 }),
      noJson: ask("tenant", `POST ${keys}/secrets`, { text: "{" }),
      noBody: ask("tenant", `POST ${keys}/secrets`),
      otherType: ask("tenant", `POST ${keys}/secrets`, { text: "x", type: "text/plain" })
    })
  }),

  "missing resources, and requests that tenants may not make": Effect.gen(function* () {
    const { ask, tenant } = yield* Systems
    return yield* answers({
      secret: ask("tenant", `GET ${keys}/secrets/${absent.uuid}`),
      secretByName: ask("tenant", `GET ${keys}/secrets/nonsense`),
      payload: ask("tenant", `GET ${keys}/secrets/${absent.uuid}/payload`, { headers: { accept: "text/plain" } }),
      removed: ask("tenant", `DELETE ${keys}/secrets/${absent.uuid}`),
      container: ask("tenant", `GET ${keys}/containers/${absent.uuid}`),
      order: ask("tenant", `GET ${keys}/orders/${absent.uuid}`),
      path: ask("tenant", `GET ${keys}/nothing-here`),
      ownQuotas: ask("tenant", `GET ${keys}/quotas`),
      quotas: ask("tenant", `PUT ${keys}/project-quotas/${tenant}`, { json: { project_quotas: { secrets: 9 } } }),
      nobody: ask("nobody", `GET ${keys}/secrets`),
      nonsense: ask({ token: "nonsense" }, `GET ${keys}/secrets`)
    })
  }),

  "containers hold references": Effect.gen(function* () {
    const { ask, named } = yield* Systems
    const held = yield* secret("held")
    const ref = at(held.json, "secret_ref")
    const post = (container: object) =>
      ask("tenant", `POST ${keys}/containers`, { json: { name: named("container"), type: "generic", ...container } })
    const created = yield* post({ secret_refs: [{ name: "one", secret_ref: ref }] })
    const own = `${keys}/containers/${idIn(created, "container_ref")}`
    const result = yield* answers({
      created: Effect.succeed(created),
      shown: ask("tenant", `GET ${own}`),
      byAnother: ask("other", `GET ${own}`),
      oddType: post({ type: "nonsense", secret_refs: [] }),
      ofNothing: post({ secret_refs: [{ name: "one", secret_ref: String(ref).replace(/[^/]+$/, absent.uuid) }] }),
      twice: post({
        secret_refs: [
          { name: "one", secret_ref: ref },
          { name: "one", secret_ref: ref }
        ]
      }),
      removed: ask("tenant", `DELETE ${own}`),
      removedAgain: ask("tenant", `DELETE ${own}`)
    })
    yield* ask("tenant", `DELETE ${keys}/secrets/${idIn(held)}`)
    return result
  })
}
