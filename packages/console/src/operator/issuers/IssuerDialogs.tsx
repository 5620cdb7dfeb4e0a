import { ActDialog } from "../../api/ActDialog.tsx"
import { useDialog } from "../../ui/useDialog.ts"
import { useWords } from "../../words/words.ts"
import { operator } from "../portico.ts"
import { draftOf, type Issuer, noIssuer, settingsOf } from "./issuer.ts"
import { IssuerDialog } from "./IssuerDialog.tsx"
import { words } from "./words.ts"

/** What can be done with registered clusters. */
export const IssuerDialogs = ({ issuers }: { readonly issuers: ReadonlyArray<Issuer> }) => {
  const t = useWords(words)
  const register = useDialog("register")
  const change = useDialog("change")
  const of = issuers.find((_) => _.issuer_id === change.of)
  return (
    <>
      {register.open ? (
        <IssuerDialog
          title={t.register}
          verb={t.register}
          done={t.registered}
          initial={noIssuer}
          write={operator.workloadIssuers.register}
          inputOf={(_) => ({ issuer: _.issuer, project_id: _.project, ...settingsOf(_) })}
          isNew
          onClose={register.close}
        />
      ) : null}
      {change.open && of !== undefined ? (
        <IssuerDialog
          title={t.changeTitle(of.issuer)}
          verb={t.change}
          done={t.changed}
          initial={draftOf(of)}
          write={operator.workloadIssuers.change}
          inputOf={(_) => ({ issuer_id: of.issuer_id, ...settingsOf(_) })}
          isNew={false}
          onClose={change.close}
        />
      ) : null}
      <ActDialog
        dialog="remove"
        write={operator.workloadIssuers.remove}
        input={{ issuer_id: change.of }}
        title={t.removeTitle(of?.issuer ?? "")}
        verb={t.remove}
        done={t.removed}
        name={of?.issuer}
        enabled={of !== undefined}
      >
        {t.removeText}
      </ActDialog>
    </>
  )
}
