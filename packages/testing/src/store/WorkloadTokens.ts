import type { WorkloadIssuer } from "@portico/store/WorkloadIssuers"
import { type WorkloadToken, WorkloadTokens } from "@portico/store/WorkloadTokens"
import { earlier } from "@portico/store/makers"
import { makersIn } from "./makers.ts"
import { Clock, DateTime, Duration, Effect, Layer } from "effect"
import { Memory } from "./Memory.ts"

export const layer = Layer.effect(
  WorkloadTokens,
  Effect.gen(function* () {
    const memory = yield* Memory
    const { workloadIssuers: issuers, workloadTokens: tokens } = memory
    const now = Clock.currentTimeMillis

    const current = (issuerId: string, revision: number): WorkloadIssuer | undefined => {
      const issuer = issuers.get(issuerId)
      return issuer !== undefined && issuer.enabled && issuer.revision === revision ? issuer : undefined
    }

    return WorkloadTokens.of({
      issue: ({ endsBy, hash, issuerId, lifetime, madeBy, revision, subject }) =>
        Effect.map(now, (at) => {
          if (current(issuerId, revision) === undefined) return undefined
          const ends = DateTime.makeUnsafe(at + Duration.toMillis(lifetime))
          const token: WorkloadToken = {
            token_hash: hash,
            issuer_id: issuerId,
            revision,
            subject,
            made_by: madeBy,
            issued_at: DateTime.makeUnsafe(at),
            expires_at: earlier(ends, endsBy) ?? ends
          }
          tokens.set(hash, token)
          return token
        }),
      find: (hash) =>
        Effect.map(now, (at) => {
          const token = tokens.get(hash)
          if (token === undefined || DateTime.toEpochMillis(token.expires_at) <= at) return undefined
          const issuer = current(token.issuer_id, token.revision)
          return issuer && { token, issuer, makers: makersIn(memory, token.made_by) }
        }),
      remove: (hash) => Effect.sync(() => void tokens.delete(hash)),
      prune: Effect.map(now, (at) => {
        const old = [...tokens.values()].filter((_) => DateTime.toEpochMillis(_.expires_at) <= at)
        for (const { token_hash } of old) tokens.delete(token_hash)
        return old.length
      })
    })
  })
)
