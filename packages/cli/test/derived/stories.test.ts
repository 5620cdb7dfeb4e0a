import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Layer } from "effect"
import { Cast, operator } from "../../../gateway/test/harness/Cast.ts"
import { TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { type Around, commandLine } from "../harness/commandLine.ts"

const Everything = Layer.mergeAll(Cast.layer.pipe(Layer.provideMerge(TestGateway.layer)), NodeServices.layer)

/** Acme's command line with its most powerful credential. */
const acme = Effect.fnUntraced(function* (args: ReadonlyArray<string>, around: Around = {}) {
  const { url } = yield* TestGateway
  const { acme } = yield* Cast
  return yield* commandLine(args, {
    ...around,
    env: { PORTICO_URL: url.customer, PORTICO_TOKEN: acme.tokens[2], ...around.env }
  })
})

const mint = (label: string) => acme(["credentials", "mint", "--kind", "api-key", "--tier", "0", "--label", label])

const idIn = (stdout: string): string => JSON.parse(stdout).credential_id

layer(Everything, { excludeTestServices: true })("commands of the contract", (it) => {
  it.effect("a create from flags appears in the list and by its identifier", () =>
    Effect.gen(function* () {
      const made = yield* mint("from flags")
      assert.strictEqual(made.exit, 0, made.stderr)
      assert.include(made.stderr, "The secrets are shown this once")
      const { stdout } = yield* acme(["credentials", "ls", "--label", "from flags"])
      assert.deepStrictEqual(
        JSON.parse(stdout).map((_: { label: string }) => _.label),
        ["from flags"]
      )
      const gone = yield* acme(["credentials", "rm", idIn(made.stdout), "--yes"])
      assert.strictEqual(gone.exit, 0, gone.stderr)
    })
  )

  it.effect("a withheld secret is reported as lost, and none as shown", () =>
    Effect.gen(function* () {
      const args = ["credentials", "mint", "--kind", "api-key", "--tier", "0", "--label", "lost"]
      const lost =
        "client_secret, pat: not shown, and cannot be shown again. Rotate with 'portico credentials rotate <credential_id>'"
      for (const wish of [
        ["--output", "name"],
        ["--fields", "credential_id"],
        ["--query", "credential_id"]
      ]) {
        const { exit, stderr } = yield* acme([...args, ...wish])
        assert.strictEqual(exit, 0, stderr)
        assert.include(stderr, lost)
        assert.notInclude(stderr, "Keep them now")
      }
      const one = yield* acme([...args, "--query", "pat", "--output", "tsv"])
      assert.include(one.stderr, "The secrets are shown this once. Keep them now.\nclient_secret: not shown, and")
      assert.notInclude((yield* acme([...args, "--output", "tsv"])).stderr, "not shown")
      const { url } = yield* TestGateway
      const env = { PORTICO_URL: url.operator, PORTICO_TOKEN: operator }
      const named = yield* acme(["tenants", "onboard", "Secretless", "-o", "name"], { env })
      assert.strictEqual(named.exit, 0, named.stderr)
      assert.include(named.stderr, "client_secret: not shown, and cannot be shown again.")
      assert.include(named.stderr, "--secret-file")
    })
  )

  it.effect("a list has the rows of all pages, or as many as are asked for", () =>
    Effect.gen(function* () {
      const label = ["--label", "page"]
      yield* Effect.forEach([1, 2, 3], () => mint("page"))
      const all = yield* acme(["credentials", "list", ...label])
      assert.lengthOf(JSON.parse(all.stdout), 3)
      const two = yield* acme(["credentials", "list", ...label, "--limit", "2"])
      assert.lengthOf(JSON.parse(two.stdout), 2)
      // One page of the gateway has 1000 rows at most.
      const many = yield* acme(["credentials", "list", ...label, "--limit", "2000"])
      assert.lengthOf(JSON.parse(many.stdout), 3, many.stderr)
    })
  )

  it.effect("a body comes from standard input, from a file or as an argument, and flags override it", () =>
    Effect.gen(function* () {
      const body = JSON.stringify({ kind: "api-key", tier: 0, label: "from a body" })
      const piped = yield* acme(["credentials", "mint", "--body", "-", "--label", "from a flag"], { stdin: body })
      assert.strictEqual(JSON.parse(piped.stdout).label, "from a flag", piped.stderr)
      const files = yield* FileSystem.FileSystem
      const file = yield* files.makeTempFileScoped()
      yield* files.writeFileString(file, body)
      const read = yield* acme(["credentials", "mint", "--body", `@${file}`])
      assert.strictEqual(JSON.parse(read.stdout).label, "from a body", read.stderr)
      const given = yield* acme(["credentials", "mint", "--body", body, "--tier", "1"])
      assert.strictEqual(JSON.parse(given.stdout).tier, 1, given.stderr)
    })
  )

  it.effect("the same key makes the same thing once", () =>
    Effect.gen(function* () {
      const args = ["credentials", "mint", "--kind", "api-key", "--tier", "0", "--label", "once"]
      const first = yield* acme([...args, "--idempotency-key", "k-1"])
      const second = yield* acme([...args, "--idempotency-key", "k-1"])
      assert.strictEqual(idIn(second.stdout), idIn(first.stdout))
    })
  )

  it.effect("invalid values are refused together, with a message each, before any call", () =>
    Effect.gen(function* () {
      const { exit, stderr, stdout } = yield* acme(
        ["credentials", "mint", "--kind", "robot", "--tier", "7", "--expires-in-days", "0"],
        { env: { PORTICO_URL: "http://127.0.0.1:1" } }
      )
      assert.strictEqual(exit, 2)
      assert.strictEqual(stdout, "")
      assert.include(stderr, "--kind: 'robot' is not 'api-key' or 'mcp'")
      assert.include(stderr, "--tier: '7' is not '0', '1' or '2'")
      assert.include(stderr, "--expires-in-days: '0' is not a whole number from 1 to 365")
      assert.include(stderr, "--label is required")
      assert.include(stderr, "portico credentials mint --help")
    })
  )

  it.effect("an identifier is checked, so that it cannot name another path", () =>
    Effect.gen(function* () {
      const dots = yield* acme(["projects", "show", ".."])
      assert.deepStrictEqual([dots.exit, /'\.\.' is not an identifier/.test(dots.stderr)], [2, true])
    })
  )

  it.effect("a refusal of the gateway prints its message and exits with the code of its kind", () =>
    Effect.gen(function* () {
      const missing = yield* acme(["credentials", "revoke", "cred-none", "--yes"])
      assert.strictEqual(missing.exit, 4)
      assert.include(missing.stderr, "credential_not_found")
      const { acme: tenant } = yield* Cast
      const args = ["credentials", "revoke", "cred-none", "--yes"]
      const low = yield* acme(args, { env: { PORTICO_TOKEN: tenant.tokens[0] } })
      assert.strictEqual(low.exit, 1)
      assert.include(low.stderr, "tier_too_low")
    })
  )

  it.effect("a destructive command without a terminal needs --yes", () =>
    Effect.gen(function* () {
      const made = yield* mint("kept")
      const { exit, stderr } = yield* acme(["credentials", "revoke", idIn(made.stdout)])
      assert.strictEqual(exit, 2)
      assert.include(stderr, "Add --yes if it is meant")
      const { stdout } = yield* acme(["credentials", "list", "--label", "kept"])
      assert.lengthOf(JSON.parse(stdout), 1)
    })
  )

  it.effect("secrets are read from a file or standard input, and refused as arguments", () =>
    Effect.gen(function* () {
      const shown = yield* acme([
        "integrations",
        "create",
        "--body",
        '{"kind":"slack","name":"x","url":"https://a.example/s"}'
      ])
      assert.strictEqual(shown.exit, 2)
      assert.include(shown.stderr, "everybody on this machine can see 'url'")
      const flag = yield* acme([
        "integrations",
        "create",
        "--kind",
        "slack",
        "--name",
        "x",
        "--url",
        "https://a.example/s"
      ])
      assert.notInclude(flag.stdout, "integration_id")
      const args = ["integrations", "create", "--kind", "slack", "--name", "on-call", "--url-file", "-"]
      const piped = yield* acme(args, { stdin: "https://hooks.acme.example/secret\n" })
      assert.strictEqual(piped.exit, 0, piped.stderr)
      const wrong = yield* acme(args, { stdin: "" })
      assert.strictEqual(wrong.exit, 2)
      assert.notInclude(wrong.stderr, "secret")
    })
  )

  it.effect("null clears a field, and giving both a value and null is a mistake", () =>
    Effect.gen(function* () {
      const made = yield* acme([
        "dns",
        "create-zone",
        "--name",
        "nulls.example.",
        "--email",
        "a@acme.example",
        "--description",
        "x"
      ])
      assert.strictEqual(made.exit, 0, made.stderr)
      const { zone_id } = JSON.parse(made.stdout)
      const changed = yield* acme(["dns", "change-zone", zone_id, "--no-description", "--wait", "--timeout", "30s"])
      assert.strictEqual(changed.exit, 0, changed.stderr)
      assert.deepInclude(JSON.parse(changed.stdout), { description: null, status: "ACTIVE" })
      const both = yield* acme(["dns", "change-zone", zone_id, "--no-description", "--description", "y"])
      assert.deepStrictEqual([both.exit, /contradict each other/.test(both.stderr)], [2, true])
    })
  )

  it.effect("an operator's command reports an address that is not an operator plane", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const refused = yield* acme(["tenants", "list"])
      assert.strictEqual(refused.exit, 1)
      assert.include(
        refused.stderr,
        "'portico tenants list' is for operators, and this address is not an operator plane"
      )
      const env = { PORTICO_URL: url.operator, PORTICO_TOKEN: operator }
      const listed = yield* acme(["tenants", "list", "--limit", "1"], { env })
      assert.lengthOf(JSON.parse(listed.stdout), 1, listed.stderr)
    })
  )

  it.effect("a catch-all takes a path, a body and headers, and prints the answer", () =>
    Effect.gen(function* () {
      const keypair = JSON.stringify({ keypair: { name: "from-cli" } })
      const made = yield* acme(["iaas", "post", "compute/os-keypairs", "--body", keypair])
      assert.strictEqual(made.exit, 0, made.stderr)
      const read = yield* acme(["iaas", "get", "compute/os-keypairs/from-cli"])
      assert.strictEqual(JSON.parse(read.stdout).keypair.name, "from-cli")
      const missing = yield* acme(["iaas", "get", "compute/os-keypairs/none"])
      assert.strictEqual(missing.exit, 4)
      assert.isNotEmpty(missing.stdout)
    })
  )

  it.effect("lines of an export are one JSON value each", () =>
    Effect.gen(function* () {
      yield* mint("exported")
      const { exit, stderr, stdout } = yield* acme(["audit", "export", "--method", "POST"])
      assert.strictEqual(exit, 0, stderr)
      const lines = stdout.trim().split("\n")
      assert.isAbove(lines.length, 1)
      for (const line of lines) assert.isObject(JSON.parse(line))
      assert.include(stdout, '"method":"POST"')
    })
  )
})
