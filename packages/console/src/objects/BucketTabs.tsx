import { Tabs } from "../ui/Tabs.tsx"
import { useWords } from "../words/words.ts"
import { bucketHref, settingsHref, versionsHref } from "./places.ts"
import { words } from "./words.ts"

export const BucketTabs = ({ bucket }: { readonly bucket: string }) => {
  const t = useWords(words)
  return (
    <Tabs
      label={bucket}
      tabs={[
        { href: bucketHref(bucket), title: t.objects },
        { href: versionsHref(bucket), title: t.versions },
        { href: settingsHref(bucket), title: t.settings }
      ]}
    />
  )
}
