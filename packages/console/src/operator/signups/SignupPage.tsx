import { Check, UserRoundX, X } from "lucide-react"
import { Link, useParams } from "wouter"
import { ActDialog } from "../../api/ActDialog.tsx"
import { useAnswer } from "../../api/useAnswer.ts"
import { Page } from "../../app/Page.tsx"
import { Answered } from "../../ui/Answered.tsx"
import { Button } from "../../ui/Button.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Card, Facts, Mono, Muted, Stack } from "../../ui/layout.tsx"
import { Time } from "../../ui/Time.tsx"
import { useDialog } from "../../ui/useDialog.ts"
import { useWords } from "../../words/words.ts"
import { AdmissionTable } from "../common/AdmissionTable.tsx"
import { OperatorState } from "../common/OperatorState.tsx"
import { words as common } from "../common/words.ts"
import { operator } from "../portico.ts"
import { ApproveDialog } from "./ApproveDialog.tsx"
import { findSignup, type Signup } from "./signup.ts"
import { words } from "./words.ts"

const RejectDialog = ({ signup: { org_name, signup_id } }: { readonly signup: Signup }) => {
  const t = useWords(words)
  return (
    <ActDialog
      dialog="reject"
      write={operator.signups.reject}
      input={{ signup_id }}
      title={t.rejectTitle(org_name)}
      verb={t.reject}
      done={t.rejected}
    >
      {t.rejectText}
    </ActDialog>
  )
}

const About = ({ signup }: { readonly signup: Signup }) => {
  const t = useWords(words)
  const c = useWords(common)
  const { decided_at, decided_by, project_id } = signup
  return (
    <Card>
      <Facts
        facts={[
          { label: c.state, value: <OperatorState state={signup.state} /> },
          { label: t.org, value: signup.org_name },
          { label: t.email, value: signup.email },
          { label: t.asked, value: <Time at={signup.created_at} as="moment" /> },
          ...(decided_at === null
            ? []
            : [
                {
                  label: t.decided,
                  value: (
                    <>
                      <Time at={decided_at} as="moment" /> <Muted small>{t.by(decided_by ?? "")}</Muted>
                    </>
                  )
                }
              ]),
          ...(project_id === null
            ? []
            : [{ label: t.tenant, value: <Link href={`/tenants/${project_id}`}>{signup.org_name}</Link> }]),
          ...(signup.attempt_id === null ? [] : [{ label: t.attempt, value: <Mono>{signup.attempt_id}</Mono> }])
        ]}
      />
    </Card>
  )
}

const Budget = () => {
  const t = useWords(words)
  return (
    <Card title={t.budget}>
      <Answered answer={useAnswer(operator.signups.capacity, {})}>
        {({ tiers }) => (
          <Stack>
            {tiers.map((numbers) => (
              <AdmissionTable key={numbers.tier} numbers={numbers} />
            ))}
          </Stack>
        )}
      </Answered>
    </Card>
  )
}

const SignupPage = () => {
  const t = useWords(words)
  const { signup_id = "" } = useParams()
  const approve = useDialog("approve")
  const reject = useDialog("reject")
  const answer = useAnswer(findSignup, { signup_id })
  const signup = answer.data
  return (
    <Page
      title={signup?.org_name ?? t.signup}
      up={{ href: "/signups", title: t.title }}
      actions={
        signup?.state === "pending" ? (
          <>
            <Button icon={X} onClick={() => reject.show()}>
              {t.reject}
            </Button>
            <Button kind="primary" icon={Check} onClick={() => approve.show()}>
              {t.approve}
            </Button>
          </>
        ) : null
      }
    >
      <Answered answer={answer}>
        {(found) =>
          found === null ? (
            <EmptyState icon={UserRoundX} title={t.notThere}>
              {t.notThereText}
            </EmptyState>
          ) : (
            <>
              <About signup={found} />
              {found.state === "pending" ? <Budget /> : null}
              <ApproveDialog signup={found} />
              <RejectDialog signup={found} />
            </>
          )
        }
      </Answered>
    </Page>
  )
}

export default SignupPage
