import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { spawnSync } from "node:child_process"
import { Cast } from "../../../gateway/test/harness/Cast.ts"
import { TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { terminator } from "../../../gateway/test/harness/Tls.ts"
import { folder, isInstalled, named } from "../../../gateway/test/parts/parts.ts"
import { spawned } from "../../../gateway/test/processes/children.ts"
import { loggingProxy, login } from "../harness/LoggingProxy.ts"
import { portico } from "../harness/programs.ts"

type Environment = Readonly<Record<string, string>>

/** The oldest and the newest one, as far as the machine has them. */
const nodes = ["/usr/bin/node", process.execPath].flatMap((path) => {
  const { status, stdout } = spawnSync(path, ["--version"], { encoding: "utf8" })
  return status === 0 && /^v(20|24)\./.test(stdout) ? [[stdout.trim(), path] as const] : []
})

const run = Effect.fnUntraced(function* (node: string, args: ReadonlyArray<string>, environment: Environment) {
  const settings = { HOME: "/nonexistent", PORTICO_TOKEN_STORE: "file", NODE_DISABLE_COMPILE_CACHE: "1" }
  const child = yield* spawned({ command: [node, portico, ...args], settings: { ...settings, ...environment } })
  return { exit: yield* child.ended, stdout: child.stdout(), stderr: child.stderr() }
}, Effect.scoped)

const isHere = isInstalled("openssl", "version")

const Everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

layer(Everything, { excludeTestServices: true })("the proxies of the environment", (it) => {
  for (const [version, node] of nodes) {
    it.effect(named(`are used on ${version}, for what they are for`, "openssl", isHere), (context) =>
      Effect.gen(function* () {
        if (!isHere) return context.skip("openssl")
        const { acme } = yield* Cast
        const { url } = yield* TestGateway
        const plain = new URL(url.customer)
        const secure = yield* terminator((yield* folder).path, Number(plain.port))
        const proxy = yield* loggingProxy
        const own = { PORTICO_TOKEN: acme.tokens[0], PORTICO_CA_FILE: secure.ca }
        const addresses = { http: `http://localhost:${plain.port}`, https: `https://localhost:${secure.port}` }

        /** The requests that the proxy logs: for a call that succeeds, and for a host that only the proxy can reach. */
        const heard = Effect.fnUntraced(function* (scheme: keyof typeof addresses, environment: Environment) {
          proxy.asked.length = 0
          const given = { ...own, PORTICO_URL: addresses[scheme], ...environment }
          const { exit, stderr, stdout } = yield* run(node, ["whoami", "--output", "json"], given)
          const what = `${scheme} ${JSON.stringify(environment)}`
          assert.strictEqual(exit, 0, `${what}: ${stderr}`)
          assert.include(stdout, `"tier": 0`, what)
          return [...new Set(proxy.asked)]
        })
        const through = { http: [`${login} localhost:${plain.port}`], https: [`${login} localhost:${secure.port}`] }

        for (const scheme of ["http", "https"] as const) {
          const upper = `${scheme.toUpperCase()}_PROXY`
          for (const name of [`${scheme}_proxy`, upper, "all_proxy", "ALL_PROXY"]) {
            assert.deepStrictEqual(yield* heard(scheme, { [name]: proxy.url }), through[scheme], name)
          }
          // Nothing listens at the second address.
          const both = {
            [`${scheme}_proxy`]: proxy.url,
            [upper]: "http://127.0.0.1:2",
            ALL_PROXY: "http://127.0.0.1:2"
          }
          assert.deepStrictEqual(yield* heard(scheme, both), through[scheme])
          for (const name of ["no_proxy", "NO_PROXY"]) {
            for (const value of ["localhost", "other.example,.localhost", "*"]) {
              assert.deepStrictEqual(
                yield* heard(scheme, { [upper]: proxy.url, [name]: value }),
                [],
                `${name}=${value}`
              )
            }
            const other = { [upper]: proxy.url, [name]: "other.example" }
            assert.deepStrictEqual(yield* heard(scheme, other), through[scheme])
          }
        }
        assert.deepStrictEqual(yield* heard("http", { HTTPS_PROXY: proxy.url }), [])
        // Without a scheme, and without a login.
        const bare = yield* heard("https", { HTTPS_PROXY: proxy.address })
        assert.deepStrictEqual(bare, [`undefined localhost:${secure.port}`])
      }).pipe(Effect.scoped)
    )

    it.effect(`are used on ${version} by every command that calls`, () =>
      Effect.gen(function* () {
        const { acme } = yield* Cast
        const { url } = yield* TestGateway
        const { host } = new URL(url.customer)
        const proxy = yield* loggingProxy
        const token = (yield* folder).write("token", acme.tokens[0])
        const given = { PORTICO_TOKEN: acme.tokens[0], PORTICO_URL: url.customer, ALL_PROXY: proxy.url }
        const commands = [
          ["credentials", "list"],
          ["api", "/v1/whoami"],
          ["iaas", "get", "network/v2.0/networks"],
          ["events", "list"],
          ["login", url.customer, "--pat", "--secret-file", token],
          ["doctor"],
          ["mcp"]
        ]
        for (const args of commands) {
          proxy.asked.length = 0
          const { stderr } = yield* run(node, args, given)
          assert.include(proxy.asked, `${login} ${host}`, `${args.join(" ")}: ${stderr}`)
        }
      })
    )

    it.effect(`are refused on ${version} when they are unusable, without printing their password`, () =>
      Effect.gen(function* () {
        const given = { PORTICO_TOKEN: "a-token", PORTICO_URL: "http://127.0.0.1:2" }
        const socks = yield* run(node, ["whoami"], { ...given, ALL_PROXY: "socks5://user:p4ss@proxy.example" })
        assert.deepStrictEqual([socks.exit, socks.stdout], [2, ""])
        assert.strictEqual(
          socks.stderr,
          "ALL_PROXY names a proxy of the kind 'socks5', and this program speaks to HTTP proxies alone.\n" +
            "Set http_proxy to the address of an HTTP proxy, such as http://proxy.example.com:3128, or unset ALL_PROXY.\n"
        )
        const nonsense = yield* run(node, ["whoami"], { ...given, http_proxy: "http://user:p4ss@:x" })
        assert.deepStrictEqual([nonsense.exit, nonsense.stdout], [2, ""])
        assert.match(nonsense.stderr, /^http_proxy is not the address of a proxy\.\n/)
        assert.notInclude(nonsense.stderr, "p4ss")
        // That of other addresses is no obstacle, and what makes no call needs none.
        const other = yield* run(node, ["whoami"], { ...given, HTTPS_PROXY: "socks5://proxy.example" })
        assert.strictEqual(other.exit, 5, other.stderr)
        assert.strictEqual((yield* run(node, ["--version"], { ALL_PROXY: "socks5://proxy.example" })).exit, 0)
      })
    )
  }
})
