import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { parse } from "yaml"
import { differenceOf } from "../../src/setup/difference.ts"
import { checkIni, withoutSection, withSection as withSectionOf } from "../../src/setup/iniFile.ts"
import { type YamlEntry, readYaml, withEntry, withoutEntry, withScalar } from "../../src/setup/yamlFile.ts"

const cloud: YamlEntry = { collection: "clouds", kind: "map", name: "portico" }
const user: YamlEntry = { collection: "users", kind: "list", name: "portico" }
const withSection = (...given: Parameters<typeof withSectionOf>) => Effect.runSync(withSectionOf(...given))
const open = (text: string) => Effect.runSync(readYaml(text, "file.yaml"))

describe("an entry of a YAML file", () => {
  const fields = { auth_type: "v3token", auth: { auth_url: "https://a.example/v1", name: "yes" }, verify: true }
  /** Foreign lines stay letter by letter, and the removal gives the file back. */
  const files: Readonly<Record<string, string>> = {
    "comments, odd indentation, numbers that look octal, and block scalars":
      "# mine\nclouds:   # here\n    # work\n    other:   # x\n        n: 0123\n        y: yes\n        k: |\n          a\n            b\n        f: >-\n          long\n          text\n\n# end\n",
    "anchors and merge keys": "base: &b {a: 1}\nclouds:\n  other:\n    <<: *b\n",
    "an end without a newline": "clouds:\n  other:\n    a: 1",
    "document markers": "---\nclouds:\n  other: {a: 1}\n...\n",
    "newlines of Windows": "clouds:\r\n  other:\r\n    a: 1\r\n",
    "a key without a value": "clouds:\n  other:\n  third:\n    a: ~\n",
    "a key behind it": "clouds:\n  other:\n    a: 1\nclient:\n  force_ipv4: true\n"
  }
  for (const [what, text] of Object.entries(files)) {
    it(`stands beside ${what}`, () => {
      const after = withEntry(open(text), cloud, fields, "Managed")
      const lines = after.split("\n")
      for (const line of text.split("\n")) assert.include(lines, line)
      const again = open(after)
      assert.strictEqual(withEntry(again, cloud, fields, "Managed"), after)
      assert.strictEqual(withoutEntry(again, cloud).trimEnd(), text.trimEnd())
      assert.deepStrictEqual(parse(after, { merge: true }).clouds.portico, fields)
    })
  }

  it("stands in files in braces, and where the collection is empty or missing", () => {
    for (const text of [
      "",
      "# nothing\n",
      "clouds:\n",
      "clouds: {} # none\n",
      "clouds: {other: {a: '1'}}\n",
      '{"clouds": {"other": {}}}',
      "a: b\n"
    ]) {
      const after = withEntry(open(text), cloud, fields, "Managed")
      const { portico, ...others } = parse(after).clouds
      assert.deepStrictEqual(portico, fields, text)
      assert.deepStrictEqual(others, parse(text)?.clouds ?? {}, text)
      const { clouds, ...rest } = parse(withoutEntry(open(after), cloud))
      const { clouds: before = {}, ...restBefore } = parse(text) ?? {}
      assert.deepStrictEqual([clouds, rest], [before ?? {}, restBefore], text)
    }
  })

  it("is an item of a list, indented as the others are", () => {
    const entry = { name: "portico", user: { exec: { args: ["a"] } } }
    for (const text of ["users:\n- name: a # c\n  user: {}\nz: 1\n", "users:\n  - name: a # c\n    user: {}\n"]) {
      const after = withEntry(open(text), user, entry)
      assert.deepStrictEqual(parse(after).users[1], entry)
      assert.include(after, "name: a # c\n")
      assert.strictEqual(withoutEntry(open(after), user), text)
    }
    for (const text of ["users: null\n", "users: []\n", ""]) {
      assert.deepStrictEqual(parse(withEntry(open(text), user, entry)).users, [entry])
    }
  })

  it("replaces a top-level field alone", () => {
    assert.strictEqual(withScalar(open("a: 1 # x\nb: 2 # y\n"), "b", "yes"), 'a: 1 # x\nb: "yes" # y\n')
    assert.strictEqual(withScalar(open("a: 1\n"), "b", "c"), "a: 1\nb: c\n")
    assert.deepStrictEqual(parse(withScalar(open('{"a": "1"}'), "b", "c")), { a: "1", b: "c" })
  })
})

describe("a section of an INI file", () => {
  const settings = [
    ["key", "value"],
    ["nested", { a: "b" }]
  ] as const

  const mark = "Managed by portico setup (x)"

  it("is appended, and removed without a trace", () => {
    for (const text of ["[a]\nb = c # d\n; e\n", "[a]\r\nb = c\r\n", "# only a comment\n", "[a]\n"]) {
      const after = withSection(text, "portico", settings, { mark })
      assert.isTrue(after.startsWith(text))
      assert.strictEqual(withSection(after, "portico", settings, { mark }), after)
      assert.strictEqual(withoutSection(after, "portico"), text)
    }
  })

  it("keeps added settings, and the comments of the next section", () => {
    const text =
      "[portico]\n# Managed by portico setup (x)\nkey = old\nold = gone\nnested =\n  c = d\nown =\n  e = f\n\n# of b\n[b]\n"
    assert.strictEqual(
      withSection(text, "portico", settings, { mark, managed: ["old"] }),
      "[portico]\n# Managed by portico setup (x)\nkey = value\nnested =\n  a = b\nown =\n  e = f\n\n# of b\n[b]\n"
    )
    assert.strictEqual(withoutSection(text, "portico"), "\n# of b\n[b]\n")
  })

  it("a malformed line is named", () => {
    const failure = (text: string) => Effect.runSync(Effect.flip(checkIni(text, "file"))).message
    assert.include(failure("a = b\n"), "line 1: a setting stands above all sections")
    assert.include(failure("[a]\n\nb\n"), "line 3: neither a section nor a setting")
    Effect.runSync(checkIni("# c\n[a b]\nc: d\n  e = f\n; g\nh =\n", "file"))
  })
})

describe("a diff", () => {
  const diff = (before: string, after: string) => differenceOf({ path: "f", before, after }, false)

  it("hides secrets, ours and foreign", () => {
    const secrets = [
      "password: hush",
      "    auth: {username: a, password: hush}",
      "secret_key = hush",
      "aws_secret_access_key=hush",
      "client-key-data: hush",
      '"auth": "hush",',
      "  token: hush # c",
      "application_credential_secret: hush",
      "user: {token: hush}"
    ]
    for (const line of secrets) {
      assert.notInclude(diff(`${line}\n`, `${line}\nnew: 1\n`), "hush", line)
      assert.notInclude(diff("", `${line}\n`), "hush", line)
    }
  })

  it("shows everything else", () => {
    const lines = ["auth_type: v3token", "auth:", "auth_url: https://a.example", "env_auth = true", '"auths": {']
    for (const line of lines) assert.include(diff("", `${line}\n`), `+${line}`)
    assert.isTrue(diff("a\n", "b\n").startsWith("--- f\n+++ f\n@@"))
  })
})
