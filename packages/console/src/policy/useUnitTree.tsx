import { useLocation } from "wouter"
import { useProject } from "../app/useProject.ts"
import { Badge } from "../ui/Badge.tsx"
import { Muted } from "../ui/layout.tsx"
import { MenuItem, RowMenu } from "../ui/Menu.tsx"
import type { TreeNode } from "../ui/Tree.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import type { Policy, Unit } from "./policy.ts"
import { words } from "./words.ts"

interface UnitActsProps {
  readonly path: string
  readonly hasPolicy: boolean
  readonly writes: boolean
}

const UnitActs = ({ hasPolicy, path, writes }: UnitActsProps) => {
  const t = useWords(words)
  const { project_id } = useProject()
  const [, navigate] = useLocation()
  const [edit, removePolicy] = [useDialog("policy"), useDialog("remove-policy")]
  const [create, removeUnit] = [useDialog("unit"), useDialog("remove-unit")]
  const query = new URLSearchParams({ ou: path, ...(project_id === undefined ? {} : { project_id }) })
  return (
    <RowMenu of={path === "" ? t.account : path}>
      <MenuItem onSelect={() => navigate(`/policy/effective?${query}`)}>{t.effective}</MenuItem>
      {writes ? <MenuItem onSelect={() => edit.show(path)}>{t.edit}</MenuItem> : null}
      {writes ? <MenuItem onSelect={() => create.show(path)}>{t.createBelow}</MenuItem> : null}
      {writes && hasPolicy ? (
        <MenuItem danger onSelect={() => removePolicy.show(path)}>
          {t.removePolicy}
        </MenuItem>
      ) : null}
      {writes && path !== "" ? (
        <MenuItem danger onSelect={() => removeUnit.show(path)}>
          {t.removeUnit}
        </MenuItem>
      ) : null}
    </RowMenu>
  )
}

const Limits = ({ policy }: { readonly policy: Policy | undefined }) => {
  const t = useWords(words)
  if (policy === undefined || (policy.max_tier === null && policy.denies.length === 0))
    return <Muted small>{t.noPolicy}</Muted>
  return (
    <>
      {policy.max_tier === null ? null : <Badge tone="warn">{t.cap(policy.max_tier)}</Badge>}
      {policy.denies.map((deny) => (
        <Badge key={deny} tone="bad">
          {deny}
        </Badge>
      ))}
    </>
  )
}

/** The account and its units below each other, each with what its policy limits. */
export const useUnitTree = (writes: boolean) => {
  const t = useWords(words)
  return (units: ReadonlyArray<Unit>, policies: ReadonlyArray<Policy>): ReadonlyArray<TreeNode> => {
    const policyOf = (path: string) => policies.find((_) => _.ou === path)
    const node = (path: string, name: string): TreeNode => ({
      id: path === "" ? "account" : path,
      content: (
        <>
          <strong>{name}</strong>
          <Limits policy={policyOf(path)} />
          <UnitActs path={path} hasPolicy={policyOf(path) !== undefined} writes={writes} />
        </>
      ),
      below: units
        .filter((_) => (_.parent ?? "") === path)
        .toSorted((one, other) => one.path.localeCompare(other.path))
        .map((_) => node(_.path, _.path.slice(path === "" ? 0 : path.length + 1)))
    })
    return [node("", t.account)]
  }
}
