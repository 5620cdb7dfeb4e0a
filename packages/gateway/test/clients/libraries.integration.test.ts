import { assert, describe, it as plain, layer } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Cast } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { folder } from "../parts/parts.ts"
import { isHere, part, ran, title } from "./clients.ts"
import { blockIn, goNames, settings, Stage, storyOf, tooLow, versionsOnPage } from "./stage.ts"

/** What a story says in the end: the block of the page comes first. */
const told = Effect.fnUntraced(function* (section: string, story: string, more: Readonly<Record<string, string>> = {}) {
  const { path, write } = yield* folder
  const file = write("story.py", blockIn(section, "python") + storyOf(story))
  const { code, stderr, stdout } = yield* ran(path, ["python", "-W", "ignore", file], { ...(yield* settings), ...more })
  assert.strictEqual(code, 0, stderr)
  return JSON.parse(stdout)
}, Effect.scoped)

describe("docs/tenants/clients.md", () => {
  plain.skipIf(!isHere)(title("names the versions that are installed"), () =>
    Effect.gen(function* () {
      const names = [...versionsOnPage].filter(([name]) => !goNames.includes(name))
      assert.strictEqual(names.length, 7)
      const packages = names.map(([name]) => name).filter((_) => _ !== "openstack.cloud")
      const script = "import sys; from importlib.metadata import version; print(*map(version, sys.argv[1:]))"
      const { stdout } = yield* ran("/", ["python", "-c", script, ...packages])
      const manifest = readFileSync(join(part, "ansible_collections/openstack/cloud/MANIFEST.json"), "utf8")
      const installed = new Map(packages.map((name, n) => [name, stdout.trim().split(" ")[n]]))
      installed.set("openstack.cloud", JSON.parse(manifest).collection_info.version)
      assert.deepStrictEqual(
        names.map(([name]) => [name, installed.get(name)]),
        names.map(([name, version]) => [name, version])
      )
    }).pipe(Effect.runPromise)
  )
})

if (isHere) {
  layer(Stage, { excludeTestServices: true })("in front of the gateway", (it) => {
    it.effect("boto3 does what S3 clients do with the gateway's pair, and the gateway sees it", () =>
      Effect.gen(function* () {
        const { acme, globex } = yield* Cast
        const { call } = yield* TestGateway
        const asked = { token: acme.tokens[2] }
        const foreign = { token: globex.tokens[2], body: { name: "of-globex" } }
        assert.strictEqual((yield* call("customer", "POST", "/v1/object-storage/buckets", foreign)).status, 201)
        assert.deepStrictEqual(yield* told("boto3", "objects.py", { FOREIGN_BUCKET: "of-globex" }), {
          buckets: ["by-boto3"],
          metadata: { from: "boto3" },
          range: "irs",
          versions: ["second", "first"],
          large: true,
          pages: [["pages/0", "pages/1"], ["pages/2", "pages/3"], ["pages/4"]],
          gone: ["pages/0", "pages/1", "pages/2", "pages/3", "pages/4"],
          presigned: "second",
          absent: "NoSuchKey",
          full: "BucketNotEmpty",
          foreign: "AccessDenied"
        })
        const at = "/v1/object-storage/buckets/by-boto3"
        const seen = (path: string) => Effect.map(call("customer", "GET", `${at}${path}`, asked), jsonOf)
        assert.strictEqual((yield* seen("/versioning")).versioning, "enabled")
        assert.deepStrictEqual(
          (yield* seen("/cors")).rules.map((_: { allowed_origins: unknown }) => _.allowed_origins),
          [["https://app.example"]]
        )
        assert.deepStrictEqual(
          (yield* seen("/objects")).objects.map((_: { key: string }) => _.key),
          ["2026/a b+c.txt", "large"]
        )
      })
    )

    it.effect("the Kubernetes client of Python works in the tenant's namespace, and there alone", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* told("kubernetes", "cluster.py"), {
          patched: { color: "red" },
          watched: ["ADDED", "seen"],
          scaled: 2,
          executed: "hi\n",
          logged: 200,
          dynamic: "red",
          everywhere: [404, "Not Found"],
          nodes: [404, "Not Found"],
          reader: [403, tooLow("POST", 1, 0)],
          left: ["kube-root-ca.crt", "settings"]
        })
      })
    )

    it.effect(
      "openstacksdk finds its services in the gateway's catalog, and makes and removes what a server needs",
      () =>
        Effect.gen(function* () {
          const { acme } = yield* Cast
          assert.deepStrictEqual(yield* told("openstacksdk", "cloud.py"), {
            project: acme.projectId,
            services: [
              "block-storage",
              "compute",
              "dns",
              "identity",
              "image",
              "key-manager",
              "load-balancer",
              "network",
              "volumev3"
            ],
            rules: [443],
            volume: "available",
            server: "ACTIVE",
            attached: "in-use",
            users: [403, "Of the identity service, tenants can read their own project, its tags, and the regions"],
            deleted: [true, true, true, true],
            left: []
          })
        })
    )

    it.effect("the program openstack makes, shows and removes", () =>
      Effect.gen(function* () {
        const { CUSTOMER_URL, TOKEN } = yield* settings
        const { path } = yield* folder
        const env = {
          OS_AUTH_TYPE: "v3token",
          OS_AUTH_URL: `${CUSTOMER_URL}/openstack/identity`,
          OS_TOKEN: TOKEN,
          OS_IDENTITY_API_VERSION: "3"
        }
        const openstack = Effect.fnUntraced(function* (line: string) {
          const { code, stderr, stdout } = yield* ran(path, ["openstack", ...line.split(" ")], env)
          assert.strictEqual(code, 0, stderr)
          return stdout
        })
        const { id } = JSON.parse(yield* openstack("volume create --size 1 by-openstack -f json"))
        const rows: ReadonlyArray<{ readonly ID: string }> = JSON.parse(yield* openstack("volume list -f json"))
        assert.deepStrictEqual(
          rows.map((_) => _.ID),
          [id]
        )
        assert.strictEqual(yield* openstack(`volume delete ${id}`), "")
      }).pipe(Effect.scoped)
    )

    it.effect("Ansible's openstack.cloud makes what the playbook says, and nothing when it is repeated", () =>
      Effect.gen(function* () {
        const { path, write } = yield* folder
        const playbook = write("play.yml", blockIn("Ansible", "yaml"))
        const play = Effect.fnUntraced(function* () {
          const { code, stderr, stdout } = yield* ran(path, ["ansible-playbook", "-i", "localhost,", playbook], {
            ...(yield* settings),
            ANSIBLE_COLLECTIONS_PATH: part,
            ANSIBLE_LOCAL_TEMP: path,
            ANSIBLE_STDOUT_CALLBACK: "ansible.builtin.default",
            ANSIBLE_NOCOLOR: "1",
            LC_ALL: "C.UTF-8"
          })
          assert.strictEqual(code, 0, stdout + stderr)
          return /ok=(\d+) +changed=(\d+)/.exec(stdout)?.slice(1)
        })
        assert.deepStrictEqual(yield* play(), ["4", "4"])
        assert.deepStrictEqual(yield* play(), ["4", "0"])
      }).pipe(Effect.scoped)
    )
  })
}
