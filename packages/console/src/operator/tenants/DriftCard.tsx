import { Wrench } from "lucide-react"
import { ActDialog } from "../../api/ActDialog.tsx"
import { useAnswer } from "../../api/useAnswer.ts"
import { Answered } from "../../ui/Answered.tsx"
import { Button } from "../../ui/Button.tsx"
import { CheckField } from "../../ui/form.tsx"
import { Card, Muted } from "../../ui/layout.tsx"
import { useDialog } from "../../ui/useDialog.ts"
import { useFilter } from "../../ui/useFilter.ts"
import { useWords } from "../../words/words.ts"
import { operator } from "../portico.ts"
import { DriftBadge, DriftTable } from "./DriftTable.tsx"
import { touched } from "./tenant.tsx"
import { words } from "./words.ts"

/** What the services enforce of the tenant's tier, and its repair. */
export const DriftCard = ({ projectId }: { readonly projectId: string }) => {
  const t = useWords(words)
  const repair = useDialog("repair")
  const [all, setAll] = useFilter("quotas")
  const answer = useAnswer(operator.drift.show, { project_id: projectId })
  const isRepairable = answer.data?.tenants.some((_) => _.drifted) === true
  return (
    <Card
      title={t.drift}
      actions={
        isRepairable ? (
          <Button icon={Wrench} onClick={() => repair.show()}>
            {t.repair}
          </Button>
        ) : null
      }
    >
      <Muted>{t.driftAbout}</Muted>
      <Answered answer={answer}>
        {({ tenants }) =>
          tenants.map((drift) => (
            <div key={drift.tenant.project_id}>
              <DriftBadge drift={drift} />
              <CheckField label={t.showAll} checked={all === "all"} onChange={(on) => setAll(on ? "all" : "")} />
              <DriftTable drift={drift} all={all === "all"} />
              <ActDialog
                dialog="repair"
                write={operator.drift.repair}
                input={{ project_id: projectId }}
                title={t.repairTitle(drift.tenant.name)}
                verb={t.repair}
                done={t.repaired}
                touches={touched}
              >
                {t.repairText}
              </ActDialog>
            </div>
          ))
        }
      </Answered>
    </Card>
  )
}
