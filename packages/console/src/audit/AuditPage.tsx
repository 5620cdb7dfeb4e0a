import { Download } from "lucide-react"
import { useState } from "react"
import { Page } from "../app/Page.tsx"
import { Button } from "../ui/Button.tsx"
import { CheckField } from "../ui/form.tsx"
import { Row } from "../ui/layout.tsx"
import { toast } from "../ui/toasts.tsx"
import { useFilter } from "../ui/useFilter.ts"
import { followWork } from "../works/works.ts"
import { useWords } from "../words/words.ts"
import { exportAudit, useAuditFilters } from "./record.ts"
import { Filters } from "./Filters.tsx"
import { Records } from "./Records.tsx"
import { words } from "./words.ts"

const AuditPage = () => {
  const t = useWords(words)
  const filters = useAuditFilters()
  const [still, setStill] = useFilter("still")
  const [exporting, setExporting] = useState(false)
  const run = () => {
    setExporting(true)
    followWork({
      title: t.export,
      href: `/audit${location.search}`,
      wait: (report) =>
        exportAudit(filters, (count) => report(t.exporting(count)))
          .then(({ complete, count }) => toast(complete ? t.exported(count) : t.exportCut))
          .finally(() => setExporting(false))
    })
  }
  return (
    <Page
      title={t.title}
      about={t.about}
      actions={
        <Button icon={Download} onClick={run} busy={exporting}>
          {t.export}
        </Button>
      }
    >
      <Filters />
      <Row>
        <CheckField label={t.live} checked={still !== "yes"} onChange={(_) => setStill(_ ? "" : "yes")} />
      </Row>
      <Records filters={filters} live={still !== "yes"} />
    </Page>
  )
}

export default AuditPage
