import { ReceiptEuro } from "lucide-react"
import { Link } from "wouter"
import { portico } from "../api/portico.ts"
import { usePages } from "../api/useAnswer.ts"
import { Page } from "../app/Page.tsx"
import { Answered } from "../ui/Answered.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { Mono } from "../ui/layout.tsx"
import { Table } from "../ui/Table.tsx"
import { useFormats } from "../words/formats.ts"
import { useWords } from "../words/words.ts"
import { InvoiceState, useMonth } from "./invoice.tsx"
import { words } from "./words.ts"

const InvoicesPage = () => {
  const t = useWords(words)
  const written = useMonth()
  const { money } = useFormats()
  const answer = usePages(portico.money.invoices, {})
  return (
    <Page title={t.invoices} about={t.invoicesAbout}>
      <Answered answer={answer}>
        {(pages) => (
          <Table
            label={t.invoices}
            rows={pages.flatMap((_) => _.invoices)}
            keyOf={(_) => _.invoice_id}
            hasMore={answer.hasMore}
            more={answer.more}
            loadingMore={answer.loadingMore}
            empty={
              <EmptyState icon={ReceiptEuro} title={t.noInvoices}>
                {t.noInvoicesText}
              </EmptyState>
            }
            columns={[
              {
                title: t.month,
                cell: (_) => (
                  <Link href={`/costs/invoices/${encodeURIComponent(_.invoice_id)}`}>{written(_.period_start)}</Link>
                )
              },
              { title: t.invoice, cell: (_) => <Mono>{_.invoice_id}</Mono> },
              { title: t.state, cell: (_) => <InvoiceState status={_.status} /> },
              { title: t.amount, cell: (_) => money(_.total_cents / 100, _.currency), end: true }
            ]}
          />
        )}
      </Answered>
    </Page>
  )
}

export default InvoicesPage
