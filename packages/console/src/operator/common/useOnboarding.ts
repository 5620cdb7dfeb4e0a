import { useAnswer } from "../../api/useAnswer.ts"
import { operator } from "../portico.ts"
import type { Onboarding } from "./types.ts"

/** The onboarding of an organisation while its creation is under way. */
export const useOnboarding = (name: string, isUnderWay: boolean): Onboarding | undefined => {
  const { data } = useAnswer(operator.journal.list, { limit: 200 }, { enabled: isUnderWay, everyMillis: 700 })
  return isUnderWay ? data?.onboardings.find((_) => _.name === name) : undefined
}
