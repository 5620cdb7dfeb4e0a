import { useParams } from "wouter"
import { portico } from "../api/portico.ts"
import { useWhole } from "../api/useWhole.ts"
import { hasPage } from "../app/hasPage.ts"
import { useMe } from "../app/me.ts"
import { Page } from "../app/Page.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Button, ButtonLink } from "../ui/Button.tsx"
import { Card, Grid } from "../ui/layout.tsx"
import { Tree } from "../ui/Tree.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { type Credential, mayRevoke, mayRotate } from "./credential.tsx"
import { CredentialFacts, CredentialUse } from "./CredentialFacts.tsx"
import { RevokeDialog } from "./RevokeDialog.tsx"
import { RotateDialog } from "./RotateDialog.tsx"
import { madeBy } from "./tree.ts"
import { useNode } from "./useNode.tsx"
import { words } from "./words.ts"

const Actions = ({ credential }: { readonly credential: Credential }) => {
  const t = useWords(words)
  const me = useMe()
  const rotate = useDialog("rotate")
  const revoke = useDialog("revoke")
  const { credential_id, rotated_to, state } = credential
  return (
    <>
      <ButtonLink href={`/audit?credential_id=${credential_id}`}>{t.whatItDid}</ButtonLink>
      {hasPage("/policy/effective") ? (
        <ButtonLink href={`/policy/effective?credential_id=${credential_id}`}>{t.whyNot}</ButtonLink>
      ) : null}
      {state === "active" && rotated_to === null && mayRotate(me, credential) ? (
        <Button onClick={() => rotate.show(credential_id)}>{t.rotate}</Button>
      ) : null}
      {state !== "revoked" && mayRevoke(me) ? (
        <Button kind="danger" onClick={() => revoke.show(credential_id)}>
          {t.revoke}
        </Button>
      ) : null}
    </>
  )
}

/** One credential. The API lists credentials and shows none alone: this is its row of the whole list. */
const CredentialPage = () => {
  const t = useWords(words)
  const { credential_id = "" } = useParams()
  const answer = useWhole(portico.credentials.list, { limit: 1000, include_revoked: true })
  const credential = answer.data?.find((_) => _.credential_id === credential_id)
  const node = useNode()
  return (
    <Page
      title={credential?.label ?? credential_id}
      up={{ href: "/credentials", title: t.title }}
      actions={credential === undefined ? null : <Actions credential={credential} />}
    >
      <Answered answer={answer}>
        {(all) =>
          credential === undefined ? (
            <p role="status">{t.notThere}</p>
          ) : (
            <>
              <Grid cards="wide">
                <Card title={t.facts}>
                  <CredentialFacts credential={credential} />
                </Card>
                <Card title={t.use}>
                  <CredentialUse credential={credential} />
                </Card>
              </Grid>
              <Card title={t.madeWithIt}>
                {madeBy(all, credential_id).length === 0 ? (
                  t.madeNothing
                ) : (
                  <Tree label={t.madeWithIt} nodes={madeBy(all, credential_id).map(node)} />
                )}
              </Card>
              <RotateDialog credentials={all} />
              <RevokeDialog credentials={all} />
            </>
          )
        }
      </Answered>
    </Page>
  )
}

export default CredentialPage
