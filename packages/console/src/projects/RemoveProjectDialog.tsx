import { portico } from "../api/portico.ts"
import { outdated } from "../api/queries.ts"
import { useAct } from "../api/useAct.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx"
import { Muted, Stack } from "../ui/layout.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { followWork } from "../works/works.ts"
import { ContentsTable } from "./ContentsTable.tsx"
import { pathOf, type ProjectDetail } from "./project.tsx"
import { words } from "./words.ts"

export const RemoveProjectDialog = ({ project }: { readonly project: ProjectDetail }) => {
  const t = useWords(words)
  const dialog = useDialog("delete")
  const { project_id, project_name } = project
  const isOpen = dialog.open && project.state === "live"
  const contents = useAnswer(portico.projects.contents, { project_id }, { enabled: isOpen })
  const remove = useAct(portico.projects.remove, {
    touches: ["account", "quotas"],
    onDone: (removing) => {
      followWork({
        title: t.removing(project_name),
        href: pathOf(project_id),
        wait: (report) =>
          portico.projects.remove.wait(removing, { onProgress: ({ deletion }) => report(deletion?.state ?? "") }),
        onDone: () => void outdated(["projects", "account"])
      })
      dialog.close()
    }
  })
  const input = { project_id, confirm: project_name }
  return (
    <ConfirmDialog
      open={isOpen}
      title={t.removeTitle(project.name === "" ? project_name : project.name)}
      name={project_name}
      verb={t.remove}
      pending={remove.pending}
      refusal={remove.refusal}
      onConfirm={() => void remove.act(input)}
      onClose={() => {
        remove.reset()
        dialog.close()
      }}
      aside={<CopyAs calls={[{ operation: remove.operation, input }]} />}
    >
      <Stack>
        <p>{t.removeText}</p>
        <RefusalBox refusal={contents.refusal} />
        {contents.data === undefined ? <Muted>{t.surveying}</Muted> : <ContentsTable contents={contents.data} />}
      </Stack>
    </ConfirmDialog>
  )
}
