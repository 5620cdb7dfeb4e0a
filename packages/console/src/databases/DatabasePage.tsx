import { portico } from "../api/portico.ts"
import { useUntilSettled } from "../api/useUntilSettled.ts"
import { useMe } from "../app/me.ts"
import { Page } from "../app/Page.tsx"
import { useParams } from "wouter"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { Card, Grid, Stack } from "../ui/layout.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { ComingUp } from "./ComingUp.tsx"
import { Connection } from "./Connection.tsx"
import { type DatabaseDetail, isMaturing } from "./database.tsx"
import { DatabaseEvents } from "./DatabaseEvents.tsx"
import { DatabaseFacts } from "./DatabaseFacts.tsx"
import { RecoveryWindow } from "./RecoveryWindow.tsx"
import { RemoveDialog } from "./RemoveDialog.tsx"
import { ResizeDialog } from "./ResizeDialog.tsx"
import { RestoreDialog } from "./RestoreDialog.tsx"
import { words } from "./words.ts"

const DatabasePage = () => {
  const t = useWords(words)
  const { engine = "", name = "" } = useParams()
  const answer = useUntilSettled(portico.databases.show, { engine, name }, isMaturing)
  return (
    <Page
      title={name}
      up={{ href: "/databases", title: t.title }}
      actions={answer.data === undefined ? null : <Acts database={answer.data} />}
    >
      <Answered answer={answer}>{(database) => <Shown database={database} />}</Answered>
    </Page>
  )
}

const Acts = ({ database }: { readonly database: DatabaseDetail }) => {
  const t = useWords(words)
  const me = useMe()
  const resize = useDialog("resize")
  const remove = useDialog("delete")
  const isDeleting = database.status === "deleting"
  return (
    <>
      {me.tier < 1 || isDeleting ? null : <Button onClick={() => resize.show()}>{t.resize}</Button>}
      {me.tier < 2 || isDeleting ? null : (
        <Button kind="danger" onClick={() => remove.show()}>
          {t.remove}
        </Button>
      )}
    </>
  )
}

const Shown = ({ database }: { readonly database: DatabaseDetail }) => {
  const t = useWords(words)
  const { backup } = database
  return (
    <Stack>
      <ComingUp status={database.status} />
      <Grid cards="wide">
        <Card title={t.facts}>
          <DatabaseFacts database={database} />
        </Card>
        <Connection database={database} />
      </Grid>
      {backup === null ? null : <RecoveryWindow backup={backup} />}
      <Card title={t.events}>
        <DatabaseEvents events={database.events} />
      </Card>
      <ResizeDialog database={database} />
      {backup === null ? null : <RestoreDialog database={database} backup={backup} />}
      <RemoveDialog database={database} />
    </Stack>
  )
}

export default DatabasePage
