import { assert, describe, it } from "@effect/vitest"
import { Caller, CallerTenant } from "@portico/contract/Access"
import { granted, scopeTextOf } from "@portico/domain/registry/scopes"
import * as fc from "fast-check"
import { administrator, callerOf, withTier } from "@portico/testing/tenants/caller"

const own = "0123456789abcdef0123456789abcdef"
const other = "fedcba9876543210fedcba9876543210"

const tenant = callerOf(own)

/** What is granted for one scope, in the syntax of scopes; empty for nothing. */
const grant = (caller: Caller, ...asked: ReadonlyArray<string>): string => scopeTextOf(granted(caller, asked))

describe("a tier's actions on its repositories", () => {
  const table = [
    [0, "pull", "pull"],
    [0, "push", ""],
    [0, "pull,push", "pull"],
    [0, "delete", ""],
    [0, "*", "pull"],
    [1, "pull", "pull"],
    [1, "push", "push"],
    [1, "push,pull", "pull,push"],
    [1, "pull,push,delete", "pull,push"],
    [1, "delete", ""],
    [1, "*", "pull,push"],
    [2, "delete", "delete"],
    [2, "delete,pull,push", "pull,push,delete"],
    [2, "*", "pull,push,delete"],
    [2, "pull,*", "pull,push,delete"],
    [2, "pull,pull", "pull"],
    [2, "", ""],
    [2, ",", ""],
    [2, "pull,,push", "pull,push"],
    [2, "admin", ""],
    [2, "pull,admin", "pull"],
    [2, "PULL", ""],
    [2, "**", ""]
  ] as const
  for (const [tier, asked, actions] of table) {
    it(`tier ${tier} with '${asked}' gets '${actions}'`, () => {
      const expected = actions === "" ? "" : `repository:${own}/app:${actions}`
      assert.strictEqual(grant(withTier(tenant, tier), `repository:${own}/app:${asked}`), expected)
    })
  }
})

describe("names of a tenant's repositories", () => {
  const longest = `${own}/${"a".repeat(222)}`
  const names: ReadonlyArray<readonly [name: string, own: boolean]> = [
    [`${own}/app`, true],
    [`${own}/team/app`, true],
    [`${own}/my-app_1.2/x--y__z`, true],
    [longest, true],
    [`${longest}a`, false],
    [`${other}/app`, false],
    [own, false],
    [`${own}/`, false],
    [`${own}//app`, false],
    [`${own}app/app`, false],
    [`${own}-x/app`, false],
    [`/${own}/app`, false],
    [`library/${own}/app`, false],
    [`registry.example:5000/${own}/app`, false],
    [`${own.toUpperCase()}/app`, false],
    [`${own}/App`, false],
    [`${own}/app.`, false],
    [`${own}/.app`, false],
    [`${own}/a..b`, false],
    [`${own}/a___b`, false],
    [`${own}/../${other}/app`, false],
    [`${own}/%2e%2e/app`, false],
    [`${own}/app\n`, false],
    [`${own}/app:tag`, false],
    [`${own}/*`, false],
    ["*", false],
    ["", false]
  ]
  for (const [name, isOwn] of names) {
    it(`${JSON.stringify(name)}: ${isOwn ? "is" : "is not"}`, () => {
      assert.deepStrictEqual(
        granted(tenant, [`repository:${name}:pull`]),
        isOwn ? [{ type: "repository", name, actions: ["pull"] }] : []
      )
    })
  }

  it("a platform administrator reaches those of every project, and no others", () => {
    for (const project of [own, other]) {
      assert.strictEqual(
        grant(administrator, `repository:${project}/app:*`),
        `repository:${project}/app:pull,push,delete`
      )
    }
    for (const name of ["app", "library/app", "registry.example:5000/app"]) {
      assert.strictEqual(grant(administrator, `repository:${name}:*`), "")
    }
  })
})

describe("scopes", () => {
  it("a class is dropped from the type", () => {
    assert.strictEqual(grant(tenant, `repository(plugin):${own}/app:pull`), `repository:${own}/app:pull`)
  })

  it("of the same repository are merged, and others keep their order", () => {
    const asked = [`repository:${own}/b:pull`, `repository:${own}/a:pull`, `repository:${own}/b:push`]
    assert.strictEqual(grant(tenant, ...asked), `repository:${own}/b:pull,push repository:${own}/a:pull`)
  })

  it("are skipped when they are malformed", () => {
    for (const text of [
      "",
      ":",
      "::",
      "repository",
      `repository:${own}/app`,
      `Repository:${own}/app:pull`,
      "a:b:c d"
    ]) {
      assert.strictEqual(grant(tenant, text), "", text)
    }
  })

  it("another's repository beside it does not refuse the own one", () => {
    const asked = [`repository:${own}/app:pull,push`, `repository:${other}/base:pull`]
    assert.strictEqual(grant(tenant, ...asked), `repository:${own}/app:pull,push`)
  })

  it("the catalog is for platform administrators", () => {
    assert.deepStrictEqual(granted(administrator, ["registry:catalog:*"]), [
      { type: "registry", name: "catalog", actions: ["*"] }
    ])
    assert.deepStrictEqual(granted(tenant, ["registry:catalog:*"]), [])
    for (const text of ["registry:catalog:pull", "registry:other:*", "registry:catalog:", "catalog:registry:*"]) {
      assert.deepStrictEqual(granted(administrator, [text]), [], text)
    }
  })

  it("a repository's `*`, or another project's name, is never granted", () => {
    const pieces = [
      "repository",
      "registry",
      "(plugin)",
      ":",
      ",",
      "*",
      "pull",
      "push",
      "delete",
      own,
      other,
      "/",
      "app",
      "catalog",
      " "
    ]
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((_) => _.join(""))
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), fc.constantFrom(0, 1, 2), (asked, tier) => {
        for (const { actions, name, type } of granted(withTier(tenant, tier), asked)) {
          assert.strictEqual(type, "repository")
          assert.isTrue(name.startsWith(`${own}/`), name)
          const allowed = ["pull", "push", "delete"].slice(0, tier + 1)
          assert.isNotEmpty(actions)
          assert.includeMembers(allowed, [...actions])
        }
      }),
      { numRuns: 2000 }
    )
  })
})

describe("further limits of a token", () => {
  it("a closing tenant can only be read", () => {
    const closing = new CallerTenant({ projectId: own, name: "", closing: true, source: "credential_store" })
    assert.strictEqual(
      grant(new Caller({ ...tenant, tenant: closing }), `repository:${own}/app:*`),
      `repository:${own}/app:pull`
    )
  })

  const denies = [
    ["registry", 0, ""],
    ["registry:operate", 1, "pull"],
    ["registry:destroy", 2, "pull,push"]
  ] as const
  for (const [deny, from, actions] of denies) {
    it(`a policy that denies ${deny} leaves '${actions}'`, () => {
      const denied = new Caller({ ...tenant, denies: [{ area: "registry", from, deny, ou: "" }] })
      const expected = actions === "" ? "" : `repository:${own}/app:${actions}`
      assert.strictEqual(grant(denied, `repository:${own}/app:*`), expected)
    })
  }
})
