import { Config, Effect, Option } from "effect"
import { CliFailure } from "../CliFailure.ts"

const isLoopback = ({ hostname }: URL): boolean => /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)

/** Without a scheme: HTTP for this machine, and HTTPS for every other one. */
const named = (text: string): string => {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text
  const local = `http://${text}`
  return URL.canParse(local) && isLoopback(new URL(local)) ? local : `https://${text}`
}

/** The address of a plane as it is kept and compared, without a slash at its end. */
export const addressOf = (given: string): Effect.Effect<string, CliFailure> => {
  const text = named(given.trim())
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isUsable =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    url.hostname !== "" &&
    url.username === "" &&
    url.password === "" &&
    url.search === "" &&
    url.hash === ""
  return isUsable
    ? Effect.succeed(url.href.replace(/\/+$/, ""))
    : Effect.fail(new CliFailure({ exit: "usage", message: `'${given}' is not the address of a plane` }))
}

/** Whether everybody on the way reads what is sent there. */
export const isExposed = (url: string): boolean => {
  const parsed = new URL(url)
  return parsed.protocol === "http:" && !isLoopback(parsed)
}

const Insecure = Config.Boolean("PORTICO_INSECURE").pipe(Config.withDefault(false))

/**
 * A token goes over plain HTTP to this machine alone, unless the profile was made with `--insecure` or
 * PORTICO_INSECURE says so: whoever reads it is the tenant for as long as it holds.
 */
export const guarded = Effect.fnUntraced(function* (url: string, insecure: boolean) {
  const allowed = insecure || Option.getOrElse(yield* Effect.option(Insecure), () => false)
  if (allowed || !isExposed(url)) return
  return yield* new CliFailure({
    exit: "usage",
    message: `A token is not sent to ${url}, because everybody on the way could read it`,
    hint: "Use https://, or allow it with 'portico login --insecure' or PORTICO_INSECURE=true"
  })
})
