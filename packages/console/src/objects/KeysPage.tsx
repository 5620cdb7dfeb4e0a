import { KeyRound, RotateCw } from "lucide-react"
import { portico } from "../api/portico.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { useMe } from "../app/me.ts"
import { Page } from "../app/Page.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { Mono } from "../ui/layout.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { RemoveKeyDialog, RotateKeyDialog, ShowKeyDialog } from "./keyDialogs.tsx"
import { words } from "./words.ts"

type Key = Awaited<ReturnType<typeof portico.objectStorage.listKeys>>["keys"][number]

const useColumns = (): ReadonlyArray<Column<Key>> => {
  const t = useWords(words)
  const me = useMe()
  const remove = useDialog("remove-key")
  return [
    { title: t.accessKey, cell: (_) => <Mono>{_.access_key}</Mono> },
    {
      title: t.made,
      cell: ({ created_at }) => (created_at === null ? t.madeElsewhere : <Time at={created_at} as="moment" />)
    },
    { title: t.version, cell: ({ current }) => (current ? <Badge tone="good">{t.current}</Badge> : "") },
    {
      title: "",
      end: true,
      cell: ({ access_key }) =>
        me.tier < 2 ? null : (
          <Button kind="danger" onClick={() => remove.show(access_key)} aria-label={`${t.removeKey}: ${access_key}`}>
            {t.removeKey}
          </Button>
        )
    }
  ]
}

const KeysPage = () => {
  const t = useWords(words)
  const me = useMe()
  const show = useDialog("show-key")
  const rotate = useDialog("rotate-key")
  const answer = useAnswer(portico.objectStorage.listKeys, {})
  const columns = useColumns()
  const showButton = (
    <Button icon={KeyRound} onClick={() => show.show()}>
      {t.show}
    </Button>
  )
  return (
    <Page
      title={t.keys}
      about={t.keysAbout}
      actions={
        <>
          {showButton}
          {me.tier < 1 ? null : (
            <Button icon={RotateCw} onClick={() => rotate.show()}>
              {t.rotate}
            </Button>
          )}
        </>
      }
    >
      <Answered answer={answer}>
        {({ keys }) => (
          <Table
            label={t.keys}
            columns={columns}
            rows={keys}
            keyOf={(_) => _.access_key}
            empty={
              <EmptyState icon={KeyRound} title={t.keysNone} action={showButton}>
                {t.keysNoneText}
              </EmptyState>
            }
          />
        )}
      </Answered>
      <ShowKeyDialog />
      <RotateKeyDialog />
      <RemoveKeyDialog />
    </Page>
  )
}

export default KeysPage
