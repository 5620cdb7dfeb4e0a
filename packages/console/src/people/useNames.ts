import { portico } from "../api/portico.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { hasRole, type Me, useMe } from "../app/me.ts"

/** Whether the person may see who else is in the account. */
export const seesPeople = (me: Me): boolean => hasRole(me, "customer-owner", "customer-admin")

/** The people that the caller may see; one of several accounts names the account. */
export const usePeople = () => {
  const me = useMe()
  const input = me.tenant === null ? ({ scope: "all", limit: 1000 } as const) : { limit: 1000 }
  return useAnswer(portico.orgUsers.list, input, { enabled: seesPeople(me) })
}

/** The address or name behind a user id, where the person may see it. */
export const useNames = (): ((userId: string) => string) => {
  const me = useMe()
  const people = usePeople().data?.users ?? []
  return (userId) => {
    if (userId === me.user_id && me.user_email !== "") return me.user_email
    const found = people.find((_) => _.user_id === userId)
    return found === undefined ? userId : found.email
  }
}
