import { useMe } from "../app/me.ts"
import { Page } from "../app/Page.tsx"
import { Grid, Stack } from "../ui/layout.tsx"
import { useWords } from "../words/words.ts"
import { Activity } from "./Activity.tsx"
import { QuotaCard } from "./QuotaCard.tsx"
import { SpendCard } from "./SpendCard.tsx"
import { StatusCard } from "./StatusCard.tsx"
import { words } from "./words.ts"

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
