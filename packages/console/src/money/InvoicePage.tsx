import { ReceiptEuro } from "lucide-react"
import { useParams } from "wouter"
import { portico } from "../api/portico.ts"
import { usePages } from "../api/useAnswer.ts"
import { Page } from "../app/Page.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Button, ButtonLink } from "../ui/Button.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { BigNumber, Card, Facts, Mono, Muted, Stack } from "../ui/layout.tsx"
import { Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { words as ofKit } from "../ui/words.ts"
import { useFormats } from "../words/formats.ts"
import { useWords } from "../words/words.ts"
import { type Invoice, InvoiceState, useMonth, useUnit } from "./invoice.tsx"
import { words } from "./words.ts"

/** The API lists invoices with all that they have, and shows none alone. */
const InvoicePage = () => {
  const t = useWords(words)
  const kit = useWords(ofKit)
  const written = useMonth()
  const { invoice_id = "" } = useParams()
  const answer = usePages(portico.money.invoices, {})
  const invoice = answer.data?.flatMap((_) => _.invoices).find((_) => _.invoice_id === invoice_id)
  return (
    <Page
      title={invoice === undefined ? t.invoice : `${t.invoice} · ${written(invoice.period_start)}`}
      up={{ href: "/costs/invoices", title: t.invoices }}
    >
      <Answered answer={answer}>
        {() =>
          invoice === undefined ? (
            <EmptyState
              icon={ReceiptEuro}
              title={t.noInvoice}
              action={
                answer.hasMore ? (
                  <Button onClick={answer.more}>{kit.more}</Button>
                ) : (
                  <ButtonLink href="/costs/invoices">{t.toInvoices}</ButtonLink>
                )
              }
            >
              {t.noInvoiceText}
            </EmptyState>
          ) : (
            <Shown invoice={invoice} />
          )
        }
      </Answered>
    </Page>
  )
}

const Shown = ({ invoice }: { readonly invoice: Invoice }) => {
  const t = useWords(words)
  const { money } = useFormats()
  return (
    <Stack>
      <Card title={t.facts}>
        <BigNumber>{money(invoice.total_cents / 100, invoice.currency)}</BigNumber>
        <Facts
          facts={[
            { label: t.invoice, value: <Mono>{invoice.invoice_id}</Mono> },
            { label: t.state, value: <InvoiceState status={invoice.status} /> },
            { label: t.sentTo, value: invoice.customer_email ?? t.nobody },
            { label: t.atProvider, value: invoice.external_invoice_id ?? "–" }
          ]}
        />
      </Card>
      <Lines invoice={invoice} />
      <Card title={t.history}>
        <Table
          label={t.history}
          rows={invoice.history}
          keyOf={(_) => `${_.ts} ${_.event}`}
          empty={null}
          columns={[
            { title: t.when, cell: (_) => <Time at={_.ts} as="moment" /> },
            { title: t.event, cell: (_) => `${_.event} · ${_.detail}` }
          ]}
        />
      </Card>
    </Stack>
  )
}

const Lines = ({ invoice }: { readonly invoice: Invoice }) => {
  const t = useWords(words)
  const { money, number, price } = useFormats()
  const unitOf = useUnit()
  return (
    <Card title={t.lines}>
      <Table
        label={t.lines}
        rows={invoice.lines}
        keyOf={(_) => _.key}
        empty={<Muted>{t.lineNone}</Muted>}
        columns={[
          {
            title: t.description,
            cell: (_) => (
              <>
                {_.description}
                <br />
                <Muted small>
                  <Mono>{_.key}</Mono>
                </Muted>
              </>
            )
          },
          { title: t.quantity, cell: (_) => `${number(Number(_.quantity))} ${unitOf(_.unit)}`, end: true },
          { title: t.unitPrice, cell: (_) => price(_.unit_price_eur, invoice.currency), end: true },
          { title: t.amount, cell: (_) => money(_.amount_eur, invoice.currency), end: true }
        ]}
      />
    </Card>
  )
}

export default InvoicePage
