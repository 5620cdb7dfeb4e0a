import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { portico } from "../harness/programs.ts"
import { receiver } from "../../../gateway/test/targets/Receiver.ts"
import { comes, Everything, happens, machine } from "./harness.ts"

/** A process of the command line, until the scope ends. */
const started = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(process.execPath, [portico, ...args], { env: { PATH: "", ...env } })
      const written = { stdout: "", stderr: "" }
      child.stdout.on("data", (_: Buffer) => (written.stdout += String(_)))
      child.stderr.on("data", (_: Buffer) => (written.stderr += String(_)))
      const ended = new Promise<number | null>((resolve) => child.on("exit", resolve))
      return {
        written,
        end: (signal: "SIGKILL" | "SIGINT") =>
          Effect.promise(() => {
            child.kill(signal)
            return ended
          })
      }
    }),
    (_) => _.end("SIGKILL")
  )

layer(Everything, { excludeTestServices: true })("a listener of its own process", (it) => {
  it.effect("loses nothing and resends nothing after a kill, and exits with 130 on Ctrl-C", () =>
    Effect.gen(function* () {
      const local = yield* receiver
      const { env } = yield* machine()
      const args = ["events", "listen", "--forward-to", local.url, "--topic", "alarms"]
      const ready = (_: { readonly written: { readonly stderr: string } }) =>
        comes(
          () => _.written.stderr.includes("Forwarding"),
          () => _.written.stderr
        )
      const ids = () => local.got.map((_) => String(_.headers["webhook-id"]))

      const first = yield* started(args, env)
      yield* ready(first)
      const [one, two] = [yield* happens(), yield* happens()]
      yield* comes(
        () => first.written.stdout.includes(two.id),
        () => first.written.stdout
      )
      yield* first.end("SIGKILL")
      const three = yield* happens()

      // Killed in the middle of an attempt: the receiver got it, and has not accepted it.
      local.answer(undefined)
      const second = yield* started(args, env)
      yield* comes(() => local.got.length === 3, ids)
      const four = yield* happens()
      yield* second.end("SIGKILL")
      assert.deepStrictEqual(ids(), [one.id, two.id, three.id])

      local.answer({ status: 204 })
      const third = yield* started(args, env)
      yield* comes(
        () => third.written.stdout.includes(four.id),
        () => third.written.stdout
      )
      assert.strictEqual(yield* third.end("SIGINT"), 130)
      assert.include(third.written.stderr, "The next run goes on from here: portico events listen")
      assert.deepStrictEqual(ids(), [one.id, two.id, three.id, three.id, four.id])

      const fourth = yield* started(args, env)
      yield* ready(fourth)
      yield* Effect.sleep("1 second")
      assert.strictEqual(local.got.length, 5)
      assert.strictEqual(fourth.written.stdout, "")
    }).pipe(Effect.scoped)
  )
})
