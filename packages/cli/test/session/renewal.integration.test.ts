import { assert, layer } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Layer } from "effect"
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { spawned } from "../../../gateway/test/processes/children.ts"
import { Cast } from "../../../gateway/test/harness/Cast.ts"
import { TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { portico } from "../harness/programs.ts"
import { as, newHome } from "./home.ts"

const owner = "oscar@people.example"

type Home = Effect.Success<typeof newHome>

/** `portico whoami` in a process of its own. */
const whoami = Effect.fnUntraced(function* (home: Home, settings: Record<string, string> = {}, uid?: number) {
  const child = yield* spawned({
    command: [process.execPath, portico, "whoami"],
    settings: { HOME: home.directory, PORTICO_TOKEN_STORE: "file", ...settings },
    ...(uid === undefined ? {} : { uid })
  })
  return { child, ended: Effect.map(child.ended, (exit) => ({ exit, stdout: child.stdout(), stderr: child.stderr() })) }
})

const loggedIn = Effect.gen(function* () {
  const { url } = yield* TestGateway
  const home = yield* newHome
  const args = ["login", url.customer, "--browser", "--profile", "acme"]
  const { exit, stderr } = yield* home.run(args, { browser: as(owner) })
  assert.strictEqual(exit, 0, stderr)
  return home
})

/** The access token ends; the provider still knows the refresh token. */
const expire = (home: Home): void =>
  writeFileSync(home.tokens("acme"), JSON.stringify({ ...home.kept("acme"), expires_at: 1 }), { mode: 0o600 })

const tokensOfOwner = Effect.map(SimulatedCloud, ({ world }) => Object.keys(world.zitadel.tokens).length)

layer(Cast.layer.pipe(Layer.provideMerge(TestGateway.layer)), { excludeTestServices: true })("a renewal", (it) => {
  it.effect("of concurrent processes happens once, and all of them succeed", () =>
    Effect.gen(function* () {
      const home = yield* loggedIn
      const before = home.kept("acme")
      expire(home)
      const all = yield* Effect.all(
        Array.from({ length: 4 }, () => whoami(home)),
        { concurrency: "unbounded" }
      )
      for (const { ended } of all) {
        const { exit, stderr, stdout } = yield* ended
        assert.strictEqual(exit, 0, stderr)
        assert.strictEqual(JSON.parse(stdout).user_email, owner)
      }
      assert.notStrictEqual(home.kept("acme").refresh_token, before.refresh_token)
      assert.deepStrictEqual(readdirSync(home.file(".local/state/portico/tokens")), ["acme.json"])
      assert.strictEqual((yield* home.run(["whoami"])).exit, 0)
    })
  )

  it.effect("takes over the lock of a killed process, and removes its draft", () =>
    Effect.gen(function* () {
      const home = yield* loggedIn
      expire(home)
      const folder = home.file(".local/state/portico/tokens")
      const killed = yield* spawned({
        command: [process.execPath, "-e", "setInterval(() => {}, 1000)"],
        settings: {}
      })
      const host = (yield* Effect.promise(() => import("node:os"))).hostname()
      writeFileSync(join(folder, "acme.lock"), [killed.pid, host, "", "nonce"].join("\n"))
      writeFileSync(join(folder, "acme.json.1-abc.draft"), "{")
      const waiting = yield* whoami(home)
      yield* Effect.sleep("1500 millis")
      assert.strictEqual(home.kept("acme").expires_at, 1, "the lock is held")
      yield* killed.signal("SIGKILL")
      const { exit, stderr } = yield* waiting.ended
      assert.strictEqual(exit, 0, stderr)
      assert.deepStrictEqual(readdirSync(folder), ["acme.json"])
    })
  )

  it.effect("leaves the old tokens or the new ones when it is killed", () =>
    Effect.gen(function* () {
      const home = yield* loggedIn
      for (const millis of [150, 300, 450, 600]) {
        expire(home)
        const { child } = yield* whoami(home)
        yield* Effect.sleep(millis)
        yield* child.signal("SIGKILL")
        assert.isString(home.kept("acme").refresh_token)
        assert.strictEqual(home.mode(home.tokens("acme")), "600")
      }
    })
  )

  it.effect("refused by the provider exits with 3 and says how to log in", () =>
    Effect.gen(function* () {
      const home = yield* loggedIn
      expire(home)
      const { world } = yield* SimulatedCloud
      for (const token of Object.keys(world.zitadel.tokens)) delete world.zitadel.tokens[token]
      const { exit, stderr } = yield* home.run(["whoami"])
      assert.strictEqual(exit, 3)
      assert.match(
        stderr,
        /The login of the profile 'acme' is over: log in with 'portico login http\S+ --profile acme'/
      )
      assert.isTrue(existsSync(home.tokens("acme")))
    })
  )

  it.effect("of a token that was revoked early is made when the gateway refuses it", () =>
    Effect.gen(function* () {
      const home = yield* loggedIn
      // As a login that was ended at the provider leaves it: the refresh token alone is good.
      const kept = { ...home.kept("acme"), access_token: "ended" }
      writeFileSync(home.tokens("acme"), JSON.stringify(kept), { mode: 0o600 })
      const { exit, stderr } = yield* home.run(["whoami"])
      assert.strictEqual(exit, 0, stderr)
      assert.notStrictEqual(home.kept("acme").access_token, "ended")
    })
  )

  it.effect("is reported when it cannot be stored, and the command still runs", () =>
    Effect.gen(function* () {
      const home = yield* loggedIn
      expire(home)
      // Tests may run as the superuser, to whom every directory is writable.
      const uid = process.getuid?.() === 0 ? 65_534 : undefined
      const folders = [".", ".config", ".config/portico", ".local", ".local/state", ".local/state/portico"]
      for (const path of [...folders, ".local/state/portico/tokens"].map((_) => home.file(_))) {
        if (uid !== undefined) chownSync(path, uid, uid)
        chmodSync(path, 0o500)
      }
      if (uid !== undefined) {
        for (const file of [home.tokens("acme"), home.file(".config/portico/config.json")]) chownSync(file, uid, uid)
      }
      const before = yield* tokensOfOwner
      const { ended } = yield* whoami(home, { NODE_COMPILE_CACHE: "" }, uid)
      const { exit, stderr, stdout } = yield* ended
      assert.strictEqual(exit, 0, stderr)
      assert.strictEqual(JSON.parse(stdout).user_email, owner)
      assert.match(
        stderr,
        /The renewed login cannot be kept: .*permission denied\. The next command needs 'portico login'/
      )
      assert.strictEqual(home.kept("acme").expires_at, 1)
      assert.isAtLeast(yield* tokensOfOwner, before)
    })
  )

  it.effect("stores its tokens in the keyring, and reports one that refuses them", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const { acme } = yield* Cast
      const home = yield* newHome
      const programs = home.file("bin")
      mkdirSync(programs)
      // As the real one: secrets on standard input, nothing and code 1 for what is not there.
      writeFileSync(
        join(programs, "secret-tool"),
        `#!/bin/sh\nprintf '%s\\n' "$*" >> ${programs}/calls\n` +
          `case $1 in store) cat > ${programs}/kept;; clear) rm -f ${programs}/kept;;\n` +
          `lookup) [ -f ${programs}/kept ] || exit 1; cat ${programs}/kept;; esac\n`,
        { mode: 0o755 }
      )
      const token = home.file("token")
      writeFileSync(token, acme.tokens[1])
      const settings = { HOME: home.directory, PATH: `${programs}:${process.env["PATH"]}` }
      const run = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
        const child = yield* spawned({ command: [process.execPath, portico, ...args], settings })
        return { exit: yield* child.ended, stderr: child.stderr() }
      })
      const login = yield* run("login", url.customer, "--pat", "--secret-file", token, "--profile", "acme")
      assert.strictEqual(login.exit, 0, login.stderr)
      assert.strictEqual(home.config().profiles.acme.store, "keyring")
      assert.isFalse(existsSync(home.tokens("acme")))
      assert.strictEqual((yield* run("whoami")).exit, 0)
      assert.strictEqual((yield* run("logout")).exit, 0)
      assert.isFalse(existsSync(join(programs, "kept")))
      assert.notInclude(readFileSync(join(programs, "calls"), "utf8"), acme.tokens[1])

      writeFileSync(join(programs, "secret-tool"), "#!/bin/sh\n[ $1 = lookup ] && exit 1\necho locked >&2; exit 1\n")
      const again = yield* run("login", url.customer, "--pat", "--secret-file", token, "--profile", "acme")
      assert.include(again.stderr, "The tokens are kept in a file, because the system's keyring: locked")
      assert.strictEqual(home.mode(home.tokens("acme")), "600")
    })
  )
})
