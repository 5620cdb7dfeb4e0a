import { InvitationMails } from "@portico/store/InvitationMails"
import { memberIdOf } from "@portico/store/memberRows"
import { DateTime, Effect, Layer } from "effect"
import { Memory } from "./Memory.ts"

export const layer = Layer.effect(
  InvitationMails,
  Effect.gen(function* () {
    const { invitationMails } = yield* Memory
    let number = 0
    return InvitationMails.of({
      take: (projectId, email, { perAddress, perProject, window }) =>
        Effect.map(DateTime.now, (at) => {
          const since = DateTime.subtractDuration(at, window)
          for (const [key, mail] of invitationMails) {
            if (DateTime.isLessThanOrEqualTo(mail.at, since)) invitationMails.delete(key)
          }
          const member_id = memberIdOf(projectId, email)
          const lately = [...invitationMails.values()]
          const isFull =
            lately.filter((_) => _.project_id === projectId).length >= perProject ||
            lately.filter((_) => _.member_id === member_id).length >= perAddress
          if (!isFull) invitationMails.set(number++, { project_id: projectId, member_id, at })
          return !isFull
        })
    })
  })
)
