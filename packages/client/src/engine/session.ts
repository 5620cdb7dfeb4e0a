import type { Auth, AuthContext, Grant } from "../auth/Auth.ts"
import { abortable } from "./Time.ts"

/** The tokens of one client. */
export interface Session {
  readonly renewable: boolean
  /** A token that does not end within the next moment. */
  readonly token: (signal?: AbortSignal) => Promise<string>
  /** A token other than the one that the gateway has refused. */
  readonly replace: (refused: string, signal?: AbortSignal) => Promise<string>
}

/** A token is renewed when a fifth of its life, or a minute, is left: whichever is less. */
const margin = { share: 0.2, millis: 60_000 }

/** After a failed renewal, a token that still works is used for this long before the next attempt. */
const pauseMillis = 5_000

/** One renewal at a time: all calls that need the new token wait for the same one. */
export const sessionOf = (auth: Auth, context: AuthContext): Session => {
  const { time } = context
  let current: (Grant & { readonly since: number }) | undefined =
    auth.initial === undefined ? undefined : { ...auth.initial, since: time.now() }
  let renewal: Promise<Grant> | undefined
  let notBefore = 0

  const renew = (): Promise<Grant> =>
    (renewal ??= auth
      .obtain(context)
      .then((grant) => (current = { ...grant, since: time.now() }))
      .finally(() => (renewal = undefined)))

  const isEnding = ({ expiresAt, since }: NonNullable<typeof current>): boolean =>
    expiresAt !== undefined && time.now() >= expiresAt - Math.min(margin.millis, (expiresAt - since) * margin.share)

  /** What ends soon still works when it cannot be renewed. */
  const orCurrent = (error: unknown): string => {
    if (current === undefined || (current.expiresAt ?? 0) <= time.now()) throw error
    notBefore = time.now() + pauseMillis
    return current.accessToken
  }

  return {
    renewable: auth.renewable,
    token: (signal) => {
      if (current !== undefined && (!isEnding(current) || isResting())) return Promise.resolve(current.accessToken)
      return abortable(
        renew().then((_) => _.accessToken, orCurrent),
        signal
      )
    },
    replace: (refused, signal) =>
      current !== undefined && current.accessToken !== refused
        ? Promise.resolve(current.accessToken)
        : abortable(
            renew().then((_) => _.accessToken),
            signal
          )
  }

  function isResting(): boolean {
    return current !== undefined && time.now() < notBefore && time.now() < (current.expiresAt ?? 0)
  }
}
