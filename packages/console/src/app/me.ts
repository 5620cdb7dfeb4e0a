import { createContext, useContext } from "react"
import type { portico } from "../api/portico.ts"

/** Who is signed in, as the gateway sees them. */
export type Me = Awaited<ReturnType<typeof portico.identity.whoami>>

export const MeContext = createContext<Me | undefined>(undefined)

export const useMe = (): Me => {
  const me = useContext(MeContext)
  if (me === undefined) throw new Error("Pages are shown to those who are signed in")
  return me
}

/** Whether the person has one of the roles of the account, or is a platform administrator. */
export const hasRole = ({ all_projects, roles }: Me, ...wanted: ReadonlyArray<string>): boolean =>
  all_projects || wanted.some((_) => roles.includes(_))

/** Whether the person has a project of its own; a platform administrator has none. */
export const hasProject = ({ tenant }: Me): boolean => tenant !== null
