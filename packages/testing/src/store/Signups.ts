import { pageIn } from "./Pages.ts"
import { day, type NewSignup, type SignupEntry, Signups } from "@portico/store/Signups"
import { Clock, DateTime, Duration, Effect, Layer } from "effect"
import { Memory } from "./Memory.ts"

export const layer = Layer.effect(
  Signups,
  Effect.gen(function* () {
    const { onboardings, signupRequests, signups, tenants } = yield* Memory
    const now = Clock.currentTimeMillis
    const lasts = (from: DateTime.Utc, duration: Duration.Duration, now: number) =>
      DateTime.toEpochMillis(from) + Duration.toMillis(duration) > now

    const seen = (entry: SignupEntry): SignupEntry => {
      const attempt = entry.attempt_id === null ? undefined : onboardings.get(entry.attempt_id)
      const held = entry.state === "pending" && attempt !== undefined && attempt.state !== "resting"
      return held ? { ...entry, state: "approving" } : entry
    }
    /** The row, unless another caller has decided since it was read. */
    const unchanged = ({ attempt_id, signup_id }: SignupEntry) => {
      const entry = signups.get(signup_id)
      return entry?.state === "pending" && entry.attempt_id === attempt_id ? entry : undefined
    }
    const put = (entry: SignupEntry) => {
      signups.set(entry.signup_id, entry)
      return seen(entry)
    }
    const known = ({ email, org_key }: NewSignup) =>
      [...signups.values()].some(
        (_) =>
          _.email.toLowerCase() === email.toLowerCase() &&
          _.org_key === org_key &&
          (_.state === "pending" || (_.state === "onboarded" && tenants.has(_.project_id ?? "")))
      )

    return Signups.of({
      request: (signup, source, { perAddress, perSource, total, window }) =>
        Effect.map(now, (at) => {
          for (const [id, request] of signupRequests) if (!lasts(request.at, window, at)) signupRequests.delete(id)
          const lately = [...signupRequests.values()]
          if (lately.length >= total || lately.filter((_) => _.source === source).length >= perSource) return false
          signupRequests.set(signup.signup_id, { source, at: DateTime.makeUnsafe(at) })
          const own = [...signups.values()].filter((_) => _.email.toLowerCase() === signup.email.toLowerCase())
          if (known(signup) || own.filter((_) => lasts(_.created_at, day, at)).length >= perAddress) return true
          put({
            ...signup,
            state: "pending",
            attempt_id: null,
            project_id: null,
            decided_by: null,
            decided_at: null,
            created_at: DateTime.makeUnsafe(at)
          })
          return true
        }),
      find: (signupId) =>
        Effect.sync(() => {
          const entry = signups.get(signupId)
          return entry && seen(entry)
        }),
      page: ({ after, limit, state }) =>
        Effect.sync(() => {
          const all = [...signups.values()].map(seen).filter((_) => state === undefined || _.state === state)
          return pageIn(all, (_) => _.signup_id, { after, limit })
        }),
      claim: (signup, attemptId) =>
        Effect.sync(() => {
          const entry = unchanged(signup)
          if (entry !== undefined) put({ ...entry, attempt_id: attemptId })
          return entry !== undefined
        }),
      settle: Effect.fnUntraced(function* (attemptId, { by, projectId }) {
        const decided_at = yield* DateTime.now
        const entry = [...signups.values()].find((_) => _.attempt_id === attemptId && _.state === "pending")
        if (entry === undefined) return yield* Effect.die(new Error(`no signup is claimed by ${attemptId}`))
        return put({ ...entry, state: "onboarded", project_id: projectId, decided_by: by, decided_at })
      }),
      reject: (signup, by) =>
        Effect.map(DateTime.now, (decided_at) => {
          const entry = unchanged(signup)
          return entry && put({ ...entry, state: "rejected", decided_by: by, decided_at })
        })
    })
  })
)
