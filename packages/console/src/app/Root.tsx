import { CSPProvider } from "@base-ui/react/csp-provider"
import { QueryClientProvider, useQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { Router } from "wouter"
import { portico } from "../api/portico.ts"
import { queries } from "../api/queries.ts"
import { refusalOf } from "../api/refusal.ts"
import { goLive } from "../live/live.ts"
import { consoleConfig } from "../session/config.ts"
import { resume, type SessionState, useSessionState } from "../session/session.ts"
import { signedIn } from "../session/signIn.ts"
import { Loading } from "../ui/Loading.tsx"
import { Toasts } from "../ui/toasts.tsx"
import type { Plane } from "./definitions.ts"
import { MeContext } from "./me.ts"
import { Shell } from "./Shell.tsx"
import { NoAccess, SessionEnded, SignIn, Unreachable } from "./SignIn.tsx"

const base = "/console"

/** How the console begins: from the provider's page, or with the session that the cookie holds. */
const start = async (): Promise<string | undefined> => {
  void consoleConfig()
  if (location.pathname !== `${base}/signed-in`) {
    await resume().catch(() => undefined)
    return undefined
  }
  const outcome = await signedIn()
  history.replaceState(null, "", "path" in outcome ? outcome.path : `${base}/`)
  if ("path" in outcome) return undefined
  // Somebody may have come back here by the browser's history, while the session is good.
  await resume().catch(() => undefined)
  return outcome.reason
}

type Started =
  | { readonly done: false }
  | { readonly done: true; readonly reason: string | undefined; readonly error?: unknown }

let starting: ReturnType<typeof start> | undefined

const useStart = (): Started => {
  const [started, setStarted] = useState<Started>({ done: false })
  useEffect(() => {
    starting ??= start()
    starting.then(
      (reason) => setStarted({ done: true, reason }),
      (error: unknown) => setStarted({ done: true, reason: undefined, error })
    )
  }, [])
  return started
}

const Signed = ({ plane, state }: { readonly plane: Plane; readonly state: SessionState }) => {
  const whoami = useQuery({ queryKey: ["identity.whoami", {}], queryFn: () => portico.identity.whoami() })
  const isKnown = whoami.data !== undefined
  useEffect(() => {
    if (!isKnown || state !== "signed_in") return undefined
    const over = new AbortController()
    goLive(over.signal)
    return () => over.abort()
  }, [isKnown, state])
  if (whoami.data === undefined) {
    // It was over before the first answer: that says nothing of the account.
    if (state === "ended") return <SessionEnded />
    return whoami.error === null ? (
      <Loading />
    ) : (
      <NoAccess refusal={refusalOf(whoami.error)} again={() => void whoami.refetch()} />
    )
  }
  const isHere = plane.name === "operator" ? whoami.data.all_projects : whoami.data.tenant !== null
  if (!isHere) return <NoAccess again={() => void whoami.refetch()} />
  return (
    <MeContext value={whoami.data}>
      <Shell plane={plane} />
      {state === "ended" ? <SessionEnded /> : null}
    </MeContext>
  )
}

const Started = ({ plane }: { readonly plane: Plane }) => {
  const started = useStart()
  const state = useSessionState()
  if (!started.done) return <Loading />
  if (state === "signed_in" || state === "ended") return <Signed plane={plane} state={state} />
  if (state === "signed_out" || started.reason !== undefined) return <SignIn plane={plane} reason={started.reason} />
  return <Unreachable />
}

export const Root = ({ plane }: { readonly plane: Plane }) => (
  <CSPProvider disableStyleElements>
    <QueryClientProvider client={queries}>
      <Toasts>
        <Router base={base}>
          <Started plane={plane} />
        </Router>
      </Toasts>
    </QueryClientProvider>
  </CSPProvider>
)
