import { Badge, type Tone } from "../../ui/Badge.tsx"
import { Row, Stack } from "../../ui/layout.tsx"
import { useWords } from "../../words/words.ts"
import { type StepState, stepState } from "./stepState.ts"
import type { Onboarding } from "./types.ts"
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
