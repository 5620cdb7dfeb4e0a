import { assert, layer } from "@effect/vitest"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Layer } from "effect"
import { mkdirSync, readdirSync, symlinkSync } from "node:fs"
import { parse } from "yaml"
import { Cast } from "../../../gateway/test/harness/Cast.ts"
import { TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import type { Ended } from "../harness/commandLine.ts"
import { machine } from "./Machine.ts"

const Gateway = TestGateway.layerOf(
  Effect.map(Server, ({ s3Url, url }) => ({
    ...gatewaySettings(url),
    OPENSTACK_COMPATIBILITY: "true",
    OBJECT_STORAGE_PUBLIC_URL: s3Url
  }))
).pipe(Layer.provideMerge(Server.layer({ port: 0, s3Port: 0 }).pipe(Layer.provideMerge(SimulatedCloud.layerMemory))))

/** Acme's machine: its address and a token stand in the environment. */
const acme = Effect.gen(function* () {
  const { acme } = yield* Cast
  const { url } = yield* TestGateway
  const [, token] = acme.tokens
  const made = yield* machine({ PORTICO_URL: url.customer, PORTICO_TOKEN: token })
  return { ...made, url: url.customer, token, projectId: acme.projectId }
})

const succeeded = ({ exit, stderr }: Ended) => assert.strictEqual(exit, 0, stderr)

const foreignClouds = `# my clouds
clouds:
    other:   # at work
        auth: {username: 'x', password: "p#w"}
        region_name: 0123
`

layer(Cast.layer.pipe(Layer.provideMerge(Gateway)), { excludeTestServices: true })("portico setup", (it) => {
  it.effect("openstack: a cloud without a secret, beside others that stay letter by letter", () =>
    Effect.gen(function* () {
      const { modeOf, portico, read, token, url, write } = yield* acme
      const path = ".config/openstack/clouds.yaml"
      write(path, foreignClouds, 0o640)
      succeeded(yield* portico("setup openstack --region RegionOne"))
      const text = read(path)
      assert.isTrue(text.startsWith(foreignClouds))
      assert.notInclude(text, token)
      assert.deepStrictEqual(parse(text).clouds.portico, {
        auth_type: "v3token",
        auth: { auth_url: `${url}/openstack/identity` },
        region_name: "RegionOne"
      })
      assert.strictEqual(modeOf(path), 0o640)

      const again = yield* portico("setup openstack")
      assert.include(again.stderr, "Everything is as it should be.")
      assert.strictEqual(read(path), text)

      succeeded(yield* portico("setup openstack --remove"))
      assert.strictEqual(read(path), foreignClouds)
    })
  )

  it.effect("openstack: the token goes to secure.yaml on request, and to no file that others can read", () =>
    Effect.gen(function* () {
      const { has, modeOf, portico, read, token, write } = yield* acme
      succeeded(yield* portico("setup openstack --store-secret"))
      const secure = ".config/openstack/secure.yaml"
      assert.deepStrictEqual(parse(read(secure)), { clouds: { portico: { auth: { token } } } })
      assert.strictEqual(modeOf(secure), 0o600)
      assert.strictEqual(modeOf(".config/openstack"), 0o700)
      assert.notInclude(read(".config/openstack/clouds.yaml"), token)

      succeeded(yield* portico("setup openstack --remove"))
      assert.deepStrictEqual([has(secure), has(".config/openstack/clouds.yaml")], [false, false])

      for (const mode of [0o640, 0o604]) {
        write(secure, "clouds:\n  other: {}\n", mode)
        const refused = yield* portico("setup openstack --store-secret")
        assert.strictEqual(refused.exit, 1)
        assert.include(refused.stderr, "can be read by others, and is to hold a secret")
        assert.isFalse(has(".config/openstack/clouds.yaml"))
      }
    })
  )

  it.effect("a foreign entry is not overwritten without another name or --force", () =>
    Effect.gen(function* () {
      const { at, portico, read, write } = yield* acme
      const path = ".config/openstack/clouds.yaml"
      const text = "clouds:\n  portico:\n    auth_type: password\n"
      write(path, text)
      const refused = yield* portico("setup openstack")
      assert.strictEqual(refused.exit, 1)
      assert.strictEqual(
        refused.stderr,
        `The cloud 'portico' in ${at(path)} was not written by 'portico setup'.\n` +
          "Take another name with --name, or replace it with --force.\n"
      )
      assert.strictEqual((yield* portico("setup openstack --remove")).exit, 1)
      assert.strictEqual(read(path), text)
      succeeded(yield* portico("setup openstack --name acme"))
      assert.isTrue(read(path).startsWith(text))
      succeeded(yield* portico("setup openstack --force"))
      assert.strictEqual(parse(read(path)).clouds.portico.auth_type, "v3token")
    })
  )

  it.effect("an entry of another address is not overwritten either", () =>
    Effect.gen(function* () {
      const { portico, read, url } = yield* acme
      succeeded(yield* portico("setup openstack"))
      const text = read(".config/openstack/clouds.yaml")
      const elsewhere = url.replace("127.0.0.1", "localhost")
      const refused = yield* portico("setup openstack", { PORTICO_URL: elsewhere })
      assert.strictEqual(refused.exit, 1)
      assert.include(refused.stderr, `belongs to ${url}`)
      assert.strictEqual(read(".config/openstack/clouds.yaml"), text)
    })
  )

  it.effect("kubectl: cluster, user and context beside foreign ones, with a plugin in place of a token", () =>
    Effect.gen(function* () {
      const { modeOf, portico, projectId, read, token, url, write } = yield* acme
      const foreign = `apiVersion: v1
kind: Config
clusters:
- cluster:
    server: https://other.example
  name: other
contexts:
- context: {cluster: other, user: other}
  name: other
users:
- name: other
  user:
    token: abc # mine
current-context: other
`
      write(".kube/config", foreign)
      succeeded(yield* portico("setup kubectl"))
      const text = read(".kube/config")
      const { clusters, contexts, users, ...rest } = parse(text)
      assert.strictEqual(rest["current-context"], "other")
      assert.deepStrictEqual(
        [clusters[0], contexts[0], users[0]],
        [parse(foreign).clusters[0], parse(foreign).contexts[0], parse(foreign).users[0]]
      )
      assert.strictEqual(clusters[1].cluster.server, `${url}/v1/kubernetes`)
      assert.strictEqual(contexts[1].context.namespace, `db-${projectId}`)
      assert.deepStrictEqual(users[1].user.exec.args, ["kubectl-token", "--url", url])
      assert.strictEqual(users[1].user.exec.command, "portico")
      assert.notInclude(text, token)
      for (const line of foreign.split("\n")) assert.include(text, line)

      assert.include((yield* portico("setup kubectl")).stderr, "Everything is as it should be.")
      succeeded(yield* portico("setup kubectl --use"))
      assert.include(read(".kube/config"), "current-context: portico\n")
      succeeded(yield* portico("setup kubectl --remove"))
      assert.strictEqual(read(".kube/config"), foreign.replace("current-context: other", 'current-context: ""'))
      assert.strictEqual(modeOf(".kube/config"), 0o600)
    })
  )

  it.effect("kubectl: of the files in KUBECONFIG the one with the context, else the first", () =>
    Effect.gen(function* () {
      const { at, has, portico, read, write } = yield* acme
      write("two", "apiVersion: v1\nkind: Config\n")
      write("three", "apiVersion: v1\nkind: Config\ncontexts:\n- name: mine\n  context: {}\n")
      const env = { KUBECONFIG: `${at("one")}:${at("two")}:${at("three")}` }
      succeeded(yield* portico("setup kubectl", env))
      assert.include(read("two"), "name: portico")
      assert.deepStrictEqual([has("one"), read("three").includes("portico")], [false, false])
      const refused = yield* portico("setup kubectl --name mine", env)
      assert.include(refused.stderr, `The context 'mine' in ${at("three")} was not written by 'portico setup'`)
    })
  )

  it.effect("aws and rclone: a profile and a remote that run a helper", () =>
    Effect.gen(function* () {
      const { portico, read, url, write } = yield* acme
      const { s3Url } = yield* Server
      const foreign =
        "[default]\nregion = eu-central-1 # home\n\n# of the office\n[profile office]\ns3 =\n  max_concurrent_requests = 3\n"
      write(".aws/config", foreign)
      succeeded(yield* portico("setup rclone"))
      assert.strictEqual(
        read(".aws/config"),
        `${foreign}
[profile portico]
# Managed by portico setup (${url})
credential_process = portico aws-credentials --url ${url}
region = us-east-1
endpoint_url = ${s3Url}
s3 =
  addressing_style = path
request_checksum_calculation = when_required
response_checksum_validation = when_required
`
      )
      assert.strictEqual(
        read(".config/rclone/rclone.conf"),
        `[portico]
type = s3
provider = Ceph
env_auth = true
profile = portico
endpoint = ${s3Url}
region = us-east-1
force_path_style = true
description = Managed by portico setup (${url})
`
      )
      assert.include((yield* portico("setup aws")).stderr, "Everything is as it should be.")
      write(".aws/config", read(".aws/config").replace("[profile office]", "[profile office]\noutput = text"))
      write(".aws/config", `${read(".aws/config")}output = json\n`)
      succeeded(yield* portico("setup aws --region other"))
      assert.include(read(".aws/config"), "region = other\n")
      assert.isTrue(read(".aws/config").endsWith("when_required\noutput = json\n"))
      succeeded(yield* portico("setup aws --remove"))
      assert.strictEqual(read(".aws/config"), foreign.replace("[profile office]", "[profile office]\noutput = text"))
    })
  )

  it.effect("aws: an endpoint of the platform cannot add a setting", () =>
    Effect.gen(function* () {
      const { has, portico, read, url } = yield* acme
      for (const name of ["file:///etc/passwd", "ftp://s3.example"]) {
        assert.strictEqual((yield* portico(`setup aws --endpoint ${name}`)).exit, 2)
        assert.isFalse(has(".aws/config"))
      }
      for (const client of ["aws", "rclone"]) {
        succeeded(yield* portico(`setup ${client} --endpoint https://s3.example/\ncredential_process=touch\t/tmp/x`))
      }
      const all = [".aws/config", ".config/rclone/rclone.conf"].map(read).join("\n")
      assert.notMatch(all, /^credential_process=/m)
      assert.include(all, "endpoint_url = https://s3.example/credential_process=touch/tmp/x\n")
      assert.include(all, url)
    })
  )

  it.effect("s3cmd: a file of its own beside an existing one; keys only on request", () =>
    Effect.gen(function* () {
      const { has, modeOf, portico, read, write } = yield* acme
      const { s3Url } = yield* Server
      const { host } = new URL(s3Url)
      write(".s3cfg", "[default]\naccess_key = mine\n")
      const first = yield* portico("setup s3cmd")
      assert.include(first.stderr, "portico exec --s3 -- s3cmd -c ")
      assert.include(read(".s3cfg-portico"), `host_base = ${host}\nhost_bucket = ${host}\nuse_https = False\n`)
      assert.notInclude(read(".s3cfg-portico"), "secret_key")
      succeeded(yield* portico("setup s3cmd --store-secret"))
      assert.match(read(".s3cfg-portico"), /^secret_key = \S+$/m)
      assert.strictEqual(modeOf(".s3cfg-portico"), 0o600)
      assert.strictEqual(read(".s3cfg"), "[default]\naccess_key = mine\n")
      const diff = yield* portico("setup s3cmd --dry-run")
      assert.include(diff.stdout, "-secret_key = ***")
      assert.match(read(".s3cfg-portico"), /^secret_key = \S+$/m)
      succeeded(yield* portico("setup s3cmd --remove"))
      assert.isFalse(has(".s3cfg-portico"))
    })
  )

  it.effect("docker: the helper of one registry", () =>
    Effect.gen(function* () {
      const { has, portico, read, url, write } = yield* acme
      const foreign = '{\n\t"auths": {\n\t\t"other.example": {}\n\t},\n\t"credsStore": "desktop"\n}'
      write(".docker/config.json", foreign)
      const missing = yield* portico("setup docker")
      assert.strictEqual(missing.exit, 2)
      succeeded(yield* portico("setup docker --registry registry.example:5000"))
      assert.deepStrictEqual(JSON.parse(read(".docker/config.json")), {
        ...JSON.parse(foreign),
        credHelpers: { "registry.example:5000": "portico" }
      })
      assert.isTrue(read(".docker/config.json").startsWith(foreign.slice(0, -2)))
      assert.deepStrictEqual(JSON.parse(read(".config/portico/registries.json")), {
        "registry.example:5000": { source: url, url }
      })
      assert.isFalse(has(".local/bin/docker-credential-portico"))
      assert.include(
        (yield* portico("setup docker --registry registry.example:5000")).stderr,
        "Everything is as it should be."
      )
      succeeded(yield* portico("setup docker --registry registry.example:5000 --remove"))
      assert.deepStrictEqual(JSON.parse(read(".docker/config.json")).credHelpers, {})
      assert.isFalse(has(".config/portico/registries.json"))
    })
  )

  it.effect("docker: the helper is written to ~/.local/bin if it is not on the PATH", () =>
    Effect.gen(function* () {
      const { modeOf, portico, read } = yield* acme
      const ended = yield* portico("setup docker --registry registry.example", { PATH: "/nowhere" })
      assert.include(ended.stderr, "is not on the PATH")
      assert.match(
        read(".local/bin/docker-credential-portico"),
        /^#!\/bin\/sh\n# Managed by portico setup \(docker\)\nexec .* docker-credential "\$@"\n$/
      )
      assert.strictEqual(modeOf(".local/bin/docker-credential-portico"), 0o755)
    })
  )

  it.effect("terraform: a file of its own, unless the configuration has the provider", () =>
    Effect.gen(function* () {
      const { at, has, portico, read, write } = yield* acme
      const file = at("work/portico.tf")
      mkdirSync(at("work"))
      succeeded(yield* portico(`setup terraform --file ${file}`))
      assert.include(
        read("work/portico.tf"),
        'provider "openstack" {\n  cloud        = "portico"\n  allow_reauth = false\n}\n'
      )
      assert.include(read("work/portico.tf"), "required_providers")
      succeeded(yield* portico(`setup terraform --remove --file ${file}`))
      assert.isFalse(has("work/portico.tf"))
      write("work/main.tf", 'provider "openstack" {\n}\n')
      const refused = yield* portico(`setup terraform --file ${file}`)
      assert.include(refused.stderr, `${at("work/main.tf")} has a provider "openstack" already`)
      assert.isFalse(has("work/portico.tf"))
    })
  )

  it.effect("a dry run shows a diff without foreign secrets, and --print the entries; neither writes", () =>
    Effect.gen(function* () {
      const { portico, read, url, write } = yield* acme
      const path = ".config/openstack/clouds.yaml"
      write(path, "clouds:\n  other:\n    auth:\n      password: hush\n")
      const { exit, stderr, stdout } = yield* portico("setup openstack --dry-run")
      assert.strictEqual(exit, 0)
      assert.include(stderr, "this is a dry run")
      assert.include(stdout, "+  portico:\n")
      assert.include(stdout, "password: ***")
      assert.notInclude(stdout, "hush")
      const printed = yield* portico("setup openstack --print")
      assert.deepStrictEqual(parse(printed.stdout).clouds.portico.auth, { auth_url: `${url}/openstack/identity` })
      assert.strictEqual(read(path), "clouds:\n  other:\n    auth:\n      password: hush\n")
    })
  )

  it.effect("an invalid file is named with the position, and left unchanged", () =>
    Effect.gen(function* () {
      const { at, portico, read, write } = yield* acme
      const broken = [
        [".config/openstack/clouds.yaml", "clouds:\n  a: [1\n", "openstack", "line 3, column 1: "],
        [".config/openstack/clouds.yaml", "clouds: text\n", "openstack", "'clouds' is not a mapping"],
        [".kube/config", "clusters: {}\nusers: 1\n", "kubectl", "'clusters' is not a list"],
        [".aws/config", "[default]\nregion\n", "aws", "line 2: neither a section nor a setting"],
        [".docker/config.json", '{\n  "auths": {,}\n}', "docker --registry a.example", "line 2, column 13: "]
      ] as const
      for (const [path, text, client, problem] of broken) {
        write(path, text)
        const { exit, stderr } = yield* portico(`setup ${client}`)
        assert.strictEqual(exit, 1, path)
        assert.include(stderr, `${at(path)} is not valid, and was left alone: ${problem}`)
        assert.strictEqual(read(path), text)
      }
    })
  )

  it.effect("a symbolic link is written through; a dangling one and a bad HOME are reported", () =>
    Effect.gen(function* () {
      const { at, has, portico, read, write } = yield* acme
      write("dotfiles/aws", "[default]\n")
      mkdirSync(at(".aws"))
      symlinkSync("../dotfiles/aws", at(".aws/config"))
      succeeded(yield* portico("setup aws"))
      assert.include(read("dotfiles/aws"), "[profile portico]")
      assert.deepStrictEqual(readdirSync(at("dotfiles")), ["aws"])
      assert.deepStrictEqual(readdirSync(at(".aws")), ["config"])

      symlinkSync("nowhere", at(".s3cfg"))
      const dangling = yield* portico("setup s3cmd")
      assert.include(dangling.stderr, `${at(".s3cfg")} is a symbolic link to nowhere, which does not exist`)
      assert.isFalse(has("nowhere"))

      write("file", "")
      const { exit, stderr } = yield* portico("setup aws", { HOME: at("file") })
      assert.strictEqual(exit, 1)
      assert.include(stderr, "cannot be read: a part of its path is not a folder.")
    })
  )

  it.effect("without a client it lists the clients, and the profiles of their entries", () =>
    Effect.gen(function* () {
      const { portico, url, write } = yield* acme
      yield* portico("setup aws")
      write("programs/kubectl", "#!/bin/sh\n", 0o755)
      const { stdout } = yield* portico("setup")
      const rows: ReadonlyArray<{ client: string; configured: ReadonlyArray<string>; installed: string | null }> =
        JSON.parse(stdout)
      assert.deepStrictEqual(
        rows.map((_) => _.client),
        ["openstack", "kubectl", "aws", "s3cmd", "rclone", "docker", "terraform"]
      )
      assert.deepStrictEqual(
        rows.filter((_) => _.configured.length > 0).map((_) => [_.client, _.configured]),
        [["aws", [url]]]
      )
      assert.match(rows.find((_) => _.client === "kubectl")?.installed ?? "", /\/programs\/kubectl$/)
    })
  )

  it.effect("kubectl-token: an ExecCredential, and none for a server other than the gateway", () =>
    Effect.gen(function* () {
      const { portico, token, url } = yield* acme
      const info = (server: string) => ({
        KUBERNETES_EXEC_INFO: JSON.stringify({
          apiVersion: "client.authentication.k8s.io/v1",
          kind: "ExecCredential",
          spec: { interactive: false, cluster: { server } }
        })
      })
      const { stdout } = yield* portico("kubectl-token", info(`${url}/v1/kubernetes`))
      const { status, ...more } = JSON.parse(stdout)
      assert.deepStrictEqual(more, { apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential" })
      assert.strictEqual(status.token, token)
      assert.match(status.expirationTimestamp, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
      for (const server of ["https://other.example/v1/kubernetes", `${url}@other.example/v1/kubernetes`]) {
        const refused = yield* portico("kubectl-token", info(server))
        assert.deepStrictEqual([refused.exit, refused.stdout], [1, ""])
        assert.match(refused.stderr, /kubectl would send it to https?:\/\/.*other\.example\/v1\/kubernetes/)
      }
      const other = { server: "http://other.example" }
      for (const unread of [
        { spec: { cluster: other } },
        { apiVersion: "client.authentication.k8s.io/v1", spec: { cluster: { server: [other.server] } } }
      ]) {
        const refused = yield* portico("kubectl-token", { KUBERNETES_EXEC_INFO: JSON.stringify(unread) })
        assert.deepStrictEqual([refused.exit, refused.stdout], [1, ""])
        assert.include(refused.stderr, "KUBERNETES_EXEC_INFO cannot be read")
      }
      assert.strictEqual(JSON.parse((yield* portico("kubectl-token")).stdout).status.token, token)
    })
  )

  it.effect("docker-credential: no token of a profile that has another address now", () =>
    Effect.gen(function* () {
      const { run, write } = yield* machine()
      const [before, now] = ["https://api.before.example", "https://api.now.example"]
      const profile = { url: now, plane: "customer", method: "pat", store: "file" }
      write(".config/portico/config.json", JSON.stringify({ current: "acme", profiles: { acme: profile } }))
      write(".local/state/portico/tokens/acme.json", JSON.stringify({ access_token: "of-now", url: now }))
      const login = (url: string) => ({ source: "profile acme", url, profile: "acme" })
      const registries = { "registry.before.example": login(before), "registry.now.example": login(now) }
      write(".config/portico/registries.json", JSON.stringify(registries))
      const get = (input: string) => run("docker-credential-portico", ["get"], { input })
      assert.include((yield* get("registry.now.example")).stdout, "of-now")
      const refused = yield* get("registry.before.example")
      assert.strictEqual(refused.exit, 3)
      assert.notInclude(refused.stdout + refused.stderr, "of-now")
    })
  )

  it.effect("exec: the program gets the token, and its exit code is the command's", () =>
    Effect.gen(function* () {
      const { at, env, read, run, token, url } = yield* acme
      const { commandLine } = yield* Effect.promise(() => import("../harness/commandLine.ts"))
      const script = `printf '%s %s %s' "$OS_TOKEN" "$OS_CLOUD" "\${AWS_SECRET_ACCESS_KEY:+keys}" >'${at("seen")}'; exit 7`
      const ended = yield* commandLine(["exec", "--s3", "--", "sh", "-c", script], { env })
      assert.deepStrictEqual(ended, { exit: 7, stdout: "", stderr: "" })
      assert.strictEqual(read("seen"), `${token} portico keys`)
      // A shell that was set up for another cloud does not lead the token and the keys there.
      const foreign = {
        OS_AUTH_URL: "https://other.example",
        OS_AUTH_TYPE: "password",
        AWS_SESSION_TOKEN: "theirs",
        AWS_ENDPOINT_URL_S3: "https://other.example"
      }
      const where = `"$OS_AUTH_URL" "$OS_AUTH_TYPE" "\${AWS_SESSION_TOKEN-none}" "$AWS_ENDPOINT_URL_S3"`
      const line = ["exec", "--s3", "--", "sh", "-c", `printf '%s %s %s %s' ${where} >'${at("where")}'`]
      const ran = yield* run("portico", line, { more: foreign })
      assert.strictEqual(ran.exit, 0, ran.stderr)
      assert.strictEqual(read("where"), `${url}/openstack/identity v3token none ${(yield* Server).s3Url}`)
      const missing = yield* commandLine(["exec", "--", at("no-such-program")], { env })
      assert.strictEqual(missing.exit, 127)
      assert.include(missing.stderr, "cannot be started: there is no such program.\n")
    })
  )
})
