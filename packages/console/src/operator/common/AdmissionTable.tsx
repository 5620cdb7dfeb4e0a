import { Badge } from "../../ui/Badge.tsx"
import { Row, Stack } from "../../ui/layout.tsx"
import { type Column, Table } from "../../ui/Table.tsx"
import { useFormats } from "../../words/formats.ts"
import { useWords } from "../../words/words.ts"
import type { Admission, AdmissionRow } from "./capacity.ts"
import { words } from "./words.ts"

/** The budget before and after one more tenant, or a move. */
export const AdmissionTable = ({ numbers }: { readonly numbers: Admission }) => {
  const t = useWords(words)
  const { number } = useFormats()
  const columns: ReadonlyArray<Column<AdmissionRow>> = [
    { title: t.dimension, cell: (_) => t[_.dimension] },
    { title: t.before, end: true, cell: (_) => number(_.used) },
    { title: t.adds, end: true, cell: (_) => `${_.requested > 0 ? "+" : ""}${number(_.requested)}` },
    { title: t.after, end: true, cell: (_) => t.sold(number(_.used + _.requested), number(_.limit)) },
    {
      title: t.left,
      end: true,
      cell: (_) =>
        _.remaining_after < 0 ? <Badge tone="bad">{number(_.remaining_after)}</Badge> : number(_.remaining_after)
    }
  ]
  return (
    <Stack tight>
      <Row>
        <strong>{numbers.tier}</strong>
        <Badge tone={numbers.admitted ? "good" : "bad"}>{numbers.admitted ? t.fits : t.fitsNot}</Badge>
      </Row>
      <Table label={numbers.tier} columns={columns} rows={numbers.dimensions} keyOf={(_) => _.dimension} empty={null} />
    </Stack>
  )
}
