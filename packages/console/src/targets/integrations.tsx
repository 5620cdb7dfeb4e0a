import { Plug as Icon } from "lucide-react"
import { Link, useLocation } from "wouter"
import { portico } from "../api/portico.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { Mono } from "../ui/layout.tsx"
import { toast } from "../ui/toasts.tsx"
import { useWords } from "../words/words.ts"
import { blank, type Draft, subscribed, subscriptionOf, wordsIn } from "./draft.ts"
import { words as fieldWords } from "./fieldWords.ts"
import { words } from "./integrationWords.ts"
import { Recipients } from "./Recipients.tsx"
import { RotateIntegration } from "./RotateIntegration.tsx"
import type { Resource } from "./Resource.ts"
import { destinationOf, type Integration } from "./target.ts"
import { TargetFacts } from "./TargetFacts.tsx"
import { TargetPage } from "./TargetPage.tsx"
import { TargetsPage } from "./TargetsPage.tsx"
import { words as sharedWords } from "./words.ts"

const placeOf = ({ headers, kind, to, url }: Draft) => {
  if (kind === "email") return { kind, to: wordsIn(to) }
  if (kind === "slack") return { kind, url }
  return { kind: "generic" as const, url, headers: headers.length === 0 ? undefined : headers }
}

const IntegrationFacts = ({ target }: { readonly target: Integration }) => {
  const t = useWords(fieldWords)
  const shared = useWords(sharedWords)
  const { destination, previous } = useWords(words)
  const { headers, integration_id, kind } = target
  const place = [
    { label: shared.kind, value: t[kind] },
    ...(kind === "email" ? [] : [{ label: destination, value: <Mono>{destinationOf(target)}</Mono> }]),
    ...(headers === null || headers.length === 0 ? [] : [{ label: t.headers, value: headers.join(", ") }])
  ]
  return <TargetFacts id={integration_id} target={target} place={place} previous={previous} />
}

interface IntegrationInputs {
  readonly id: { readonly integration_id: string }
  readonly creation: Parameters<typeof portico.integrations.create>[0]
  readonly change: Omit<Parameters<typeof portico.integrations.update>[0], "integration_id">
}

const integrations: Resource<IntegrationInputs, Integration> = {
  path: "/integrations",
  words,
  operations: portico.integrations,
  of: (integration_id) => ({ integration_id }),
  idOf: (_) => _.integration_id,
  nameOf: (_) => _.name,
  blank: { ...blank, kind: "slack" },
  draftOf: ({ kind, name, recipients, ..._ }) => {
    const to = (recipients ?? []).map(({ address }) => address).join("\n")
    return { ...blank, kind, name, to, ...subscriptionOf(_) }
  },
  creationOf: (draft) => ({ name: draft.name, ...placeOf(draft), ...subscribed(draft) }),
  changeOf: (draft, before) => ({
    name: draft.name,
    // Every unconfirmed address that is named gets a mail: nobody does who is not changed.
    to: wordsIn(draft.to).join() === wordsIn(before.to).join() ? undefined : wordsIn(draft.to),
    ...subscribed(draft)
  }),
  rotates: (_) => _.kind !== "email",
  Rotate: RotateIntegration,
  Facts: IntegrationFacts,
  Further: Recipients
}

export const ListPage = () => {
  const t = useWords(fieldWords)
  const shared = useWords(sharedWords)
  const { created, createdMail, destination } = useWords(words)
  const [, go] = useLocation()
  return (
    <TargetsPage
      resource={integrations}
      icon={Icon}
      answer={useAnswer(portico.integrations.list, {})}
      rowsOf={(_) => _.integrations}
      columns={[
        {
          title: t.name,
          sort: (_) => _.name,
          cell: ({ integration_id, name }) => <Link href={`/integrations/${integration_id}`}>{name}</Link>
        },
        { title: shared.kind, sort: (_) => t[_.kind], cell: (_) => t[_.kind] },
        { title: destination, cell: destinationOf }
      ]}
      onCreated={({ integration_id, kind }) => {
        toast(kind === "email" ? createdMail : created)
        go(`/integrations/${integration_id}`, { replace: true })
      }}
    />
  )
}

export const ShowPage = () => <TargetPage resource={integrations} />
