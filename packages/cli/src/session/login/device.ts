import type { DeviceCode } from "@portico/client/auth/device"
import type { Tokens } from "@portico/client/auth/oauth"
import { Effect } from "effect"
import { CliFailure } from "../../CliFailure.ts"
import { Screen, type Side } from "../../Screen.ts"
import { loginFailure } from "../discovery.ts"
import { loginContext } from "../time.ts"
import type { PersonLogin } from "./PersonLogin.ts"

/** The login on another device (RFC 8628). */
export const deviceLogin = Effect.fnUntraced(function* (login: PersonLogin) {
  const { device } = yield* Effect.promise(() => import("@portico/client/auth/device"))
  const { err } = yield* Screen
  const context = yield* loginContext(login.url)
  const services = yield* Effect.context<never>()
  const kept: Array<Tokens> = []
  const shown = (code: DeviceCode) => Effect.flatMap(instructions(code, err), login.say)
  const obtain = (signal: AbortSignal) =>
    device({
      ...login.provider,
      signal,
      onCode: (code) => Effect.runPromiseWith(services)(shown(code)),
      onRotate: (tokens) => void kept.push(tokens)
    }).obtain(context)
  yield* Effect.tryPromise({ try: obtain, catch: loginFailure })
  const [tokens] = kept
  return tokens ?? (yield* new CliFailure({ exit: "platform", message: "The login brought no tokens" }))
})

const instructions = Effect.fnUntraced(function* (code: DeviceCode, side: Side) {
  const picture = yield* qrCode(code.verificationUriComplete ?? code.verificationUri, side)
  return (
    `Open this address on any device, and enter the code there:\n\n  ${code.verificationUri}\n  ${code.userCode}\n` +
    (picture === undefined ? "" : `\n${picture}\n`)
  )
})

/** The address with the code, for a phone; undefined where it would not fit or is not seen. */
const qrCode = Effect.fnUntraced(function* (address: string, { columns, isTerminal }: Side) {
  if (!isTerminal) return undefined
  const { renderUnicodeCompact } = yield* Effect.promise(() => import("uqr"))
  const picture = renderUnicodeCompact(address, { border: 2 })
  return (picture.split("\n")[0]?.length ?? 0) <= columns() ? picture : undefined
})
