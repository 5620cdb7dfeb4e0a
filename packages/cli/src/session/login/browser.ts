import { Cause, Effect } from "effect"
import { CliFailure } from "../../CliFailure.ts"
import { loginFailure } from "../discovery.ts"
import { loginContext } from "../time.ts"
import { loopback } from "./loopback.ts"
import { OpenBrowser } from "./openBrowser.ts"
import type { PersonLogin } from "./PersonLogin.ts"

/** As long as a code of the provider holds. */
const patience = "10 minutes"

/** Code and PKCE, with a listener on this machine that takes the browser's one answer. */
export const browserLogin = (login: PersonLogin) =>
  Effect.gen(function* () {
    const { authorize, exchangeCode } = yield* Effect.promise(() => import("@portico/client/auth/browser"))
    const { callback, finish, redirectUri } = yield* loopback
    const context = yield* loginContext(login.url)
    const given = { ...login.provider, redirectUri }
    const begun = yield* Effect.tryPromise({ try: () => authorize(given, context), catch: loginFailure })
    const opened = yield* (yield* OpenBrowser)(begun.url)
    yield* login.say(
      opened
        ? `Log in with the browser that opens. If none does, open this address on this machine:\n\n  ${begun.url}\n`
        : `Open this address in a browser on this machine:\n\n  ${begun.url}\n`
    )
    const late = new CliFailure({
      exit: "timedOut",
      message: "Nobody logged in within 10 minutes",
      hint: "Log in with '--device' where the browser is on another machine"
    })
    const address = yield* callback(begun.state).pipe(
      Effect.timeout(patience),
      Effect.mapError(() => late)
    )
    const exchanged = Effect.tryPromise({
      try: () => exchangeCode(given, begun, address, context),
      catch: loginFailure
    })
    return yield* exchanged.pipe(
      Effect.tap(() => finish("You are logged in", "You can close this window and go back to the terminal.")),
      Effect.tapCause((cause) => {
        const error = Cause.squash(cause)
        return finish("You are not logged in", error instanceof Error ? error.message : "The terminal says why.")
      })
    )
  }).pipe(Effect.scoped)
