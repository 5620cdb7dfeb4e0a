import { given, useFilter } from "../ui/useFilter.ts"
import { useMe } from "./me.ts"

export interface ProjectPlace {
  /** Undefined for a caller with a project of its own, which is then meant. */
  readonly project_id: string | undefined
  /** Whether there is nothing to show before a project is named. */
  readonly missing: boolean
  readonly set: (project: string) => void
  /** For a platform administrator, who acts on any project. */
  readonly asks: boolean
}

/** The project that a page is about: the caller's own, or the one in the address. */
export const useProject = (): ProjectPlace => {
  const asks = useMe().tenant === null
  const [project, set] = useFilter("project_id")
  return { project_id: asks ? given(project) : undefined, missing: asks && project === "", set, asks }
}
