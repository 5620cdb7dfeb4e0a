import type { Operation } from "./Catalogue.ts"

/** Commands that are made by hand and differ from the flags of their operation. */
export const handMade: Readonly<Record<string, Operation["handMade"]>> = {
  "journal.list": "whole-list",
  "drift.show": "whole-list",
  "tenants.onboard": "no-body"
}
