import { Keystone } from "@portico/upstream/keystone/Keystone"
import { Sessions, tenantUserName } from "@portico/upstream/openstack/Sessions"
import { Effect, Redacted } from "effect"
import { at, idOf, seen } from "../Answer.ts"
import type { Cases } from "../Case.ts"
import { absent, answers, attempt } from "../outcome.ts"
import { Systems } from "../Systems.ts"

const stamp = "portico-attempt:one"
const otherStamp = "portico-attempt:two"

/** A project of this case's own, gone at its end. */
const project = Effect.fnUntraced(function* (word: string) {
  const keystone = yield* Keystone
  const name = (yield* Systems).named(word)
  return yield* Effect.acquireRelease(keystone.createProject({ name, stamp, description: "" }), ({ id }) =>
    Effect.ignore(keystone.removeProject(id))
  )
})

export const keystone: Cases = {
  "a project is made once for one stamp, and taken for every other": Effect.gen(function* () {
    const keystone = yield* Keystone
    const name = (yield* Systems).named("acme")
    const made = yield* project("acme")
    return {
      made,
      again: yield* attempt(keystone.createProject({ name, stamp, description: "" })),
      byAnother: yield* attempt(keystone.createProject({ name, stamp: otherStamp, description: "" })),
      inCapitals: yield* attempt(
        keystone.createProject({ name: name.toUpperCase(), stamp: otherStamp, description: "" })
      ),
      found: yield* attempt(keystone.findProject({ name, stamp })),
      foundByAnother: yield* attempt(keystone.findProject({ name, stamp: otherStamp })),
      read: yield* attempt(keystone.getProject(made.id))
    }
  }).pipe(Effect.scoped),

  "a removed or unknown project reads as absent, and its removal succeeds": Effect.gen(function* () {
    const keystone = yield* Keystone
    const { id } = yield* project("gone")
    return {
      removed: yield* attempt(keystone.removeProject(id)),
      again: yield* attempt(keystone.removeProject(id)),
      read: yield* attempt(keystone.getProject(id)),
      never: yield* attempt(keystone.getProject(absent.hex)),
      misspelt: yield* attempt(keystone.getProject("no such id")),
      removedNever: yield* attempt(keystone.removeProject(absent.hex))
    }
  }).pipe(Effect.scoped),

  "names of projects: at most 64 characters, trimmed, never empty": Effect.gen(function* () {
    const keystone = yield* Keystone
    const { named } = yield* Systems
    const make = (name: string) => attempt(keystone.createProject({ name, stamp, description: "" }))
    const longest = `${named("")}${"x".repeat(64)}`.slice(0, 64)
    const made = {
      empty: yield* make(""),
      blank: yield* make("   "),
      longest: yield* make(longest),
      tooLong: yield* make(`${longest}x`),
      withBlanks: yield* make(` ${named("trimmed")} `),
      withSlash: yield* make(named("a/b")),
      inUmlauts: yield* make(named("mün"))
    }
    for (const name of [longest, named("trimmed"), named("a/b"), named("mün")]) {
      const found = yield* keystone.findProject({ name, stamp })
      if (found !== undefined) yield* keystone.removeProject(found.id)
    }
    return made
  }),

  "the tier's tag and the suspension mark are replaced, and every other tag stays": Effect.gen(function* () {
    const keystone = yield* Keystone
    const { id } = yield* project("tagged")
    const tags = Effect.map(keystone.getProject(id), (_) => _?.tags.toSorted())
    return {
      tagged: yield* attempt(keystone.tagTier(id, "discovery")),
      taggedAgain: yield* attempt(keystone.tagTier(id, "discovery")),
      suspended: yield* attempt(keystone.retag(id, { tier: "standard", suspended: true })),
      afterwards: yield* tags,
      resumed: yield* attempt(keystone.retag(id, { tier: "standard", suspended: false })),
      thereafter: yield* tags,
      ofNoProject: yield* attempt(keystone.tagTier(absent.hex, "discovery")),
      retagOfNoProject: yield* attempt(keystone.retag(absent.hex, { tier: "standard", suspended: false }))
    }
  }).pipe(Effect.scoped),

  "projects with a tier are listed, others are not": Effect.gen(function* () {
    const keystone = yield* Keystone
    const { named } = yield* Systems
    const [one, two, none] = [yield* project("list-one"), yield* project("list-two"), yield* project("list-none")]
    yield* keystone.tagTier(one.id, "discovery")
    yield* keystone.tagTier(two.id, "extension")
    const listed = yield* keystone.tieredProjects
    const ours = listed.filter((_) => _.name.startsWith(named("list"))).toSorted((a, b) => (a.name < b.name ? -1 : 1))
    return { ours, none: none.name }
  }).pipe(Effect.scoped),

  "a tenant's user is made once for one stamp, and removed by it alone": Effect.gen(function* () {
    const keystone = yield* Keystone
    const { id: projectId } = yield* project("peopled")
    const made = yield* attempt(keystone.createTenantUser({ projectId, stamp }))
    return {
      made,
      again: yield* attempt(keystone.createTenantUser({ projectId, stamp })),
      byAnother: yield* attempt(keystone.createTenantUser({ projectId, stamp: otherStamp })),
      removedByAnother: yield* attempt(keystone.removeTenantUser({ projectId, stamp: otherStamp })),
      stillThere: yield* attempt(keystone.createTenantUser({ projectId, stamp })),
      removed: yield* attempt(keystone.removeTenantUser({ projectId, stamp })),
      removedAgain: yield* attempt(keystone.removeTenantUser({ projectId, stamp }))
    }
  }).pipe(Effect.scoped),

  "a tenant's user in a missing project is refused, and its removal succeeds": Effect.gen(function* () {
    const keystone = yield* Keystone
    // Which of its roles is refused first is a matter of chance.
    const refused = yield* Effect.match(keystone.createTenantUser({ projectId: absent.hex, stamp }), {
      onSuccess: () => "made",
      onFailure: (_) => (_._tag === "UpstreamError" ? `${_.status} ${_.detail}` : _.summary)
    })
    return { refused, removed: yield* attempt(keystone.removeTenantUser({ projectId: absent.hex, stamp })) }
  }),

  "identity resources that a tenant's token may see": Effect.gen(function* () {
    const { ask, other, tenant } = yield* Systems
    return yield* answers({
      ownProject: ask("tenant", `GET identity/projects/${tenant}`),
      ownTags: ask("tenant", `GET identity/projects/${tenant}/tags`),
      otherProject: ask("tenant", `GET identity/projects/${other}`),
      otherTags: ask("tenant", `GET identity/projects/${other}/tags`),
      noProject: ask("tenant", `GET identity/projects/${absent.hex}`),
      projects: ask("tenant", "GET identity/projects"),
      users: ask("tenant", "GET identity/users"),
      roles: ask("tenant", "GET identity/roles"),
      create: ask("tenant", "POST identity/projects", { json: { project: { name: "mine" } } }),
      tag: ask("tenant", `PUT identity/projects/${tenant}/tags/tier%3Aextension`),
      remove: ask("tenant", `DELETE identity/projects/${tenant}`)
    })
  }),

  "401 with a challenge without a token, and with an invalid one": Effect.gen(function* () {
    const { ask, tenant } = yield* Systems
    return yield* answers({
      none: ask("nobody", `GET identity/projects/${tenant}`),
      nonsense: ask({ token: "nonsense" }, `GET identity/projects/${tenant}`),
      revoked: ask({ token: "gAAAAABk" }, `GET identity/projects/${tenant}`)
    })
  }),

  "a login says 401 to every wrong credential alike": Effect.gen(function* () {
    const { ask, named, tenant } = yield* Systems
    const login = (user: object, scope?: object) =>
      ask("nobody", "POST identity/auth/tokens", {
        json: { auth: { identity: { methods: ["password"], password: { user } }, ...(scope && { scope }) } }
      })
    const own = { name: `gw-${tenant}`, domain: { id: "default" }, password: "wrong" }
    return yield* answers({
      password: login(own, { project: { id: tenant } }),
      user: login({ ...own, name: named("nobody") }, { project: { id: tenant } }),
      project: login(own, { project: { id: absent.hex } }),
      noMethods: ask("nobody", "POST identity/auth/tokens", { json: { auth: { identity: {} } } }),
      noAuth: ask("nobody", "POST identity/auth/tokens", { json: {} }),
      noBody: ask("nobody", "POST identity/auth/tokens")
    })
  }),

  "a revoked token is invalid": Effect.gen(function* () {
    const { ask } = yield* Systems
    const token = yield* freshToken
    const own = { headers: { "x-subject-token": token } }
    return yield* answers(
      {
        valid: ask("control", "GET identity/auth/tokens", own),
        revoke: ask("control", "DELETE identity/auth/tokens", own),
        again: ask("control", "DELETE identity/auth/tokens", own),
        afterwards: ask("control", "GET identity/auth/tokens", own),
        used: ask({ token }, "GET identity/auth/projects"),
        nonsense: ask("control", "GET identity/auth/tokens", { headers: { "x-subject-token": "nonsense" } })
      },
      // What a token holds beside its project differs by installation: the catalog, the roles, the methods.
      (answer) => (answer.status === 200 ? { status: 200, project: at(answer.json, "token", "project") } : seen(answer))
    )
  }),

  "projects in the raw: create, show, change, list, remove twice": Effect.gen(function* () {
    const { ask, named } = yield* Systems
    const name = named("raw")
    const created = yield* ask("control", "POST identity/projects", {
      json: { project: { name, domain_id: "default", description: "of mine", tags: ["one", "two"] } }
    })
    const own = `identity/projects/${idOf(created, "project")}`
    return yield* answers({
      created: Effect.succeed(created),
      taken: ask("control", "POST identity/projects", { json: { project: { name } } }),
      shown: ask("control", `GET ${own}`),
      renamed: ask("control", `PATCH ${own}`, { json: { project: { description: "of yours" } } }),
      renamedToTaken: ask("control", `PATCH ${own}`, { json: { project: { name: named("tenant") } } }),
      listed: ask("control", `GET identity/projects?name=${name}`),
      listedInCapitals: ask("control", `GET identity/projects?name=${name.toUpperCase()}`),
      listedByTag: ask("control", `GET identity/projects?name=${name}&tags=one,two`),
      listedByOtherTag: ask("control", `GET identity/projects?name=${name}&tags-any=ONE,three`),
      removed: ask("control", `DELETE ${own}`),
      removedAgain: ask("control", `DELETE ${own}`),
      changed: ask("control", `PATCH ${own}`, { json: { project: { description: "" } } })
    })
  }),

  "invalid requests for projects": Effect.gen(function* () {
    const { ask, named } = yield* Systems
    const post = (project: unknown) => ask("control", "POST identity/projects", { json: { project } })
    return yield* answers({
      noName: post({}),
      nameNumber: post({ name: 7 }),
      noProject: ask("control", "POST identity/projects", { json: {} }),
      noJson: ask("control", "POST identity/projects", { text: "{" }),
      enabledText: post({ name: named("wrong"), enabled: "maybe" }),
      tagWithComma: post({ name: named("wrong"), tags: ["a,b"] }),
      tagWithSlash: post({ name: named("wrong"), tags: ["a/b"] }),
      tagTwice: post({ name: named("wrong"), tags: ["a", "a"] }),
      tagTooLong: post({ name: named("wrong"), tags: ["x".repeat(256)] }),
      noDomain: post({ name: named("wrong"), domain_id: absent.hex })
    })
  }),

  "tags one by one": Effect.gen(function* () {
    const { ask } = yield* Systems
    const { id } = yield* project("tags")
    const own = `identity/projects/${id}/tags`
    return yield* answers({
      put: ask("control", `PUT ${own}/tier%3Adiscovery`),
      again: ask("control", `PUT ${own}/tier%3Adiscovery`),
      listed: ask("control", `GET ${own}`),
      checked: ask("control", `GET ${own}/tier%3Adiscovery`),
      checkedMissing: ask("control", `GET ${own}/missing`),
      replaced: ask("control", `PUT ${own}`, { json: { tags: ["b", "a"] } }),
      replacedWrongly: ask("control", `PUT ${own}`, { json: { tags: ["a", "a"] } }),
      replacedByNothing: ask("control", `PUT ${own}`, { json: {} }),
      removed: ask("control", `DELETE ${own}/a`),
      removedAgain: ask("control", `DELETE ${own}/a`),
      tooMany: ask("control", `PUT ${own}`, { json: { tags: Array.from({ length: 81 }, (_, i) => `t${i}`) } }),
      cleared: ask("control", `DELETE ${own}`),
      thenListed: ask("control", `GET ${own}`)
    })
  }).pipe(Effect.scoped),

  "users and their roles": Effect.gen(function* () {
    const { ask, named } = yield* Systems
    const { id } = yield* project("roles")
    const name = named("user")
    const created = yield* ask("control", "POST identity/users", { json: { user: { name, password: "pw" } } })
    const user = idOf(created, "user")
    const roles = yield* ask("control", "GET identity/roles?name=member")
    const member = `identity/projects/${id}/users/${user}/roles/${String(at(roles.json, "roles", 0, "id"))}`
    return yield* answers({
      created: Effect.succeed(created),
      taken: ask("control", "POST identity/users", { json: { user: { name: name.toUpperCase() } } }),
      noName: ask("control", "POST identity/users", { json: { user: {} } }),
      listed: ask("control", `GET identity/users?name=${name}&domain_id=default`),
      listedNone: ask("control", `GET identity/users?name=${name}-none`),
      role: Effect.succeed(roles),
      checkedBefore: ask("control", `HEAD ${member}`),
      granted: ask("control", `PUT ${member}`),
      grantedAgain: ask("control", `PUT ${member}`),
      checked: ask("control", `HEAD ${member}`),
      revoked: ask("control", `DELETE ${member}`),
      revokedAgain: ask("control", `DELETE ${member}`),
      grantedNoRole: ask("control", `PUT identity/projects/${id}/users/${user}/roles/${absent.hex}`),
      grantedNoUser: ask("control", `PUT identity/projects/${id}/users/${absent.hex}/roles/${absent.hex}`),
      removed: ask("control", `DELETE identity/users/${user}`),
      removedAgain: ask("control", `DELETE identity/users/${user}`)
    })
  }).pipe(Effect.scoped),

  "paths that identity does not have": Effect.gen(function* () {
    const { ask } = yield* Systems
    return yield* answers({ unknown: ask("control", "GET identity/nothing-here") }, ({ status }) => ({ status }))
  })
}

/** A token of the tenant's user that nobody else has, so that its end ends nothing else. */
const freshToken = Effect.gen(function* () {
  const { ask, tenant } = yield* Systems
  const password = Redacted.value((yield* Sessions).tenantPassword(tenant))
  const user = { name: tenantUserName(tenant), domain: { id: "default" }, password }
  const answer = yield* ask("nobody", "POST identity/auth/tokens", {
    json: { auth: { identity: { methods: ["password"], password: { user } }, scope: { project: { id: tenant } } } }
  })
  return answer.headers["x-subject-token"] ?? "no token"
})
