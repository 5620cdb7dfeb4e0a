import { portico } from "../api/portico.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { Card, Muted } from "../ui/layout.tsx"
import { useWords } from "../words/words.ts"
import { ContentsTable } from "./ContentsTable.tsx"
import { words } from "./words.ts"

export const ContentsCard = ({ projectId }: { readonly projectId: string }) => {
  const t = useWords(words)
  const answer = useAnswer(portico.projects.contents, { project_id: projectId })
  return (
    <Card
      title={t.contents}
      actions={
        <Button busy={answer.fetching} onClick={answer.again}>
          {t.look}
        </Button>
      }
    >
      <Muted small>{t.contentsText}</Muted>
      <Answered answer={answer}>{(contents) => <ContentsTable contents={contents} />}</Answered>
    </Card>
  )
}
