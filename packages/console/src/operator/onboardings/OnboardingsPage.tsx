import { ListChecks, RotateCw } from "lucide-react"
import { ActDialog } from "../../api/ActDialog.tsx"
import { useAnswer } from "../../api/useAnswer.ts"
import { Page } from "../../app/Page.tsx"
import { Answered } from "../../ui/Answered.tsx"
import { Button, ButtonLink } from "../../ui/Button.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { FilterBar, SelectField, TextField } from "../../ui/form.tsx"
import { Card, Facts, Mono, Row } from "../../ui/layout.tsx"
import { Time } from "../../ui/Time.tsx"
import { useDialog } from "../../ui/useDialog.ts"
import { useFilter } from "../../ui/useFilter.ts"
import { useWords } from "../../words/words.ts"
import { OnboardingSteps } from "../common/OnboardingSteps.tsx"
import type { Onboarding } from "../common/onboarding.ts"
import { OperatorState, useStateChoices } from "../common/OperatorState.tsx"
import { words as common } from "../common/words.ts"
import { operator } from "../portico.ts"
import { words } from "../words.ts"

const states: ReadonlyArray<Onboarding["state"]> = ["running", "withdrawing", "stuck", "resting"]

const OnboardingCard = ({ onboarding }: { readonly onboarding: Onboarding }) => {
  const t = useWords(words)
  const c = useWords(common)
  const retry = useDialog("retry")
  const { attempt_id, lease_ends, name, started_at, state, tier, withdrawals } = onboarding
  return (
    <Card
      title={
        <Row>
          {name} <OperatorState state={state} />
        </Row>
      }
      actions={
        state === "running" ? null : (
          <Button icon={RotateCw} onClick={() => retry.show(attempt_id)}>
            {t.retry}
          </Button>
        )
      }
    >
      <OnboardingSteps onboarding={onboarding} />
      <Facts
        facts={[
          { label: c.tier, value: tier },
          { label: "ID", value: <Mono>{attempt_id}</Mono> },
          { label: t.started, value: <Time at={started_at} /> },
          { label: t.goesOn, value: <Time at={lease_ends} /> },
          { label: t.tries, value: withdrawals }
        ]}
      />
    </Card>
  )
}

const OnboardingsPage = () => {
  const t = useWords(words)
  const c = useWords(common)
  const retry = useDialog("retry")
  const [chosen, setState] = useFilter("state")
  const [wanted, setWanted] = useFilter("q")
  const fits = ({ name }: Onboarding) => name.toLowerCase().includes(wanted.toLowerCase())
  const state = states.find((_) => _ === chosen)
  const choices = useStateChoices(c.all, states)
  const answer = useAnswer(operator.journal.list, { state, limit: 200 }, { everyMillis: 2000 })
  const retried = answer.data?.onboardings.find((_) => _.attempt_id === retry.of)
  return (
    <Page title={t.onboardings} about={t.onboardingsAbout}>
      <FilterBar>
        <TextField label={t.organisation} value={wanted} onChange={setWanted} type="search" />
        <SelectField label={c.state} value={chosen} onChange={setState} choices={choices} />
      </FilterBar>
      <Answered answer={answer}>
        {({ onboardings }) =>
          !onboardings.some(fits) ? (
            <EmptyState
              icon={ListChecks}
              title={state === undefined && wanted === "" ? t.noOnboardings : t.noneInState}
              action={<ButtonLink href="/tenants?dialog=create">{t.createTenant}</ButtonLink>}
            >
              {t.noOnboardingsText}
            </EmptyState>
          ) : (
            onboardings.filter(fits).map((_) => <OnboardingCard key={_.attempt_id} onboarding={_} />)
          )
        }
      </Answered>
      <ActDialog
        dialog="retry"
        write={operator.journal.retry}
        input={{ attempt_id: retry.of }}
        title={t.retryTitle(retried?.name ?? "")}
        verb={t.retry}
        done={t.retried}
        enabled={retried !== undefined}
        touches={["tenants", "signups"]}
      >
        {t.retryText}
      </ActDialog>
    </Page>
  )
}

export default OnboardingsPage
