import { useAnswer } from "../../api/useAnswer.ts"
import { Badge, type Tone } from "../../ui/Badge.tsx"
import { Row, Stack } from "../../ui/layout.tsx"
import { useWords } from "../../words/words.ts"
import { operator } from "../portico.ts"
import { type Onboarding, type StepState, stepState } from "./onboarding.ts"
import { words } from "./words.ts"

const tones: Readonly<Record<StepState, Tone>> = {
  done: "good",
  running: "busy",
  waiting: "neutral",
  failed: "bad",
  leftStep: "bad",
  removed: "neutral",
  notBegun: "neutral"
}

/** The steps of an onboarding, and what it left behind with the upstream's message. */
export const OnboardingSteps = ({ onboarding }: { readonly onboarding: Onboarding }) => {
  const t = useWords(words)
  const { failure, left, steps } = onboarding
  return (
    <Stack tight>
      <Row>
        {steps.map((step) => {
          const state = stepState(onboarding, step)
          return (
            <Badge key={step.step} tone={tones[state]}>
              {step.step}: {t[state]}
            </Badge>
          )
        })}
      </Row>
      {failure === null ? null : <p>{t.stoppedAt(failure)}</p>}
      {left.map((_) => (
        <p key={_.step}>
          <Badge tone="bad">{t.leftBehind}</Badge> {_.step}: {_.message}
        </p>
      ))}
    </Stack>
  )
}

/** The onboarding of an organisation while its creation is under way. */
export const useOnboarding = (name: string, isUnderWay: boolean): Onboarding | undefined => {
  const { data } = useAnswer(operator.journal.list, { limit: 200 }, { enabled: isUnderWay, everyMillis: 700 })
  return isUnderWay ? data?.onboardings.find((_) => _.name === name) : undefined
}
