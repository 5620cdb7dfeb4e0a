import { ActDialog } from "../../api/ActDialog.tsx"
import { useWords } from "../../words/words.ts"
import { operator } from "../portico.ts"
import { MoveDialog } from "./MoveDialog.tsx"
import { type Project, touched } from "./tenant.tsx"
import { words } from "./words.ts"

/** What can be done with a tenant. */
export const TenantDialogs = ({ project }: { readonly project: Project }) => {
  const t = useWords(words)
  const { name, project_id, tier } = project
  return (
    <>
      <MoveDialog key={tier} project={project} />
      <ActDialog
        dialog="suspend"
        write={operator.tenants.suspend}
        input={{ project_id }}
        title={t.suspendTitle(name)}
        verb={t.suspend}
        done={t.isSuspended}
        name={name}
        touches={touched}
      >
        {t.suspendText}
      </ActDialog>
      <ActDialog
        dialog="resume"
        write={operator.tenants.moveTier}
        input={{ project_id, tier }}
        title={t.resumeTitle(name)}
        verb={t.resume}
        done={t.isResumed}
        touches={touched}
      >
        {t.resumeText(tier)}
      </ActDialog>
      <ActDialog
        dialog="cancel"
        write={operator.deletions.cancel}
        input={{ project_id }}
        title={t.cancelTitle(name)}
        verb={t.cancelDeletion}
        done={t.cancelled}
        touches={touched}
      >
        {t.cancelText}
      </ActDialog>
    </>
  )
}
