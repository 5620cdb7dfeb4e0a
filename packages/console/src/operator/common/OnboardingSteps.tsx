import { Badge } from "../../ui/Badge.tsx"
import { Muted, Row, Stack } from "../../ui/layout.tsx"
import { useWords } from "../../words/words.ts"
import type { Onboarding } from "./types.ts"
import { words } from "./words.ts"

/** The steps of an onboarding, and in the upstream's words what it left behind. */
export const OnboardingSteps = ({ onboarding }: { readonly onboarding: Onboarding }) => {
  const t = useWords(words)
  const { failure, left, step, steps } = onboarding
  return (
    <Stack tight>
      <Row>
        {steps.map((_) =>
          _.done ? (
            <Badge key={_.step} tone="good">
              {_.step}: {t.done}
            </Badge>
          ) : (
            <Badge key={_.step} tone={_.step === step ? "busy" : "neutral"}>
              {_.step}: {_.step === step ? t.running : t.waiting}
            </Badge>
          )
        )}
      </Row>
      {failure === null ? null : <Muted>{failure}</Muted>}
      {left.map((_) => (
        <p key={_.step}>
          <Badge tone="bad">{t.leftBehind}</Badge> {_.step}: {_.words}
        </p>
      ))}
    </Stack>
  )
}
