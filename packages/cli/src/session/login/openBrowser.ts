import { Config, Context, Effect, Option } from "effect"
import { spawn } from "node:child_process"
import process from "node:process"

/** The desktop's own opener, without a shell: nothing in the address is a command. */
const openers: Readonly<Record<string, readonly [program: string, ...args: ReadonlyArray<string>]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"]
}

const open = (url: string): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const [program, ...args] = openers[process.platform] ?? ["xdg-open"]
    const child = spawn(program, [...args, url], { stdio: "ignore", detached: true })
    child.on("error", () => resume(Effect.succeed(false)))
    child.on("spawn", () => {
      child.unref()
      resume(Effect.succeed(true))
    })
  })

/** Opens an address for the person, or says that it could not. A test has its own. */
export const OpenBrowser = Context.Reference<(url: string) => Effect.Effect<boolean>>("portico/cli/OpenBrowser", {
  defaultValue: () => open
})

const isSet = (name: string) => Effect.map(Effect.orDie(Config.option(Config.NonEmptyString(name))), Option.isSome)

/** Whether a browser opened here is one that the person sees. */
export const hasDisplay: Effect.Effect<boolean> = Effect.gen(function* () {
  const isRemote = (yield* isSet("SSH_CONNECTION")) || (yield* isSet("SSH_TTY"))
  if (process.platform === "linux") return (yield* isSet("DISPLAY")) || (yield* isSet("WAYLAND_DISPLAY"))
  return !isRemote
})
