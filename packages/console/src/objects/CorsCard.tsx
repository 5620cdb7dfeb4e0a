import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { useMe } from "../app/me.ts"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx"
import { Card, Muted } from "../ui/layout.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { allowsUploads, type CorsRule } from "./corsRules.ts"
import { CorsOffer } from "./CorsOffer.tsx"
import { words } from "./words.ts"

interface RulesProps {
  readonly bucket: string
  readonly rules: ReadonlyArray<CorsRule>
}

/** The last rule goes with the document, which cannot be empty: that is a deletion, and needs tier 2. */
const RemoveRuleDialog = ({ bucket, rules }: RulesProps) => {
  const t = useWords(words)
  const dialog = useDialog("remove-rule")
  const rule = rules[Number(dialog.of)]
  const onDone = () => {
    toast(t.corsRemoved)
    dialog.close()
  }
  const change = useAct(portico.objectStorage.setCors, { onDone })
  const clear = useAct(portico.objectStorage.removeCors, { onDone })
  const others = rules.filter((_) => _ !== rule)
  const act = () => {
    if (others.length === 0) void clear.act({ name: bucket })
    else void change.act({ name: bucket, rules: others })
  }
  return (
    <ConfirmDialog
      open={dialog.open && dialog.of !== "" && rule !== undefined}
      title={t.corsRemove}
      verb={t.corsRemove}
      pending={change.pending || clear.pending}
      refusal={change.refusal ?? clear.refusal}
      onConfirm={act}
      onClose={() => {
        change.reset()
        clear.reset()
        dialog.close()
      }}
    >
      <p>{t.corsRemoveText}</p>
      <p>{rule?.allowed_origins.join(", ")}</p>
    </ConfirmDialog>
  )
}

const Rules = ({ bucket, rules }: RulesProps) => {
  const t = useWords(words)
  const { tier } = useMe()
  const remove = useDialog("remove-rule")
  const columns: ReadonlyArray<Column<CorsRule>> = [
    { title: t.origins, cell: (_) => _.allowed_origins.join(", ") },
    { title: t.methods, cell: (_) => _.allowed_methods.join(", ") },
    { title: t.headers, cell: (_) => _.allowed_headers.join(", ") },
    { title: t.maxAge, cell: (_) => (_.max_age_seconds === null ? "" : t.seconds(_.max_age_seconds)) },
    {
      title: "",
      end: true,
      cell: (_) =>
        tier < (rules.length === 1 ? 2 : 1) ? null : (
          <Button onClick={() => remove.show(String(rules.indexOf(_)))}>{t.corsRemove}</Button>
        )
    }
  ]
  return (
    <>
      <Table
        label={t.cors}
        columns={columns}
        rows={rules}
        keyOf={(_) => String(rules.indexOf(_))}
        empty={<Muted>{t.corsNone}</Muted>}
      />
      {tier < 1 || allowsUploads(rules, location.origin) ? null : <CorsOffer bucket={bucket} rules={rules} />}
      <RemoveRuleDialog bucket={bucket} rules={rules} />
    </>
  )
}

export const CorsCard = ({ bucket }: { readonly bucket: string }) => {
  const t = useWords(words)
  const answer = useAnswer(portico.objectStorage.cors, { name: bucket })
  return (
    <Card title={t.cors}>
      <p>{t.corsAbout}</p>
      <Answered answer={answer}>{({ rules }) => <Rules bucket={bucket} rules={rules} />}</Answered>
    </Card>
  )
}
