import { KeySquare, Plus, Trash2 } from "lucide-react"
import { Page } from "../app/Page.tsx"
import { useMay } from "../platform/may.ts"
import { RemoveDialog } from "../platform/RemoveDialog.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Button, IconButton } from "../ui/Button.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { Mono } from "../ui/layout.tsx"
import { Table } from "../ui/Table.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { ImportKeyDialog } from "./ImportKeyDialog.tsx"
import { words } from "./keyWords.ts"
import { useKeyPairs } from "./lookups.ts"

const KeyPairsPage = () => {
  const t = useWords(words)
  const may = useMay()
  const answer = useKeyPairs()
  const add = useDialog("import")
  const remove = useDialog("delete")
  const importButton = may.change ? (
    <Button kind="primary" icon={Plus} onClick={() => add.show()}>
      {t.import}
    </Button>
  ) : null
  return (
    <Page title={t.keys} about={t.about} actions={importButton}>
      <Answered answer={answer}>
        {(keys) => (
          <>
            <Table
              label={t.keys}
              rows={keys}
              keyOf={(_) => _.name}
              columns={[
                { title: t.name, cell: (_) => _.name, sort: (_) => _.name },
                { title: t.fingerprint, cell: (_) => <Mono>{_.fingerprint}</Mono> },
                {
                  title: "",
                  end: true,
                  cell: ({ name }) =>
                    may.destroy ? (
                      <IconButton icon={Trash2} label={t.deleteTitle(name)} onClick={() => remove.show(name)} />
                    ) : null
                }
              ]}
              empty={
                <EmptyState icon={KeySquare} title={t.none} action={importButton}>
                  {t.noneText}
                </EmptyState>
              }
            />
            <RemoveDialog
              things={keys}
              idOf={(_) => _.name}
              nameOf={(_) => _.name}
              pathOf={(_) => `compute/os-keypairs/${encodeURIComponent(_.name)}`}
              title={t.deleteTitle}
              text={t.deleteText}
              verb={t.delete}
              done={t.deleted}
              light
            />
          </>
        )}
      </Answered>
      <ImportKeyDialog />
    </Page>
  )
}

export default KeyPairsPage
