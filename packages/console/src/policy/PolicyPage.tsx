import { Plus, UserRoundCog } from "lucide-react"
import { portico } from "../api/portico.ts"
import { useWhole } from "../api/useWhole.ts"
import { hasRole, useMe } from "../app/me.ts"
import { Page } from "../app/Page.tsx"
import { useProject } from "../app/useProject.ts"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { FilterBar, TextField } from "../ui/form.tsx"
import { Card, Muted } from "../ui/layout.tsx"
import { Tree } from "../ui/Tree.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { EditDialog } from "./EditDialog.tsx"
import { PlaceDialog } from "./PlaceDialog.tsx"
import { RemovePolicyDialog, RemoveUnitDialog } from "./RemoveDialogs.tsx"
import { UnitDialog } from "./UnitDialog.tsx"
import { useUnitTree } from "./useUnitTree.tsx"
import { words } from "./words.ts"

const PolicyPage = () => {
  const t = useWords(words)
  const me = useMe()
  const project = useProject()
  const create = useDialog("unit")
  const place = useDialog("place")
  const writes = me.all_projects || (hasRole(me, "customer-owner", "customer-admin") && !project.missing)
  const input = { project_id: project.project_id, limit: 1000 }
  const units = useWhole(portico.policy.listUnits, input, { enabled: !project.missing })
  const policies = useWhole(portico.policy.listPolicies, input, { enabled: !project.missing })
  const tree = useUnitTree(writes)
  return (
    <Page
      title={t.title}
      about={t.about}
      actions={
        writes ? (
          <>
            <Button icon={UserRoundCog} onClick={() => place.show()}>
              {t.place}
            </Button>
            <Button kind="primary" icon={Plus} onClick={() => create.show()}>
              {t.createUnit}
            </Button>
          </>
        ) : null
      }
    >
      {project.asks ? (
        <FilterBar>
          <TextField label={t.projectId} help={t.projectText} value={project.project_id ?? ""} onChange={project.set} />
        </FilterBar>
      ) : null}
      <Answered answer={units}>
        {(units) => (
          <Answered answer={policies}>
            {(policies) => (
              <>
                <Card>
                  <Tree label={t.title} nodes={tree(units, policies)} />
                  {writes ? null : <Muted small>{t.writers}</Muted>}
                </Card>
                <UnitDialog />
                <EditDialog policies={policies} />
                <RemoveUnitDialog />
                <RemovePolicyDialog />
                <PlaceDialog units={units.map((_) => _.path)} />
              </>
            )}
          </Answered>
        )}
      </Answered>
    </Page>
  )
}

export default PolicyPage
