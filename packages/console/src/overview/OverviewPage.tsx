import { Link } from "wouter"
import { portico } from "../api/portico.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { useMe } from "../app/me.ts"
import { Page } from "../app/Page.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Card, Grid, Stack } from "../ui/layout.tsx"
import { useWords } from "../words/words.ts"
import { Activity } from "./Activity.tsx"
import { MonthCurve } from "./MonthCurve.tsx"
import { QuotaCard } from "./QuotaCard.tsx"
import { StatusCard } from "./StatusCard.tsx"
import { words } from "./words.ts"

/** Who may not see money, and clouds without billing, have no such card. */
const withoutMoney = new Set(["billing_access_required", "service_not_found"])

const SpendCard = () => {
  const t = useWords(words)
  const answer = useAnswer(portico.money.forecast, {})
  if (answer.refusal !== undefined && withoutMoney.has(answer.refusal.code)) return null
  return (
    <Card title={t.spend} actions={<Link href="/costs">{t.costs}</Link>}>
      <Answered answer={answer}>{(forecast) => <MonthCurve forecast={forecast} />}</Answered>
    </Card>
  )
}

const OverviewPage = () => {
  const t = useWords(words)
  const { tenant } = useMe()
  // A platform administrator has no project of their own, and so nothing but the platform's status here.
  if (tenant === null)
    return (
      <Page title={t.title}>
        <StatusCard />
      </Page>
    )
  return (
    <Page title={tenant.name === "" ? t.title : tenant.name} about={t.about}>
      <Grid cards="wide">
        <Stack>
          <StatusCard />
          <SpendCard />
        </Stack>
        <QuotaCard />
      </Grid>
      <Activity />
    </Page>
  )
}

export default OverviewPage
